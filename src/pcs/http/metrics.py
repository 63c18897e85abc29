"""`/metrics` for Prometheus: what this host's processes counted, and what the database knows of the whole service.

The trap: a gauge that each process keeps for itself, such as how many classifications wait; the database is asked. So
every host shows the same gauges (take their maximum) and its own counters (add them up)."""

from __future__ import annotations

import asyncio
import importlib.metadata

from fastapi import APIRouter, Request
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.metrics import CONTENT_TYPE
from pcs.base.queue import jobs_by_state, workers_alive
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.webhooks import service as webhooks

router = APIRouter(include_in_schema=False)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Everything, in Prometheus' text format; without a database the counters, and `pcs_database_up 0`."""
    service: Service = request.state.service
    up = GaugeMetricFamily("pcs_database_up", "Whether the database answers.")
    shared: list[Metric] = [up, _build()]
    try:
        async with service.database.begin() as transaction:
            shared += await _state(transaction, service)
        up.add_metric([], 1)
    except (SQLAlchemyError, TimeoutError):
        up.add_metric([], 0)
    return Response(await asyncio.to_thread(service.metrics.exposition, shared), media_type=CONTENT_TYPE)


def _build() -> Metric:
    build = GaugeMetricFamily("pcs_build_info", "Which version answers.", labels=["version"])
    build.add_metric([importlib.metadata.version("pcs")], 1)
    return build


async def _state(transaction: Transaction, service: Service) -> list[Metric]:
    """What waits, for how long, and who works."""
    now = service.clock()
    labels = ["environment", "status"]
    waiting = GaugeMetricFamily("pcs_classifications_open", "Classifications that are not final.", labels=labels)
    oldest = GaugeMetricFamily("pcs_classifications_oldest_seconds", "Age of the oldest of them.", labels=labels)
    for environment, status, number, since in await classifications.open_by_state(transaction):
        waiting.add_metric([environment, status], number)
        oldest.add_metric([environment, status], (now - since).total_seconds())
    deliveries = GaugeMetricFamily("pcs_deliveries_open", "Webhook deliveries that have not ended.", labels=labels)
    for environment, status, number in await webhooks.open_by_state(transaction):
        deliveries.add_metric([environment, status], number)
    jobs = GaugeMetricFamily("pcs_jobs", "Jobs, by queue and state.", labels=["queue", "status"])
    for queue, state, number in await jobs_by_state(transaction):
        jobs.add_metric([queue, state], number)
    alive = await workers_alive(transaction, silence=service.settings.worker_stalled_seconds)
    workers = GaugeMetricFamily(
        "pcs_queue_workers", "Queue workers with a recent heartbeat; each worker process has three.", alive
    )
    return [waiting, oldest, deliveries, jobs, workers]
