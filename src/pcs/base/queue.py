"""Durable jobs in the same database as the rows they are about (Procrastinate).

The traps: "commit, then enqueue" loses work in a crash, so a job is deferred on the rows' own connection; and a killed
worker's job stays `doing` for ever unless somebody sweeps."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from procrastinate import BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from sqlalchemy import Column, Exists, Text, cast, column, exists, table, text

from pcs.base import tracing
from pcs.base.database import Prepared, Transaction, announce
from pcs.base.tasks import QUEUES, Task

_NEW_JOB = '{"type": "job_inserted"}'  # as the queue's own trigger says it, which migration 0008 has switched off


class SteadyRetry(BaseRetryStrategy):
    """Unknown faults are tried again after 1, 2, 4 … 60 seconds, for as long as the task itself does not end it.

    What a stopping worker hands back is cancelled, not faulty: another may take it at once.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """When the next attempt starts, whatever the exception."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        return RetryDecision(retry_in={"seconds": min(2**job.attempts, 60)})


class WatchedConnector(PsycopgConnector):
    """The queue's connections, which remember in `lost` that the database was away.

    The queue does not recover from that by itself: a heartbeat or a listener that fails is not begun again, and a job
    whose end cannot be written stays `doing` under a worker that lives. So its process ends, and a fresh one begins.
    """

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 (psycopg's pool's own)
        super().__init__(**options)
        self.lost = asyncio.Event()

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:  # noqa: ANN401
        """See the base class."""
        with self._watching():
            await super().execute_query_async(query, **arguments)

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
        """See the base class."""
        with self._watching():
            row: dict[str, Any] = await super().execute_query_one_async(query, **arguments)
            return row

    async def execute_query_all_async(
        self,
        query: LiteralString,
        **arguments: Any,  # noqa: ANN401
    ) -> list[dict[str, Any]]:
        """See the base class."""
        with self._watching():
            rows: list[dict[str, Any]] = await super().execute_query_all_async(query, **arguments)
            return rows

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """See the base class."""
        with self._watching():
            await super().listen_notify(on_notification, channels)

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        try:
            yield
        except ConnectorException as error:
            if type(error) is ConnectorException:  # not an answer such as NoResult
                self.lost.set()
            raise


@dataclass(frozen=True, slots=True)
class Order:
    """One job to queue: the id it is about, how urgent it is (higher goes first), and its earliest start."""

    subject: str
    priority: int = 0
    at: dt.datetime | None = None


def deferring(behind: str = "0") -> str:
    """SQL that queues one job an order: rows of `id` and `place`, 1 for the first order; `ordered` makes its arguments.

    `behind` is SQL of how much less urgent each is than its order says. Whoever sends it calls `wake`.
    """
    return f"""
        SELECT id, place FROM unnest(procrastinate_defer_jobs_v1(ARRAY(
            SELECT ROW(:queue, :task, o.priority - CAST(({behind}) AS integer), NULL, NULL,
                       jsonb_build_object('subject', o.subject) || CAST(:trace AS jsonb), o.at
                   )::procrastinate_job_to_defer_v1
              FROM unnest(CAST(:subjects AS text[]), CAST(:priorities AS integer[]), CAST(:ats AS timestamptz[]))
                   WITH ORDINALITY AS o (subject, priority, at, place)
             ORDER BY o.place))) WITH ORDINALITY AS job (id, place)
    """  # noqa: S608 (SQL of ours)


def ordered(task: Task, orders: Sequence[Order]) -> dict[str, object]:
    """The arguments of `deferring`."""
    trace = {"trace": carried} if (carried := tracing.carried()) else {}
    return {
        "queue": task.queue,
        "task": task.name,
        "trace": json.dumps(trace),
        "subjects": [order.subject for order in orders],
        "priorities": [order.priority for order in orders],
        "ats": [order.at for order in orders],
    }


def wake(transaction: Transaction, task: Task) -> None:
    """Have a worker look for the task when the transaction has committed."""
    announce(transaction, f"procrastinate_queue_v1#{task.queue}", _NEW_JOB)


_DEFER = Prepared(text(deferring()))


async def defer(transaction: Transaction, task: Task, orders: Sequence[Order]) -> list[int]:
    """Queue one job an order; they exist if and only if the transaction commits. Answers their numbers, in order."""
    if not orders:
        return []
    rows = await _DEFER.rows(transaction, **ordered(task, orders))
    wake(transaction, task)
    return [row["id"] for row in rows]


LOOKED_AT = 64
"""Jobs that wait next, of which one that begins may take more of its kind."""


def taking(which: str) -> str:
    """SQL that begins with `WITH` and has a job take more to do: the rows `taken` of `id`, `subject` and `place`.

    `which` is SQL that has a row where it may take `waiting.subject`; of those among the next `LOOKED_AT` it takes
    half, from the front, so that others who look have as much to do. They run as jobs of the same worker, and when that
    dies they are put back; who has done them calls `end`, who has not calls `put_back`. Its arguments are `taken`.
    """
    return f"""
    WITH waiting AS (
        SELECT id, args ->> 'subject' AS subject, priority FROM procrastinate_jobs
         WHERE status = 'todo' AND queue_name = :queue AND task_name = :task
           AND (scheduled_at IS NULL OR scheduled_at <= now())
         ORDER BY priority DESC, id LIMIT {LOOKED_AT}),
    wanted AS (
        SELECT id, row_number() OVER (ORDER BY priority DESC, id) AS place, count(*) OVER () AS number
          FROM waiting WHERE EXISTS ({which})),
    free AS (
        SELECT job.id, wanted.place FROM wanted JOIN procrastinate_jobs job ON job.id = wanted.id
         WHERE wanted.place <= least(CAST(:most AS integer), wanted.number / 2) AND job.status = 'todo'
           FOR UPDATE OF job SKIP LOCKED),
    taken AS (
        UPDATE procrastinate_jobs job
           SET status = 'doing', worker_id = (SELECT worker_id FROM procrastinate_jobs WHERE id = :beside)
          FROM free WHERE job.id = free.id RETURNING job.id, job.args ->> 'subject' AS subject, free.place)
    """  # noqa: S608 (SQL of ours)


def taken(task: Task, *, beside: int, most: int) -> dict[str, object]:
    """The arguments of `taking`: at most so many, beside the job with this number."""
    return {"queue": task.queue, "task": task.name, "beside": beside, "most": most}


_END = Prepared(text("DELETE FROM procrastinate_jobs WHERE id = ANY(CAST(:jobs AS bigint[]))"))
_PUT_BACK = Prepared(
    text("""
    SELECT procrastinate_retry_job_v2(id, now(), NULL, NULL, NULL) FROM procrastinate_jobs
     WHERE id = ANY(CAST(:jobs AS bigint[])) AND status = 'doing'
    """)
)


async def end(transaction: Transaction, jobs: Sequence[int]) -> None:
    """Forget jobs that were taken and are done."""
    if jobs:
        await _END.post(transaction, jobs=list(jobs))


async def put_back(transaction: Transaction, task: Task, jobs: Sequence[int]) -> None:
    """Let others take jobs that were taken and are not done."""
    if jobs:
        await _PUT_BACK.post(transaction, jobs=list(jobs))
        wake(transaction, task)


_GO_ON = Prepared(
    text("""
    UPDATE procrastinate_jobs SET args = jsonb_build_object('subject', CAST(:subject AS text))
     WHERE id = :job AND status = 'doing'
    """)
)


async def go_on(transaction: Transaction, job: int, subject: str) -> bool:
    """Have a job that runs be about something else from now on; False where it runs no more.

    Whoever runs it does that next, and whoever does it again, after a crash or a fault, does that alone.
    """
    return await _GO_ON.run(transaction, job=job, subject=subject) == 1


_JOBS = table("procrastinate_jobs", column("id"), column("status"))


def is_queued(job_id: Column[int] | Column[int | None]) -> Exists:
    """The condition that a job with this number waits or runs."""
    alive = cast(_JOBS.c.status, Text).in_(("todo", "doing"))
    return exists().where(_JOBS.c.id == job_id, alive)


_RESCUE = text("""
    SELECT job.id, procrastinate_retry_job_v2(job.id, now(), NULL, NULL, NULL)
      FROM (SELECT job.id FROM procrastinate_jobs job
              LEFT JOIN procrastinate_workers worker ON worker.id = job.worker_id
             WHERE job.status = 'doing'
               AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => :silence))
               FOR UPDATE OF job SKIP LOCKED) job
""")


async def rescue_stalled(transaction: Transaction, *, silence: float) -> int:
    """Put back the jobs of workers silent for `silence` seconds; answers how many. Any number may sweep at once."""
    return len((await transaction.execute(_RESCUE, {"silence": silence})).all())


_ALIVE = text(
    "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - make_interval(secs => :silence)"
)


async def workers_alive(transaction: Transaction, *, silence: float) -> int:
    """How many queue workers were heard of in the last `silence` seconds; a process has one a queue."""
    alive: int = (await transaction.execute(_ALIVE, {"silence": silence})).scalar_one()
    return alive


async def processes_alive(transaction: Transaction, *, silence: float) -> int:
    """How many worker processes were heard of in the last `silence` seconds."""
    return await workers_alive(transaction, silence=silence) // len(QUEUES)


_JOBS_BY_STATE = text("SELECT queue_name, status::text, count(*) FROM procrastinate_jobs GROUP BY 1, 2")


async def jobs_by_state(transaction: Transaction) -> list[tuple[str, str, int]]:
    """Queue, state (`todo`, `doing`, `failed`, …) and how many jobs; those that succeeded are gone."""
    return [(row[0], row[1], row[2]) for row in await transaction.execute(_JOBS_BY_STATE)]
