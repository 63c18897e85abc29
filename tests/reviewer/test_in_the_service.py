"""Assessments as the service's customers and operators see them: results, usage, budgets, metrics, the dashboard."""

import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from builders import ServiceUnderTest, build_service_under_test
from model_server import Asked, Fault, ModelServer, faithful, verdict
from pcs.engine.decided import Decided
from pcs.engine.product import Product
from pcs.engine.repeats import deciding, repeated
from pcs.reviewer.assessment import Assessments, Reviewer
from pcs.reviewer.conversation import LanguageModel
from pcs.reviewer.law import Law
from pcs.reviewer.model import AssessmentLimits, Budget, Prices
from pcs.tariff.code import Code
from pcs.worker.sweep import sweep
from pcs_client.models import Classification as ClientsOwn
from receiver import Receiver
from reviewer.small_law import MEN, WOMEN, determination, small_schedule

PRICES = Prices(Decimal(3), Decimal(15), "EUR")
REQUEST = Decimal("0.00045")  # 100 tokens in and 10 out at these prices

WithLimits = Callable[..., Assessments]


def engine(_: object, __: object, _decided: object = ()) -> Any:
    return determination()


@pytest.fixture
def assessments(openai_model: LanguageModel, law: Law, server: ModelServer) -> WithLimits:
    server.script = choosing_men

    def made(budget: Budget | None = None, **terms: Any) -> Assessments:
        reviewer = Reviewer(openai_model, AssessmentLimits("test-model", prices=PRICES, **terms))
        return Assessments(reviewer, lambda _, __: (law, (Code("6109"),)), budget or Budget())

    return made


@pytest.fixture
async def other(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization of the same service."""
    found = await build_service_under_test(running.service.settings, running.clock)
    yield found
    await found.close()


def choosing_men(asked: Asked) -> Any:
    answer = faithful(asked)
    return verdict(MEN) if isinstance(answer, dict) and "code" in answer else answer


async def test_an_assessment_shows_in_the_result_its_steps_and_what_it_took(
    running: ServiceUnderTest, assessments: WithLimits, server: ModelServer, receiver: Receiver
) -> None:
    plain = await running.classify(name="Women's T-shirt")
    await running.work(engine)
    without = await running.poll(plain)
    accepted = await running.classify(name="Men's T-shirt", options={"webhook_url": receiver.url})
    await running.work(engine, assessments=assessments())
    polled = await running.poll(accepted)
    assert polled["result"]["hts_code"] == MEN
    assert polled["result"].keys() == without["result"].keys()
    assert "A language model (test-model) assessed" in polled["result"]["reasoning"]
    requests = len(server.asked)
    took = {"requests": requests, "input_tokens": 100 * requests, "output_tokens": 10 * requests, "currency": "EUR"}
    asked = polled["usage"]["reviewer"]
    assert ClientsOwn.model_validate(polled).usage == polled["usage"]
    assert asked == {"model": "test-model", "ending": "changed", "cost": float(REQUEST * requests), **took}
    assert "reviewer" not in without["usage"]
    address = accepted["classifications"][0]["poll_url"]
    steps = (await running.live.get(f"{address}?expand=steps")).json()["steps"]
    assert [step["name"] for step in steps if step["name"].startswith("assessment")][-1] == "assessment: end"
    usage = (await running.live.get("/api/v1/usage")).json()["reviewer"]
    assert usage == {
        "cost": float(REQUEST * requests),
        "confirmed": 0,
        "changed": 1,
        "stood": 0,
        **took,
        "currency": "USD",
    }
    counted = running.service.metrics.exposition().decode()
    assert 'pcs_reviews_total{ending="changed",fault=""} 1.0' in counted
    assert f"pcs_review_requests_total {float(requests)}" in counted
    assert f'pcs_review_tokens_total{{direction="in"}} {float(100 * requests)}' in counted
    assert receiver.received[0].json["data"]["result"]["hts_code"] == MEN


async def test_a_server_that_fails_costs_a_customer_nothing_but_the_mark(
    running: ServiceUnderTest, assessments: WithLimits, server: ModelServer
) -> None:
    server.script = lambda _: Fault(401)
    accepted = await running.classify()
    await running.work(engine, assessments=assessments())
    polled = await running.poll(accepted)
    assert (polled["status"], polled["result"]["hts_code"]) == ("completed", WOMEN)
    assert "the engine's own answer is kept" in polled["result"]["reasoning"]
    assert polled["usage"]["reviewer"]["ending"] == "stood"
    assert "not accepted" in running.service.metrics.exposition().decode()


async def test_an_organization_s_budget_holds_for_it_alone_and_until_midnight(
    running: ServiceUnderTest, other: ServiceUnderTest, assessments: WithLimits
) -> None:
    within_budget = assessments(Budget(organization=REQUEST * 3))
    endings = []
    for customer in (running, running, other):
        accepted = await customer.classify()
        await customer.work(engine, assessments=within_budget, concurrency=1)
        polled = await customer.poll(accepted)
        endings.append((polled["usage"]["reviewer"]["ending"], polled["usage"]["reviewer"]["requests"]))
    assert endings == [("stood", 3), ("stood", 0), ("stood", 3)]
    assert "the day's budget is spent" in polled["result"]["reasoning"]
    running.clock.turn(days=1)
    await running.work(engine, assessments=within_budget)
    accepted = await running.classify()
    await running.work(engine, assessments=within_budget)
    assert (await running.poll(accepted))["usage"]["reviewer"]["requests"] == 3


async def test_the_whole_day_s_budget_holds_for_everybody(
    running: ServiceUnderTest, other: ServiceUnderTest, assessments: WithLimits
) -> None:
    running.clock.turn(days=30)
    for customer, requests in ((running, 4), (other, 0)):
        accepted = await customer.classify()
        await customer.work(engine, assessments=assessments(Budget(day=REQUEST * 4)))
        assert (await customer.poll(accepted))["usage"]["reviewer"]["requests"] == requests


async def test_what_the_engine_is_sure_of_is_not_asked(
    running: ServiceUnderTest, assessments: WithLimits, server: ModelServer
) -> None:
    accepted = await running.classify()
    await running.work(lambda _, __, ___: determination(confidence=0.9), assessments=assessments(ask_below=0.8))
    polled = await running.poll(accepted)
    assert polled["result"]["hts_code"] == WOMEN
    assert "reviewer" not in polled["usage"]
    assert not server.asked


async def test_the_sandbox_never_asks_a_model(
    running: ServiceUnderTest, assessments: WithLimits, server: ModelServer
) -> None:
    body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
    accepted = (await running.sandbox.post("/api/v1/products/classify", json=body)).json()
    await running.work(engine, assessments=assessments())
    polled = (await running.sandbox.get(accepted["classifications"][0]["poll_url"])).json()
    assert polled["status"] == "completed"
    assert not server.asked


async def test_replies_of_what_never_ended_are_forgotten_after_a_week(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    subject = accepted["classifications"][0]["id"]
    await running.run(
        "INSERT INTO reviewer_replies VALUES (:id, 'digest', :organization, 'live', '{}', :now)",
        id=subject,
        organization=running.organization_id,
        now=running.clock(),
    )
    query = "SELECT 1 FROM reviewer_replies WHERE classification_id = :id"
    await sweep(running.service)
    assert await running.rows(query, id=subject)
    running.clock.turn(days=8)
    await sweep(running.service)
    assert not await running.rows(query, id=subject)


async def test_what_a_model_decided_decides_the_same_goods_where_the_operator_wants_it(
    running: ServiceUnderTest, assessments: WithLimits, server: ModelServer
) -> None:
    async def asked_again() -> tuple[int, Any]:
        before = len(server.asked)
        accepted = await running.classify(name="Men's T-shirt, slub")
        await running.work(repeating, assessments=assessments())
        return len(server.asked) - before, await running.poll(accepted)

    def repeating(product: Product, _: object, decided: Sequence[Decided] = ()) -> Any:
        known = [one.under(small_schedule()) for one in decided]
        found = determination()
        return repeated(found, product, known, small_schedule()) if deciding(known) else found

    for wanted, requests in ((False, True), (True, True), (True, False)):
        settings = dataclasses.replace(running.service.settings, reviewer_precedents=wanted)
        running.service = dataclasses.replace(running.service, settings=settings)
        asked, polled = await asked_again()
        assert bool(asked) is requests, wanted
    assert polled["result"]["hts_code"] == MEN
    assert [one["by_model"] for one in polled["result"]["precedents"]] == [True]
    assert polled["result"]["needs_review"] is True, "it is not the engine's own, and nobody has looked"
    assert polled["final"] is None
    [kept] = (await running.live.get("/api/v1/decisions")).json()["data"]
    assert (kept["source"], kept["decided_by"]) == ("assessment", "test-model")
