"""Durable jobs in the same database as the rows they are about (Procrastinate).

The traps: "commit, then enqueue" loses work in a crash, so a job is deferred on the rows' own connection; and a killed
worker's job stays `doing` for ever unless somebody sweeps."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from procrastinate import BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from sqlalchemy import Column, Exists, Text, cast, column, exists, table, text

from pcs.base.database import Transaction

ANALYSIS = "analysis"
SIMULATION = "simulation"
DELIVERY = "delivery"


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of job: the name that workers know, and the queue it waits in."""

    name: str
    queue: str


class SteadyRetry(BaseRetryStrategy):
    """Unknown faults are tried again after 1, 2, 4 … 60 seconds, for as long as the task itself does not end it.

    What a stopping worker hands back is cancelled, not faulty: another may take it at once.
    """

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        """When the next attempt starts, whatever the exception."""
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 0})
        return RetryDecision(retry_in={"seconds": min(2**job.attempts, 60)})


@dataclass(frozen=True, slots=True)
class Order:
    """One job to queue: the id it is about, how urgent it is (higher goes first), and its earliest start."""

    subject: str
    priority: int = 0
    at: dt.datetime | None = None


async def defer(transaction: Transaction, task: Task, orders: Sequence[Order]) -> list[int]:
    """Queue one job an order; they exist if and only if the transaction commits. Answers their numbers, in order."""
    if not orders:
        return []
    raw = await transaction.get_raw_connection()
    jobs = [
        Job(
            id=None,
            queue=task.queue,
            lock=None,
            queueing_lock=None,
            task_name=task.name,
            task_kwargs={"subject": order.subject},
            scheduled_at=order.at,
            priority=order.priority,
        )
        for order in orders
    ]
    manager = JobManager(connector=PsycopgConnector())
    queued = await manager.batch_defer_jobs_async(jobs, connection=raw.driver_connection)
    return [job.id for job in queued if job.id is not None]


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
