"""The job that analyses one classification: claim, analyse with nothing open, finish.

The trap: analysis is CPU work; on the event loop it would stop the heartbeat, so it runs in a thread."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

import structlog

from pcs.base.errors import DamagedError, NotFoundError
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.classifications.model import Analyse, Claim, Classification, Failure, FailureCode, Outcome, Status
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.promises.model import waiting
from pcs.reviewer import service as reviewer
from pcs.sandbox.simulation import Scenario, scenario_of, simulate
from pcs.worker.assessments import Assess
from pcs.worker.filed import beside, simulated_beside

_log = structlog.get_logger(__name__)


Analysis = Callable[[Claim], Awaitable[Outcome]]


def classify_task(service: Service, analysis: Analysis) -> Callable[[str], Awaitable[None]]:
    """The task, which takes a classification's id and may run twice. Under a damaged schedule it waits, claimed by
    nobody, until that is mended."""

    async def run(subject: str) -> None:
        async with service.database.begin() as transaction:
            claim = await classifications.claim(transaction, subject, now=service.clock())
        if claim is None:
            return
        _log.debug("classification claimed", id=subject, attempt=claim.attempt)
        _note_waiting(service, claim)
        try:
            outcome = await analysis(claim)
        except DamagedError as error:
            async with service.database.begin() as transaction:
                await classifications.give_back(transaction, claim)
            _log.error("classification waits", id=subject, problem=str(error))
            raise
        _log.debug("classification analysed", id=subject)
        async with service.database.begin() as transaction:
            kept = service.settings.reviewer_precedents
            finished = await classifications.finish(
                transaction, claim, outcome, now=service.clock(), keep_assessed=kept
            )
            if finished and outcome.reviewer is not None:
                whose = claim.classification.tenant
                await reviewer.settle(transaction, whose, subject, outcome.reviewer, now=service.clock())
        _log.info("classification finished" if finished else "classification lost to another worker", id=subject)
        if finished:
            _note_finished(service, claim.classification, outcome)

    return run


def _note_waiting(service: Service, claim: Claim) -> None:
    waited = service.clock() - claim.classification.created_at
    environment = claim.classification.tenant.environment
    service.metrics.waiting_seconds.labels(environment).observe(max(0.0, waited.total_seconds()))


def _note_finished(service: Service, finished: Classification, outcome: Outcome) -> None:
    labels = (finished.tenant.environment, finished.schedule)
    status = Status.FAILED if outcome.failure else Status.COMPLETED
    service.metrics.finished.labels(*labels, status).inc()
    service.metrics.analysis_seconds.labels(*labels).observe(outcome.processing_time_ms / 1000)


def real(service: Service, analyse: Analyse, executor: Executor, assess: Assess | None = None) -> Analysis:
    """The engine's analysis, off the event loop and with a limit; then the assessment, where there is one."""
    limit = service.settings.analysis_limit_seconds

    async def analysis(claim: Claim) -> Outcome:
        started, classification = time.monotonic(), claim.classification
        loop = asyncio.get_running_loop()
        product = _goods(classification, service.clock().date())
        work = loop.run_in_executor(executor, analyse, product, classification.schedule, claim.decided)
        try:
            found = await asyncio.wait_for(work, limit)
        except TimeoutError:
            failure = Failure(FailureCode.CLASSIFICATION_TIMEOUT, f"The analysis took longer than {limit:g} s.")
            return Outcome(processing_time_ms=_since(started), failure=failure)
        except NotFoundError as error:  # of the revision in force on the day of entry
            failure = Failure(FailureCode.CLASSIFICATION_ERROR, str(error))
            return Outcome(processing_time_ms=_since(started), failure=failure)
        determination, record = claim.terms.judged(found), None
        if assess is not None and not determination.is_repeated and product.in_force_on is None:
            assessed = await assess(classification, product, determination)
            determination, record = assessed.determination, assessed.record
        filed = None
        if classification.schedule in classification.goods.declared_codes:
            filed = await loop.run_in_executor(executor, beside, service.library, classification, determination)
        outcome = _outcome(claim, found, determination, _since(started))
        return dataclasses.replace(outcome, filed=filed, reviewer=record.document() if record else None)

    return analysis


def simulated(service: Service) -> Analysis:
    """The sandbox's answer, after a little while; the goods' identifier may ask for more than that."""
    settings = service.settings

    async def analysis(claim: Claim) -> Outcome:
        started, classification = time.monotonic(), claim.classification
        scenario = scenario_of(classification.goods.identifier)
        slow = scenario is Scenario.SLOW
        await asyncio.sleep(settings.sandbox_slow_seconds if slow else settings.sandbox_delay_seconds)
        if scenario is not None and scenario.failure is not None:
            return Outcome(processing_time_ms=_since(started), failure=scenario.failure)
        found = simulate(_goods(classification, service.clock().date()), classification.schedule, scenario)
        determination = claim.terms.judged(found) if claim.terms.threshold is not None else found
        outcome = _outcome(claim, found, determination, _since(started))
        return dataclasses.replace(outcome, filed=simulated_beside(classification, determination))

    return analysis


def _outcome(claim: Claim, engine: Determination, found: Determination, milliseconds: int) -> Outcome:
    """How the analysis ended; an answer that is drawn by chance waits for a person, however sure it is."""
    asked = claim.terms.asks_by_chance(claim.classification.id, engine, found)
    outcome = classifications.outcome_of(waiting(found) if asked else found, processing_time_ms=milliseconds)
    return dataclasses.replace(outcome, asked_by_chance=asked)


def _goods(classification: Classification, today: dt.date) -> Product:
    return classification.goods.described(today)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
