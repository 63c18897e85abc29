"""What a worker does with what it has claimed: the engine's analysis of live goods, the sandbox's simulated answers.

The trap: analysis is CPU work; on the event loop it would stop the heartbeat, so it runs in a thread."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial

from pcs.base.errors import NotFoundError
from pcs.bootstrap import Service
from pcs.classifications import endings
from pcs.classifications.model import Analyse, Claim, Classification, Failure, FailureCode, Outcome
from pcs.engine.determination import Determination
from pcs.engine.filed.comparison import Comparison
from pcs.engine.product import Product
from pcs.promises.model import waiting
from pcs.sandbox.simulation import Scenario, scenario_of, simulate
from pcs.worker.assessments import Assess
from pcs.worker.classifications import Analysis
from pcs.worker.filed import beside, simulated_beside


@dataclasses.dataclass(frozen=True, slots=True)
class _Analysed:
    """What the engine says of a claim's goods, or why it cannot, and the milliseconds that it took."""

    found: Determination | NotFoundError
    milliseconds: float


def real(service: Service, analyse: Analyse, executor: Executor, assess: Assess | None = None) -> Analysis:
    """The engine's analysis, off the event loop and with a limit; then the assessment, where there is one.

    Several that do not come to an end in time raise TimeoutError; one alone fails.
    """
    limit = service.settings.analysis_limit_seconds

    async def analysis(claims: Sequence[Claim]) -> list[Outcome]:
        started, today = time.monotonic(), service.clock().date()
        work = asyncio.get_running_loop().run_in_executor(executor, _analysed, analyse, claims, today)
        try:
            analysed = await asyncio.wait_for(work, limit)
        except TimeoutError:
            if len(claims) > 1:
                raise
            failure = Failure(FailureCode.CLASSIFICATION_TIMEOUT, f"The analysis took longer than {limit:g} s.")
            return [Outcome(processing_time_ms=_since(started), failure=failure)]
        return [await judged(claim, one, today) for claim, one in zip(claims, analysed, strict=True)]

    async def judged(claim: Claim, analysed: _Analysed, today: dt.date) -> Outcome:
        found, classification, began = analysed.found, claim.classification, time.monotonic()
        if isinstance(found, NotFoundError):  # of the revision in force on the day of entry
            failure = Failure(FailureCode.CLASSIFICATION_ERROR, str(found))
            return Outcome(processing_time_ms=round(analysed.milliseconds), failure=failure)
        determination, record = claim.terms.judged(found), None
        product = _goods(classification, today)
        if assess is not None and not determination.is_repeated and product.in_force_on is None:
            assessed = await assess(classification, product, determination)
            determination, record = assessed.determination, assessed.record
        filed = await _compared(service, executor, classification, determination)
        outcome = _outcome(claim, found, determination, round(analysed.milliseconds) + _since(began))
        return dataclasses.replace(outcome, filed=filed, reviewer=record.document() if record else None)

    return analysis


async def _compared(
    service: Service, executor: Executor, one: Classification, determination: Determination
) -> Comparison | None:
    if one.schedule not in one.goods.declared_codes:
        return None
    return await asyncio.get_running_loop().run_in_executor(executor, beside, service.library, one, determination)


def _analysed(analyse: Analyse, claims: Sequence[Claim], today: dt.date) -> list[_Analysed]:
    return [_one_analysed(analyse, claim, today) for claim in claims]


def _one_analysed(analyse: Analyse, claim: Claim, today: dt.date) -> _Analysed:
    started, one = time.monotonic(), claim.classification
    found: Determination | NotFoundError
    try:
        found = analyse(_goods(one, today), one.schedule, claim.decided)
    except NotFoundError as error:
        found = error
    return _Analysed(found, (time.monotonic() - started) * 1000)


def simulated(service: Service, starter: Analyse, executor: Executor) -> Analysis:
    """The sandbox's answers, after a little while; the goods' identifier may ask for more than that."""

    async def analysis(claims: Sequence[Claim]) -> list[Outcome]:
        return [await _simulated(service, starter, executor, claim) for claim in claims]

    return analysis


async def _simulated(service: Service, starter: Analyse, executor: Executor, claim: Claim) -> Outcome:
    settings, started, classification = service.settings, time.monotonic(), claim.classification
    scenario = scenario_of(classification.goods.identifier)
    slow = scenario is Scenario.SLOW
    await asyncio.sleep(settings.sandbox_slow_seconds if slow else settings.sandbox_delay_seconds)
    if scenario is not None and scenario.failure is not None:
        return Outcome(processing_time_ms=_since(started), failure=scenario.failure)
    goods = _goods(classification, service.clock().date())
    work = partial(simulate, goods, classification.schedule, scenario, starter=starter)
    found = await asyncio.get_running_loop().run_in_executor(executor, work)
    determination = claim.terms.judged(found) if claim.terms.threshold is not None else found
    outcome = _outcome(claim, found, determination, _since(started))
    return dataclasses.replace(outcome, filed=simulated_beside(classification, determination))


def _outcome(claim: Claim, engine: Determination, found: Determination, milliseconds: int) -> Outcome:
    """How the analysis ended; an answer that is drawn by chance waits for a person, however sure it is."""
    asked = claim.terms.asks_by_chance(claim.classification.id, engine, found)
    outcome = endings.outcome_of(waiting(found) if asked else found, processing_time_ms=milliseconds)
    return dataclasses.replace(outcome, asked_by_chance=asked)


def _goods(classification: Classification, today: dt.date) -> Product:
    return classification.goods.described(today)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
