"""The job that analyses a classification, and others that wait behind it: claim, analyse with nothing open, finish.

The trap: one among many that cannot be analysed or stored, and takes the others with it; whatever goes wrong with
several, the others are left to whoever takes them next, each alone, and the job goes on with its own."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable, Sequence

import structlog

from pcs.base.errors import DamagedError
from pcs.bootstrap import Service
from pcs.classifications import claims as claiming
from pcs.classifications import endings
from pcs.classifications.model import Claim, Outcome, Status
from pcs.reviewer import service as reviewer

_log = structlog.get_logger(__name__)

Analysis = Callable[[Sequence[Claim]], Awaitable[list[Outcome]]]
"""How claims came out, in their order."""

MOST_TOGETHER = 32
_MOMENT_MS = 80.0  # whoever else asks for one waits for about half of it
_FORGET = 0.5  # of what was known of the pace, each time


class Pace:
    """How many a worker takes at once: as many as it analyses in a moment, by how long the latest took."""

    def __init__(self, most: int = MOST_TOGETHER) -> None:
        self._limit = most
        self._each_ms = _MOMENT_MS

    @property
    def most(self) -> int:
        """How many to take now."""
        return max(1, min(self._limit, int(_MOMENT_MS / self._each_ms)))

    def note(self, outcomes: Sequence[Outcome]) -> None:
        """Learn from what was analysed."""
        latest = statistics.fmean(max(1, one.processing_time_ms) for one in outcomes)
        self._each_ms += _FORGET * (latest - self._each_ms)


class ClassifyTask:
    """The task, which takes a classification's id and may run twice. Under a damaged schedule it waits, claimed by
    nobody, until that is mended. `lost` is set where others could not be left to anybody else."""

    def __init__(self, service: Service, analysis: Analysis, *, together: int, lost: asyncio.Event) -> None:
        """`together` is how many are analysed at once at most."""
        self._service = service
        self._analysis = analysis
        self._pace = Pace(together)
        self._lost = lost

    async def __call__(self, subject: str) -> None:
        """Do the job."""
        service = self._service
        async with service.database.begin() as transaction:
            claims = await claiming.claim(transaction, subject, now=service.clock(), most=self._pace.most)
        for claim in claims:
            _log.debug("classification claimed", id=claim.classification.id, attempt=claim.attempt)
            _note_waiting(service, claim)
        if len(claims) > 1:
            _log.debug("several claimed", number=len(claims))
            await self._together(claims)
        elif claims:
            await self._work(claims)

    async def _together(self, claims: Sequence[Claim]) -> None:
        try:
            await self._work(claims)
            _log.debug("several finished", number=len(claims))
        except DamagedError:
            raise
        except BaseException as error:
            await self._leave(claims[1:])
            if not isinstance(error, Exception):
                raise
            _log.warning("classifications are analysed one by one", number=len(claims), exc_info=True)
            await self._work(claims[:1])

    async def _work(self, claims: Sequence[Claim]) -> None:
        try:
            outcomes = await self._analysis(claims)
        except DamagedError as error:
            async with self._service.database.begin() as transaction:
                await claiming.give_back(transaction, claims)
            _log.error("classification waits", id=claims[0].classification.id, problem=str(error))
            raise
        self._pace.note(outcomes)
        for claim in claims:
            _log.debug("classification analysed", id=claim.classification.id)
        await self._finish(list(zip(claims, outcomes, strict=True)))

    async def _finish(self, analysed: Sequence[tuple[Claim, Outcome]]) -> None:
        now, kept = self._service.clock(), self._service.settings.reviewer_precedents
        async with self._service.database.begin() as transaction:
            stored = await endings.finish(transaction, analysed, now=now, keep_assessed=kept)
            for claim, outcome in analysed:
                one = claim.classification
                if one.id in stored and outcome.reviewer is not None:
                    await reviewer.settle(transaction, one.tenant, one.id, outcome.reviewer, now=now)
        for claim, outcome in analysed:
            finished = claim.classification.id in stored
            told = "classification finished" if finished else "classification lost to another worker"
            _log.info(told, id=claim.classification.id)
            if finished:
                _note_finished(self._service, claim, outcome)

    async def _leave(self, claims: Sequence[Claim]) -> None:
        """Leave claims to others; where that fails, only the end of this worker does it."""
        try:
            async with self._service.database.begin() as transaction:
                await claiming.leave(transaction, claims)
        except BaseException:
            self._lost.set()
            raise


def _note_waiting(service: Service, claim: Claim) -> None:
    waited = service.clock() - claim.classification.created_at
    environment = claim.classification.tenant.environment
    service.metrics.waiting_seconds.labels(environment).observe(max(0.0, waited.total_seconds()))


def _note_finished(service: Service, claim: Claim, outcome: Outcome) -> None:
    labels = (claim.classification.tenant.environment, claim.classification.schedule)
    status = Status.FAILED if outcome.failure else Status.COMPLETED
    service.metrics.finished.labels(*labels, status).inc()
    service.metrics.analysis_seconds.labels(*labels).observe(outcome.processing_time_ms / 1000)
