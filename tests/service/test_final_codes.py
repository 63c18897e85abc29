"""The final code: what goods are declared under, whoever decided it; the machine's result is never rewritten."""

import asyncio
import json
from typing import Any

import pytest

from builders import ServiceUnderTest
from determinations import determine, with_result
from pcs.classifications.model import DecidedBy
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName
from receiver import Receiver

MENS, PLAIN = "6109100012", "6109100004"


def unsure(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that wants everything reviewed."""
    return with_result(determine(product, schedule), needs_review=True)


async def review(running: ServiceUnderTest, accepted: Any, decision: str, **more: str) -> Any:
    address = accepted["classifications"][0]["poll_url"]
    response = await running.live.put(f"{address}/review", json={"decision": decision, **more})
    assert response.status_code == 200, response.text
    return response.json()


async def test_an_answer_that_needs_no_review_is_final_by_the_engine(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    assert (await running.poll(accepted))["final"] is None
    await running.work()
    found = await running.poll(accepted)
    assert found["final"] == {
        "code": MENS,
        "description": "T-shirts, knitted > Of cotton",
        "description_language": "en",
        "decided_by": "engine",
        "decided_at": found["completed_at"],
        "revision": "2026-test",
    }


@pytest.mark.parametrize("engine", [unsure, lambda *asked: with_result(determine(*asked), confidence=0.05)])
async def test_an_answer_that_a_person_should_see_has_no_final_code_until_they_decide(
    running: ServiceUnderTest, engine: Any
) -> None:
    accepted = await running.classify()
    await running.run("UPDATE organizations SET review_below = 0 WHERE id = :id", id=running.organization_id)
    await running.work(engine)
    assert (await running.poll(accepted))["final"] is None
    taken = await review(running, accepted, "accepted", note="Seen the sample")
    final = taken["final"]
    assert (final["code"], final["decided_by"], final["reason"]) == (MENS, "person", "Seen the sample")
    assert final["decided_by_name"] == taken["review"]["reviewed_by"]


async def test_a_correction_is_final_in_official_words_and_a_rejection_leaves_it_open(
    running: ServiceUnderTest,
) -> None:
    accepted = await running.classify()
    await running.work()
    before = await running.poll(accepted)
    corrected = await review(running, accepted, "corrected", code="6109.10.0004", note="Plain white")
    assert corrected["result"] == before["result"]
    final = corrected["final"]
    assert (final["code"], final["decided_by"]) == (PLAIN, "person")
    assert final["description"].endswith("men's plain white cotton undershirt T-shirts")
    assert final["revision"].startswith("starter-")
    assert (await running.poll(accepted))["final"] == final
    assert (await review(running, accepted, "rejected", note="Not ours"))["final"] is None
    assert (await running.poll(accepted))["final"] is None


async def test_goods_that_no_code_was_found_for_get_one_by_correction(running: ServiceUnderTest) -> None:
    accepted = await running.classify(name="thing")
    await running.work()
    assert (await running.poll(accepted))["final"] is None
    assert (await review(running, accepted, "corrected", code=PLAIN))["final"]["code"] == PLAIN


@pytest.mark.parametrize("code", ["6109109999", "61091000", "99999999"])
async def test_a_correction_to_what_is_no_line_is_refused_with_what_to_do(running: ServiceUnderTest, code: str) -> None:
    accepted = await running.classify()
    await running.work()
    before = await running.poll(accepted)
    address = f"{accepted['classifications'][0]['poll_url']}/review"
    response = await running.live.put(address, json={"decision": "corrected", "code": code})
    assert response.status_code == 400
    [wrong] = response.json()["error"]["details"]
    assert wrong["field"] == "code"
    assert "Search the schedule for its line" in wrong["message"]
    assert await running.poll(accepted) == before


async def test_lists_products_and_batches_show_it(running: ServiceUnderTest) -> None:
    body = {"products": [{"name": "T-shirt"}], "schedules": ["US-HTS"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work()
    one = {"classifications": batch["classifications"]}
    final = (await review(running, one, "corrected", code=PLAIN))["final"]
    listed = (await running.live.get("/api/v1/classifications")).json()["data"]
    product = (await running.live.get(f"/api/v1/products/{listed[0]['product_id']}")).json()
    items = (await running.live.get(batch["poll_url"])).json()["classifications"]
    assert [each["final"] for each in (*listed, *product["classifications"], *items)] == [final] * 3
    report = (await running.live.get(f"/api/v1/classifications/{listed[0]['id']}/report")).text
    assert report.index(PLAIN) < report.index(MENS)


async def test_every_review_is_an_event_for_whoever_subscribed(running: ServiceUnderTest, receiver: Receiver) -> None:
    kinds = ["classification.reviewed"]
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "event_types": kinds})
    accepted = await running.classify(options={"webhook_url": f"{receiver.url}/own"})
    await running.work(unsure)
    receiver.received.clear()
    reviewed = await review(running, accepted, "corrected", code=PLAIN, note="Plain white")
    await running.work()
    [told] = receiver.received
    event = json.loads(told.body)
    assert event["event"] == told.headers["x-service-event"] == "classification.reviewed"
    assert event["timestamp"] == reviewed["review"]["reviewed_at"]
    data = event["data"]
    assert (data["final"], data["review"]) == (reviewed["final"], reviewed["review"])
    assert data["result"] == reviewed["result"]


async def test_the_same_review_again_changes_nothing_and_is_no_second_event(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    await running.work()
    once = await review(running, accepted, "corrected", code=PLAIN, note="Plain white")
    assert await review(running, accepted, "corrected", code="6109.10.0004", note="Plain white") == once
    query = "SELECT 1 FROM events WHERE type = 'classification.reviewed' AND organization_id = :id"
    assert len(await running.rows(query, id=running.organization_id)) == 1
    await review(running, accepted, "accepted", note="Has a print after all")
    assert len(await running.rows(query, id=running.organization_id)) == 2


async def test_the_database_keeps_no_half_of_a_decision(running: ServiceUnderTest) -> None:
    await running.classify()
    await running.work()
    with pytest.raises(Exception, match="classifications_final"):
        await running.run(
            "UPDATE classifications SET final_code = NULL WHERE organization_id = :id", id=running.organization_id
        )


async def test_who_decided_is_one_of_four(running: ServiceUnderTest) -> None:
    query = (
        "SELECT pg_get_constraintdef(oid) AS says FROM pg_constraint WHERE conname = 'classifications_decided_by_check'"
    )
    [row] = await running.rows(query)
    assert all(f"'{who}'" in row["says"] for who in DecidedBy)


@pytest.mark.parametrize("said", [{"decision": "accepted"}, {"decision": "rejected"}])
async def test_what_a_person_decided_is_opened_again_only_with_a_reason(
    running: ServiceUnderTest, said: dict[str, str]
) -> None:
    accepted = await running.classify()
    await running.work()
    decided = await review(running, accepted, "corrected", code=PLAIN)
    address = f"{accepted['classifications'][0]['poll_url']}/review"
    refused = await running.live.put(address, json=said)
    assert refused.status_code == 400
    assert [wrong["field"] for wrong in refused.json()["error"]["details"]] == ["note"]
    assert await running.poll(accepted) == decided
    opened = await review(running, accepted, said["decision"], note="Has a print after all")
    assert opened["final"] != decided["final"]


async def test_the_audit_log_keeps_every_decision_with_its_codes_and_reasons(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    await running.work()
    await review(running, accepted, "corrected", code=PLAIN, note="Plain white")
    await review(running, accepted, "corrected", code="6109.10.0040", note="For women")
    await review(running, accepted, "rejected", note="Not ours")
    query = "SELECT detail FROM audit_entries WHERE organization_id = :id AND subject = :one ORDER BY id"
    one = accepted["classifications"][0]["id"]
    assert [row["detail"] for row in await running.rows(query, id=running.organization_id, one=one)] == [
        "corrected, 6109.10.00.12 to 6109.10.00.04: Plain white",
        "corrected, 6109.10.00.04 to 6109.10.00.40: For women",
        "rejected, 6109.10.00.40 to no code: Not ours",
    ]


async def test_of_two_decisions_at_once_the_second_waits_and_meets_the_lock(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    await running.work()
    address = f"{accepted['classifications'][0]['poll_url']}/review"
    codes = ("6109100004", "6109100040")
    answers = await asyncio.gather(
        *(running.live.put(address, json={"decision": "corrected", "code": code}) for code in codes)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    [kept] = [answer.json()["final"]["code"] for answer in answers if answer.status_code == 200]
    assert (await running.poll(accepted))["final"]["code"] == kept
