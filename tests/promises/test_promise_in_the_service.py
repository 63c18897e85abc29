"""A promise in the service: what is drawn by chance waits, reviews bear a threshold, answers are taken by it, and
reviews that speak against it end it."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from builders import ServiceUnderTest, build_service_under_test
from determinations import determine, result_of, with_result
from pcs.base.tenancy import Environment, Tenant
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.evaluation.promise import Promise
from pcs.promises import service as promises
from pcs.tariff.revision import ScheduleName

PROMISE = {"right": 0.8, "digits": 6, "asked_share": 1.0}
ENOUGH = Promise(0.8).fewest
WRONG = "6205202016"


def as_named(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that is as sure, at every length, as the last word of the goods' name says."""
    found, share = determine(product, schedule), float(product.name.split()[-1])
    levels = tuple(dataclasses.replace(level, confidence=share) for level in result_of(found).hierarchy)
    return with_result(found, confidence=share, hierarchy=levels)


def doubted(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """The same with a reason of its own that a person should look."""
    return with_result(as_named(product, schedule), needs_review=True)


@pytest.fixture
async def neighbour(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


async def promised(running: ServiceUnderTest, **other: float) -> Any:
    response = await running.live.put("/api/v1/promise", json={**PROMISE, **other})
    assert response.status_code == 200, response.text
    await running.work()
    return await standing(running)


async def standing(running: ServiceUnderTest) -> Any:
    """What holds under the first schedule."""
    return (await running.live.get("/api/v1/promise")).json()["schedules"][0]


async def answered(
    running: ServiceUnderTest, *shares: float, engine: Any = as_named, client: httpx2.AsyncClient | None = None
) -> list[Any]:
    """Answers that are so sure, in this order."""
    goods = [{"name": f"T-shirt {share}"} for share in shares]
    client = client or running.live
    body = {"products": goods, "schedules": ["US-HTS"]}
    batch = (await client.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work(engine)
    polled = [(await client.get(f"/api/v1/classifications/{one['id']}")).json() for one in batch["classifications"]]
    return sorted(polled, key=lambda one: [goods["name"] for goods in goods].index(one["product"]["name"]))


async def review(running: ServiceUnderTest, found: list[Any], *, right: bool = True) -> None:
    """A person's word on answers, and the jobs that follow from it."""
    said: dict[str, Any] = {"decision": "accepted"} if right else {"decision": "corrected", "code": WRONG}
    for one in found:
        note = {"note": "Seen the sample"}
        response = await running.live.put(f"/api/v1/classifications/{one['id']}/review", json=said | note)
        assert response.status_code == 200, response.text
    await running.work(as_named)


async def stop_asking(running: ServiceUnderTest) -> None:
    """From here on nothing is drawn by chance, so that a test knows what becomes of an answer."""
    await running.run("UPDATE promises SET asked_share = 0 WHERE organization_id = :id", id=running.organization_id)


async def borne(running: ServiceUnderTest) -> list[Any]:
    """A promise that reviews bear from a confidence of 0.3 on."""
    await promised(running)
    found = await answered(running, *[0.3] * ENOUGH)
    await review(running, found)
    return found


async def test_what_is_drawn_by_chance_waits_and_is_marked_however_sure_it_is(running: ServiceUnderTest) -> None:
    [before] = await answered(running, 0.99)
    assert "asked_by_chance" not in before
    assert before["final"]["decided_by"] == "engine"
    told = await promised(running)
    assert (told["threshold"], told["reviewed"], told["missing"]) == (None, 0, ENOUGH)
    asked, unsure = await answered(running, 0.99, 0.2)
    assert [one["asked_by_chance"] for one in (asked, unsure)] == [True, True]
    assert [one["result"]["needs_review"] for one in (asked, unsure)] == [True, True]
    assert asked["final"] is None
    assert (await standing(running))["to_review"] == 2
    wanted = (await running.live.get("/api/v1/classifications", params={"needs_review": "true"})).json()["data"]
    assert {one["id"] for one in wanted} >= {asked["id"]}


async def test_what_nothing_but_a_person_could_decide_is_not_drawn(running: ServiceUnderTest) -> None:
    await promised(running)
    [doubtful] = await answered(running, 0.9, engine=doubted)
    [next_to_nothing] = await answered(running, 0.05)
    assert not any("asked_by_chance" in one for one in (doubtful, next_to_nothing))


async def test_reviews_bear_a_threshold_and_answers_are_taken_by_it(running: ServiceUnderTest) -> None:
    await promised(running)
    found = await answered(running, *[0.3] * ENOUGH)
    await review(running, found[1:])
    missing = await standing(running)
    assert (missing["threshold"], missing["reviewed"], missing["missing"]) == (None, ENOUGH - 1, 1)
    await review(running, found[:1])
    told = await standing(running)
    assert (told["threshold"], told["share"], told["reviewed"], told["missing"]) == (0.3, 1.0, ENOUGH, None)
    await stop_asking(running)
    taken, queued = await answered(running, 0.31, 0.29)
    assert (taken["result"]["needs_review"], taken["final"]["decided_by"]) == (False, "engine")
    assert (queued["result"]["needs_review"], queued["final"]) == (True, None)


async def test_until_reviews_bear_it_the_fixed_threshold_goes_on_working(running: ServiceUnderTest) -> None:
    await promised(running)
    await stop_asking(running)
    taken, queued = await answered(running, 0.51, 0.49)
    assert (taken["result"]["needs_review"], queued["result"]["needs_review"]) == (False, True)


async def test_an_answer_under_ten_percent_is_never_taken(running: ServiceUnderTest) -> None:
    await borne(running)
    await stop_asking(running)
    table = "UPDATE promise_thresholds SET threshold = 0.01 WHERE organization_id = :id"
    await running.run(table, id=running.organization_id)
    [next_to_nothing] = await answered(running, 0.05)
    assert (next_to_nothing["result"]["needs_review"], next_to_nothing["final"]) == (True, None)


async def test_reviews_that_speak_against_it_end_the_threshold_and_are_told(running: ServiceUnderTest) -> None:
    await borne(running)
    wrong = await answered(running, *[0.4] * ENOUGH)
    await review(running, wrong, right=False)
    told = await standing(running)
    assert told["threshold"] is None
    assert told["broken"]["threshold"] == 0.3
    assert told["broken"]["right"] < told["broken"]["reviewed"]
    query = "SELECT detail, actor FROM audit_entries WHERE organization_id = :id AND action LIKE '%was not kept'"
    [entry] = await running.rows(query, id=running.organization_id)
    assert entry["detail"].startswith("US-HTS (live): ")
    assert entry["actor"] == "the service"
    await stop_asking(running)
    [queued] = await answered(running, 0.45)
    assert queued["result"]["needs_review"], "the fixed threshold holds again"


async def test_a_review_that_is_changed_counts_as_it_is_now(running: ServiceUnderTest) -> None:
    found = await borne(running)
    await review(running, found[:3], right=False)
    assert (await standing(running))["threshold"] is None
    await review(running, found[:3])
    assert (await standing(running))["threshold"] == 0.3


async def test_only_what_was_drawn_is_evidence(running: ServiceUnderTest) -> None:
    chosen = await answered(running, *[0.95] * ENOUGH)
    await promised(running)
    await review(running, chosen)
    assert (await standing(running))["reviewed"] == 0


async def test_another_promise_begins_with_the_same_reviews_and_withdrawing_ends_it(running: ServiceUnderTest) -> None:
    await borne(running)
    more = await promised(running, right=0.99)
    assert (more["threshold"], more["reviewed"]) == (None, ENOUGH)
    assert more["missing"] > 0
    assert (await promised(running))["threshold"] == 0.3
    assert (await running.live.delete("/api/v1/promise")).status_code == 204
    assert (await running.live.get("/api/v1/promise")).status_code == 404
    assert (await running.live.delete("/api/v1/promise")).status_code == 404
    [queued] = await answered(running, 0.45)
    assert "asked_by_chance" not in queued
    assert queued["result"]["needs_review"]


async def test_a_promise_is_its_organization_s_and_its_environment_s(
    running: ServiceUnderTest, neighbour: ServiceUnderTest
) -> None:
    await borne(running)
    for stranger in (neighbour.live, running.sandbox):
        assert (await stranger.get("/api/v1/promise")).status_code == 404
        assert (await stranger.put("/api/v1/promise", json=PROMISE)).status_code == 200
        await neighbour.work()
        theirs = (await stranger.get("/api/v1/promise")).json()["schedules"][0]
        assert (theirs["threshold"], theirs["reviewed"], theirs["to_review"]) == (None, 0, 0)
    await stop_asking(neighbour)
    [theirs] = await answered(neighbour, 0.4)
    assert theirs["result"]["needs_review"], "our threshold takes nothing of theirs"
    assert (await neighbour.live.delete("/api/v1/promise")).status_code == 204
    assert (await standing(running))["threshold"] == 0.3


async def test_the_sandbox_draws_by_a_promise_of_its_own(running: ServiceUnderTest) -> None:
    assert (await running.sandbox.put("/api/v1/promise", json=PROMISE)).status_code == 200
    [asked] = await answered(running, 0.9, client=running.sandbox)
    assert (asked["asked_by_chance"], asked["result"]["needs_review"]) == (True, True)
    [live] = await answered(running, 0.9)
    assert "asked_by_chance" not in live


@pytest.mark.parametrize("body", [{"right": 1.0}, {"right": 95}, {"digits": 5}, {"asked_share": 0}, {"digits": "6"}])
async def test_what_cannot_be_promised_is_refused_with_what_to_do(running: ServiceUnderTest, body: Any) -> None:
    response = await running.live.put("/api/v1/promise", json=body)
    assert response.status_code == 400
    assert [wrong["field"] for wrong in response.json()["error"]["details"]] == [next(iter(body))]
    assert (await running.live.get("/api/v1/promise")).status_code == 404


async def test_a_job_that_runs_twice_or_without_a_promise_changes_nothing(running: ServiceUnderTest) -> None:
    await borne(running)
    before = await running.rows(
        "SELECT * FROM promise_thresholds WHERE organization_id = :id", id=running.organization_id
    )
    await compute(running)
    query = "SELECT * FROM promise_thresholds WHERE organization_id = :id"
    assert await running.rows(query, id=running.organization_id) == before
    await running.live.delete("/api/v1/promise")
    await compute(running)
    assert await running.rows(query, id=running.organization_id) == []


async def compute(running: ServiceUnderTest) -> None:
    async with running.service.database.begin() as transaction:
        subject = f"{running.organization_id}/live/US-HTS"
        await promises.compute(transaction, subject, now=running.clock())


async def test_the_terms_of_an_analysis_are_its_schedule_s(running: ServiceUnderTest) -> None:
    await borne(running)
    async with running.service.database.begin() as transaction:
        tenant = Tenant(running.organization_id, Environment.LIVE)
        both = [(tenant, schedule) for schedule in (ScheduleName.US_HTS, ScheduleName.EU_CN)]
        found, other = await promises.terms(transaction, both)
    assert (found.threshold, found.digits, found.review_below) == (0.3, 6, 0.5)
    assert (other.threshold, other.digits) == (None, 6)
