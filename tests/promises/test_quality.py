"""How right answers are: by confidence, chapter and month, from the reviews of what was drawn by chance alone."""

from typing import Any

import pytest
from scipy.stats import binomtest

from builders import ServiceUnderTest
from pcs.evaluation.promise import Promise
from promises.test_promise_in_the_service import answered, as_named, promised, review


async def quality(running: ServiceUnderTest) -> Any:
    response = await running.live.get("/api/v1/quality")
    assert response.status_code == 200, response.text
    return response.json()["schedules"][0]


async def test_nothing_reviewed_says_how_many_reviews_a_promise_takes(running: ServiceUnderTest) -> None:
    found = await quality(running)
    assert (found["schedule"], found["answers"], found["missing"]) == ("US-HTS", 0, Promise().fewest)
    assert found["precision"] == {"reviewed": 0, "right": 0, "share": None, "lower": 0.0, "upper": 1.0}
    assert found["bands"] == found["chapters"] == found["months"] == []


async def test_shares_stand_by_confidence_chapter_and_month_with_their_intervals(running: ServiceUnderTest) -> None:
    chosen = await answered(running, 0.95)
    await promised(running)
    sure, unsure = await answered(running, *[0.95] * 4), await answered(running, *[0.55] * 2)
    await review(running, [*chosen, *sure, unsure[0]])
    await review(running, unsure[1:], right=False)
    found = await quality(running)
    assert (found["answers"], found["taken"], found["reviewed"], found["open"]) == (7, 0, 7, 0)
    bands = [(band["confidence"], band["reviewed"], band["right"]) for band in found["bands"]]
    assert bands == [(0.5, 2, 1), (0.9, 4, 4)]
    theirs = binomtest(5, 6).proportion_ci(0.9)
    assert (found["precision"]["reviewed"], found["precision"]["right"]) == (6, 5), "what people chose is no evidence"
    assert (found["precision"]["lower"], found["precision"]["upper"]) == pytest.approx((theirs.low, theirs.high))
    [chapter], [month] = found["chapters"], found["months"]
    assert (chapter["name"], chapter["answers"]) == ("61", 7)
    assert chapter["precision"] == month["precision"] == found["without_decisions"] == found["precision"]
    assert month["name"] == f"{running.clock():%Y-%m}"


async def test_what_was_taken_and_what_repeats_a_decision_is_told_apart(running: ServiceUnderTest) -> None:
    await answered(running, 0.9, 0.2)
    [repeated] = await answered(running, 0.9)
    await running.run("UPDATE classifications SET decided_by = 'precedent' WHERE id = :id", id=repeated["id"])
    found = await quality(running)
    assert (found["taken"], found["repeated"], found["reviewed"], found["open"]) == (1, 1, 0, 1)


async def test_another_s_answers_and_reviews_are_none_of_it(running: ServiceUnderTest) -> None:
    await promised(running)
    await review(running, await answered(running, 0.9))
    theirs = (await running.sandbox.get("/api/v1/quality")).json()["schedules"][0]
    assert (theirs["answers"], theirs["precision"]["reviewed"]) == (0, 0)
    assert (await quality(running))["precision"]["reviewed"] == 1


async def test_decisions_on_goods_near_are_held_against_those_without(running: ServiceUnderTest) -> None:
    await promised(running)
    helped, alone = await answered(running, 0.9, 0.8)
    path = "'{precedents}', '[{\"applied\": true}]'"
    await running.run(f"UPDATE classifications SET result = jsonb_set(result, {path}) WHERE id = :id", id=helped["id"])
    await running.work(as_named)
    for one, decision in ((helped, "accepted"), (alone, "rejected")):
        query = """INSERT INTO reviews SELECT id, organization_id, environment, :decision, NULL, NULL, 'a test', now()
                     FROM classifications WHERE id = :id"""
        await running.run(query, id=one["id"], decision=decision)
    found = await quality(running)
    assert [(found[name]["reviewed"], found[name]["right"]) for name in ("with_decisions", "without_decisions")] == [
        (1, 1),
        (1, 0),
    ]
