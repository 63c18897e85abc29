"""From an accepted request to its final state."""

import asyncio
import threading

import pytest

from builders import ServiceUnderTest
from determinations import determine
from pcs.classifications import claims, endings
from pcs.classifications.model import MAX_ATTEMPTS
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName
from pcs.worker.sweep import sweep


class BrokenEngineError(Exception):
    pass


def break_down(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    raise BrokenEngineError(product, schedule)


async def test_a_classification_completes_with_result_and_usage(running: ServiceUnderTest) -> None:
    accepted = await running.classify(schedules=("US-HTS", "EU-CN"))
    await running.work()
    american, european = await running.poll(accepted, 0), await running.poll(accepted, 1)
    assert american["status"] == european["status"] == "completed"
    assert american["result"]["hts_code"] == "6109100012"
    assert american["result"]["hts_description"] == "T-shirts, knitted > Of cotton"
    assert american["result"]["supporting_rulings"] == ["N123456"]
    assert american["result"]["rulings"][0]["date"] == "2024-05-06"
    assert european["result"]["cn_code"] == "61091000"
    assert "hts_code" not in european["result"]
    assert american["usage"]["credits_consumed"] == 1
    assert american["usage"]["processing_time_ms"] >= 0
    assert american["completed_at"] >= american["created_at"]
    assert american["product"] == {"name": "T-shirt", "identifier": "SKU-1"}


async def test_goods_that_nobody_can_classify_fail_and_cost_a_credit(running: ServiceUnderTest) -> None:
    accepted = await running.classify(name="thing")
    await running.work()
    polled = await running.poll(accepted)
    assert polled["status"] == "failed"
    assert polled["error"] == {"code": "INSUFFICIENT_INFORMATION", "message": "Nothing is said about the goods."}
    assert "result" not in polled
    query = "SELECT credits FROM credit_entries WHERE organization_id = :id"
    assert await running.rows(query, id=running.organization_id) == [{"credits": 1}]


async def test_an_unknown_fault_is_tried_again_and_in_the_end_fails(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    for _ in range(MAX_ATTEMPTS + 1):
        running.clock.turn(minutes=2)
        await running.work(break_down)
    polled = await running.poll(accepted)
    assert polled["status"] == "failed"
    assert polled["error"]["code"] == "CLASSIFICATION_ERROR"
    assert "BrokenEngineError" not in polled["error"]["message"]


async def test_a_fault_that_passes_leaves_no_trace(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    await running.work(break_down)
    assert (await running.poll(accepted))["status"] == "processing"
    running.clock.turn(minutes=2)
    await running.work()
    assert (await running.poll(accepted))["status"] == "completed"


async def test_an_analysis_over_its_limit_fails_as_timed_out(running: ServiceUnderTest) -> None:
    release = threading.Event()

    def dawdle(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
        release.wait(10)
        return determine(product, schedule)

    object.__setattr__(running.service.settings, "analysis_limit_seconds", 0.05)
    try:
        accepted = await running.classify()
        await running.work(dawdle)
        assert (await running.poll(accepted))["error"]["code"] == "CLASSIFICATION_TIMEOUT"
    finally:
        object.__setattr__(running.service.settings, "analysis_limit_seconds", 120.0)
        release.set()


async def test_a_worker_that_lost_its_claim_changes_nothing(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    subject = accepted["classifications"][0]["id"]
    database, now = running.service.database, running.clock()
    async with database.begin() as transaction:
        [frozen] = await claims.claim(transaction, subject, now=now)
    async with database.begin() as transaction:
        [second] = await claims.claim(transaction, subject, now=now)
    determination = determine(Product("T-shirt"), ScheduleName.US_HTS)
    outcome = endings.outcome_of(determination, processing_time_ms=5)
    async with database.begin() as transaction:
        assert await endings.finish(transaction, [(second, outcome)], now=now) == {subject}
    async with database.begin() as transaction:
        assert await endings.finish(transaction, [(frozen, outcome)], now=now) == set()
        assert await claims.claim(transaction, subject, now=now) == []
    events = await running.rows("SELECT type FROM events WHERE subject_id = :id", id=subject)
    assert events == [{"type": "classification.completed"}]


async def test_a_classification_whose_job_is_lost_gets_another(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    lost = "DELETE FROM procrastinate_jobs WHERE id IN (SELECT job_id FROM classifications WHERE id = :id)"
    await running.run(lost, id=accepted["classifications"][0]["id"])
    await sweep(running.service)
    await running.work()
    assert (await running.poll(accepted))["status"] == "pending"
    running.clock.turn(minutes=3)
    await sweep(running.service)
    await running.work()
    assert (await running.poll(accepted))["status"] == "completed"


async def test_one_organization_s_heap_does_not_hold_up_another(running: ServiceUnderTest) -> None:
    for number in range(3):
        await running.classify(name=f"T-shirt {number}")
    query = """SELECT priority FROM procrastinate_jobs job JOIN classifications c ON c.job_id = job.id
                WHERE c.organization_id = :id ORDER BY c.id"""
    priorities = [row["priority"] for row in await running.rows(query, id=running.organization_id)]
    assert priorities == [0, -1, -2]
    await running.work()


async def test_the_sandbox_simulates_and_never_asks_the_engine(running: ServiceUnderTest) -> None:
    body = {"product": {"name": "Bicycle bell"}, "schedules": ["US-HTS", "EU-CN"]}
    answers = []
    for _ in range(2):
        accepted = (await running.sandbox.post("/api/v1/products/classify", json=body)).json()
        await running.work(break_down)
        answers.append((await running.sandbox.get(accepted["classifications"][0]["poll_url"])).json())
    assert answers[0]["status"] == "completed"
    assert answers[0]["result"] == answers[1]["result"]
    assert "sandbox" in answers[0]["result"]["reasoning"]
    assert answers[0]["usage"]["credits_consumed"] == 1


@pytest.mark.parametrize("name", ["see invoice", "N/A"])
async def test_the_sandbox_declines_what_names_no_goods(running: ServiceUnderTest, name: str) -> None:
    body = {"product": {"name": name}, "schedules": ["US-HTS"]}
    accepted = (await running.sandbox.post("/api/v1/products/classify", json=body)).json()
    await running.work(break_down)
    polled = (await running.sandbox.get(accepted["classifications"][0]["poll_url"])).json()
    assert polled["status"] == "failed"
    assert polled["error"]["code"] == "INSUFFICIENT_INFORMATION"


async def test_a_hundred_requests_at_once_are_all_done(running: ServiceUnderTest) -> None:
    await running.run("UPDATE api_keys SET rate_limit = 1000 WHERE organization_id = :id", id=running.organization_id)
    accepted = await asyncio.gather(*(running.classify(name=f"T-shirt {number}") for number in range(100)))
    await running.work()
    query = "SELECT status, count(*) FROM classifications WHERE organization_id = :id GROUP BY status"
    assert await running.rows(query, id=running.organization_id) == [{"status": "completed", "count": 100}]
    assert len({one["classifications"][0]["id"] for one in accepted}) == 100
