"""The job that analyses one classification: claim, analyse with nothing open, finish.

The trap: analysis is CPU work; on the event loop it would stop the heartbeat, so it runs in a thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

import structlog

from pcs.base.tenancy import Environment
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.classifications.model import Analyse, Claim, Classification, Failure, FailureCode, Outcome
from pcs.classifications.simulation import simulate
from pcs.engine.product import Product

_log = structlog.get_logger(__name__)


def analyse_task(service: Service, analyse: Analyse, executor: Executor) -> Callable[[str], Awaitable[None]]:
    """The task, which takes a classification's id and may run twice."""

    async def run(subject: str) -> None:
        async with service.database.begin() as transaction:
            claim = await classifications.claim(transaction, subject, now=service.clock())
        if claim is None:
            return
        outcome = await _outcome(service, claim, analyse, executor)
        async with service.database.begin() as transaction:
            finished = await classifications.finish(transaction, claim, outcome, now=service.clock())
        _log.info("classification finished" if finished else "classification lost to another worker", id=subject)

    return run


async def _outcome(service: Service, claim: Claim, analyse: Analyse, executor: Executor) -> Outcome:
    started = time.monotonic()
    chosen = analyse
    if claim.classification.tenant.environment is Environment.TEST:
        await asyncio.sleep(service.settings.sandbox_delay_seconds)
        chosen = simulate
    goods = _goods(claim.classification)
    loop = asyncio.get_running_loop()
    work = loop.run_in_executor(executor, chosen, goods, claim.classification.schedule)
    limit = service.settings.analysis_limit_seconds
    try:
        determination = await asyncio.wait_for(work, limit)
    except TimeoutError:
        failure = Failure(FailureCode.CLASSIFICATION_TIMEOUT, f"The analysis took longer than {limit:g} s.")
        return Outcome(processing_time_ms=_since(started), failure=failure)
    return classifications.outcome_of(determination, processing_time_ms=_since(started))


def _goods(classification: Classification) -> Product:
    goods = classification.goods
    return Product(goods.name, goods.description or "", goods.country_of_origin)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
