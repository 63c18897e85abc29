"""Answers to the questions of a result: a new classification takes the old one's place, once, for one credit."""

import asyncio
import re
from typing import Any

import pytest

from builders import ServiceUnderTest
from determinations import OUTER, VALUE, ask

SAID = {"question": OUTER.id, "option": "leather"}


async def asked(running: ServiceUnderTest, **fields: Any) -> str:
    """The id of a classification with questions."""
    accepted = await running.classify(schedules=("US-HTS",), **fields)
    await running.work(ask)
    return str(accepted["classifications"][0]["id"])


def path(classification_id: str) -> str:
    return f"/api/v1/classifications/{classification_id}"


async def spent(running: ServiceUnderTest) -> int:
    return int((await running.live.get("/api/v1/usage")).json()["credits_consumed"])


async def queue(running: ServiceUnderTest) -> list[str]:
    listed = await running.live.get("/api/v1/classifications", params={"needs_review": "true"})
    return [one["id"] for one in listed.json()["data"]]


async def test_an_answer_makes_a_classification_that_takes_the_old_ones_place(running: ServiceUnderTest) -> None:
    old = await asked(running)
    before = (await running.live.get(path(old))).json()
    assert [question["id"] for question in before["result"]["questions"]] == [OUTER.id, VALUE.id]
    assert await queue(running) == [old]
    sent = await running.live.post(f"{path(old)}/answers", json={"answers": [SAID]})
    assert sent.status_code == 202
    assert sent.json()["supersedes"] == old
    [stub] = sent.json()["classifications"]
    assert await queue(running) == []
    await running.work(ask)
    new = (await running.live.get(path(stub["id"]))).json()
    assert new["supersedes"] == old
    assert new["product_id"] == before["product_id"]
    assert new["product"] == before["product"] | {"attributes": {"outer surface": "leather"}}
    assert new["result"]["confidence"] == 0.76
    after = (await running.live.get(path(old))).json()
    assert after == before | {"superseded_by": stub["id"]}
    assert "attributes" not in (await running.live.get(f"/api/v1/products/{new['product_id']}")).json()
    assert await spent(running) == 2


async def test_a_result_is_answered_once_and_the_second_is_not_charged(running: ServiceUnderTest) -> None:
    old = await asked(running)
    both = await asyncio.gather(
        *(running.live.post(f"{path(old)}/answers", json={"answers": [SAID]}) for _ in range(2))
    )
    assert sorted(answer.status_code for answer in both) == [202, 409]
    assert await spent(running) == 2
    links = "SELECT id FROM classifications WHERE supersedes = :old"
    assert len(await running.rows(links, old=old)) == 1
    await running.work(ask)
    assert await spent(running) == 2


async def test_the_same_key_gets_the_same_answer_again(running: ServiceUnderTest) -> None:
    old, headers = await asked(running), {"Idempotency-Key": "answers-1"}
    first, again = [
        await running.live.post(f"{path(old)}/answers", json={"answers": [SAID]}, headers=headers) for _ in range(2)
    ]
    assert first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert await spent(running) == 2


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ([{"question": "unknown", "option": "leather"}], "answers[0].question"),
        ([{"question": OUTER.id, "option": "wood"}], "answers[0].option"),
        ([{"question": OUTER.id}], "answers[0]"),
        ([{"question": OUTER.id, "option": "leather", "text": "suede"}], "answers[0]"),
        ([SAID, {"question": OUTER.id, "text": "suede"}], "answers[1].question"),
        ([{"question": OUTER.id, "text": "x" * 501}], "answers[0].text"),
        ([], "answers"),
    ],
)
async def test_what_answers_no_question_is_a_400_and_changes_nothing(
    running: ServiceUnderTest, answers: list[dict[str, str]], field: str
) -> None:
    old = await asked(running)
    refused = await running.live.post(f"{path(old)}/answers", json={"answers": answers})
    assert refused.status_code == 400
    assert [detail["field"] for detail in refused.json()["error"]["details"]] == [field]
    assert await spent(running) == 1
    assert "superseded_by" not in (await running.live.get(path(old))).json()


async def test_what_asks_nothing_cannot_be_answered(running: ServiceUnderTest) -> None:
    accepted = await running.classify(schedules=("US-HTS",))
    one = accepted["classifications"][0]["id"]
    pending = await running.live.post(f"{path(one)}/answers", json={"answers": [SAID]})
    await running.work()
    sure = await running.live.post(f"{path(one)}/answers", json={"answers": [SAID]})
    assert [pending.status_code, sure.status_code] == [409, 409]
    assert re.search("no questions", sure.json()["error"]["message"])


async def test_answers_to_questions_of_one_name_stand_together(running: ServiceUnderTest) -> None:
    old = await asked(running, product={"name": "Handbag", "attributes": {"value": "EUR 18"}})
    sent = await running.live.post(
        f"{path(old)}/answers", json={"answers": [SAID, {"question": VALUE.id, "text": "19 USD"}]}
    )
    [stub] = sent.json()["classifications"]
    goods = (await running.live.get(path(stub["id"]))).json()["product"]
    assert goods["attributes"] == {"outer surface": "leather", "value": "19 USD; EUR 18"}
