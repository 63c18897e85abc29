"""Four eyes: what one person says of an answer is proposed, and decides when a second one says the same."""

from typing import Any

import pytest

from builders import ServiceUnderTest
from service.test_final_codes import MENS, PLAIN, review, unsure


@pytest.fixture
async def waiting(running: ServiceUnderTest) -> Any:
    """An answer that waits for a review, in an organization that decides with four eyes."""
    await running.run("UPDATE organizations SET four_eyes = true WHERE id = :id", id=running.organization_id)
    accepted = await running.classify()
    await running.work(unsure)
    return accepted


async def said_by(running: ServiceUnderTest, email: str, accepted: Any) -> None:
    """Let the review that is stored be a member's."""
    await running.run(
        "UPDATE reviews SET reviewed_by = :email WHERE classification_id = :id",
        email=email,
        id=accepted["classifications"][0]["id"],
    )


async def count(running: ServiceUnderTest, table: str) -> int:
    [row] = await running.rows(
        f"SELECT count(*) AS number FROM {table} WHERE organization_id = :id",
        id=running.organization_id,
    )
    return int(row["number"])


async def listed(running: ServiceUnderTest) -> list[str]:
    found = (await running.live.get("/api/v1/classifications", params={"needs_review": "true"})).json()
    return [one["id"] for one in found["data"]]


async def test_a_review_is_a_proposal_that_decides_nothing_and_leaves_the_queue(
    running: ServiceUnderTest, waiting: Any
) -> None:
    assert len(await listed(running)) == 1
    proposed = await review(running, waiting, "corrected", code=PLAIN, note="Plain white")
    assert (proposed["final"], proposed["review"]["stage"], proposed["review"]["code"]) == (None, "proposed", PLAIN)
    assert await running.poll(waiting) == proposed
    assert await listed(running) == []
    assert await count(running, "decisions") == 0


async def test_all_keys_are_one_pair_of_eyes(running: ServiceUnderTest, waiting: Any) -> None:
    first = await review(running, waiting, "accepted")
    running.live.headers["Authorization"] = f"Bearer {await running.key()}"
    assert await review(running, waiting, "accepted") == first
    assert first["review"]["stage"] == "proposed"


async def test_a_second_person_who_says_the_same_decides(running: ServiceUnderTest, waiting: Any) -> None:
    await review(running, waiting, "corrected", code=PLAIN, note="Plain white")
    await said_by(running, "anna@acme.example", waiting)
    decided = await review(running, waiting, "corrected", code=PLAIN, note="Agreed")
    said, final = decided["review"], decided["final"]
    assert (final["code"], final["decided_by"], final["reason"]) == (PLAIN, "person", "Plain white")
    assert final["decided_by_name"] == f"anna@acme.example, confirmed by {said['second_by']}"
    assert final["decided_at"] == said["second_at"]
    assert (said["reviewed_by"], said["stage"], said["second_note"]) == ("anna@acme.example", "decided", "Agreed")
    assert await count(running, "decisions") == 1
    assert await review(running, waiting, "corrected", code=PLAIN) == decided


async def test_a_second_person_who_says_otherwise_proposes_that(running: ServiceUnderTest, waiting: Any) -> None:
    await review(running, waiting, "corrected", code=PLAIN)
    await said_by(running, "anna@acme.example", waiting)
    other = await review(running, waiting, "accepted")
    assert (other["final"], other["review"]["stage"], other["review"]["decision"]) == (None, "proposed", "accepted")


async def test_what_is_sent_back_waits_again_with_the_reason(running: ServiceUnderTest, waiting: Any) -> None:
    address = waiting["classifications"][0]["poll_url"]
    nothing = await running.live.post(f"{address}/review/send-back", json={"note": "Why?"})
    assert nothing.status_code == 409
    assert "nothing to send back" in nothing.json()["error"]["message"]
    await review(running, waiting, "accepted")
    await said_by(running, "anna@acme.example", waiting)
    assert (await running.live.post(f"{address}/review/send-back", json={})).status_code == 400
    returned = (await running.live.post(f"{address}/review/send-back", json={"note": "Why?"})).json()
    said = returned["review"]
    assert (returned["final"], said["stage"], said["second_note"]) == (None, "sent_back", "Why?")
    assert len(await listed(running)) == 1
    assert (await review(running, waiting, "accepted"))["review"]["stage"] == "proposed"


async def test_what_was_decided_stands_while_another_code_is_proposed(running: ServiceUnderTest, waiting: Any) -> None:
    await review(running, waiting, "accepted")
    await said_by(running, "anna@acme.example", waiting)
    decided = await review(running, waiting, "accepted")
    other = await review(running, waiting, "corrected", code=PLAIN, note="Plain white")
    assert other["review"]["stage"] == "proposed"
    assert other["final"] == decided["final"]
    assert other["final"]["code"] == MENS


async def test_without_four_eyes_what_was_proposed_is_decided_by_saying_it_again(
    running: ServiceUnderTest, waiting: Any
) -> None:
    assert (await review(running, waiting, "accepted"))["final"] is None
    await running.run("UPDATE organizations SET four_eyes = false WHERE id = :id", id=running.organization_id)
    decided = await review(running, waiting, "accepted")
    assert decided["final"]["code"] == MENS
    assert "stage" not in decided["review"]


async def test_a_proposal_counts_for_no_promise(running: ServiceUnderTest, waiting: Any) -> None:
    await running.live.put("/api/v1/promise", json={"right": 0.8, "digits": 6, "asked_share": 1})
    ours = "UPDATE classifications SET asked_by_chance = true WHERE organization_id = :id"
    await running.run(ours, id=running.organization_id)
    await review(running, waiting, "accepted")
    await running.work()
    [kept] = [
        one for one in (await running.live.get("/api/v1/promise")).json()["schedules"] if one["schedule"] == "US-HTS"
    ]
    assert (kept["reviewed"], kept["to_review"]) == (0, 1)
