"""One worker process: a Procrastinate worker for each queue, and the sweep, on one event loop.

The trap: slow webhook receivers must not take the places of analyses, so each queue has its own concurrency."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import Any

from opentelemetry.trace import SpanKind
from procrastinate import App
from procrastinate.app import WorkerOptions

from pcs.base import tracing
from pcs.base.database import conninfo
from pcs.base.errors import OperatorError
from pcs.base.metrics import Metrics
from pcs.base.queue import SteadyRetry, WatchedConnector
from pcs.base.settings import Settings
from pcs.base.tasks import ANALYSIS, DELIVERY, SIMULATION, Task
from pcs.bootstrap import Service, build_service, build_transport
from pcs.classifications.comparisons import COMPARE
from pcs.classifications.model import ANALYSE, SIMULATE, SIMULATIONS_AT_ONCE, Analyse
from pcs.promises.model import COMPUTE
from pcs.reviewer.assessment import Assessments
from pcs.uploads.model import SEND
from pcs.webhooks.model import DELIVER
from pcs.webhooks.transport import Transport
from pcs.worker.analyses import real, simulated
from pcs.worker.assessments import assessing_with
from pcs.worker.classifications import MOST_TOGETHER, ClassifyTask
from pcs.worker.comparisons import compare_task
from pcs.worker.promises import compute_task
from pcs.worker.sweep import sweep_forever
from pcs.worker.threads import FreshThreads
from pcs.worker.uploads import send_task
from pcs.worker.watching import WATCH, watch_task
from pcs.worker.webhooks import deliver_task

_LOOK_SECONDS = 1.0


class WorkerEndedError(OperatorError):
    """The process cannot go on; a fresh one can."""


def build_app(
    service: Service,
    analyse: Analyse,
    transport: Transport,
    executor: Executor,
    *,
    starter: Analyse,
    assessments: Assessments | None = None,
) -> App:
    """The Procrastinate app with every task of the service; the sandbox is answered from the `starter` schedule."""
    connector = WatchedConnector(
        conninfo=conninfo(service.settings.database_url), min_size=1, max_size=8, kwargs={"connect_timeout": 5}
    )
    app = App(connector=connector)
    assess = assessing_with(service, assessments) if assessments else None
    together = MOST_TOGETHER if assess is None else 1  # others would wait for a model's replies
    analysis = real(service, analyse, executor, assess)
    tasks: dict[Task, Callable[[str], Awaitable[None]]] = {
        ANALYSE: ClassifyTask(service, analysis, together=together, lost=connector.lost),
        SIMULATE: ClassifyTask(service, simulated(service, starter, executor), together=1, lost=connector.lost),
        DELIVER: deliver_task(service, transport),
        COMPARE: compare_task(service),
        WATCH: watch_task(service),
        COMPUTE: compute_task(service),
        SEND: send_task(service),
    }
    for task, function in tasks.items():
        app.task(name=task.name, queue=task.queue, retry=SteadyRetry())(_traced(task.name, function))
    return app


def _traced(name: str, function: Callable[[str], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """A task that goes on with the trace of whoever queued it."""

    async def run(subject: str, trace: Mapping[str, str] | None = None) -> None:
        with tracing.span(name, SpanKind.CONSUMER, after=trace) as span:
            span.set_attribute("pcs.subject", subject)
            await function(subject)

    return run


async def run_worker(
    settings: Settings,
    analyse: Analyse,
    *,
    starter: Analyse,
    assessments: Assessments | None = None,
    metrics: Metrics | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Work until `stop` is set, SIGTERM or SIGINT; then finish what is under way, or hand it back after a grace.

    Raises WorkerEndedError where only a fresh process can go on.
    """
    stop = stop or _stop_on_signals()
    service = build_service(settings, metrics)
    transport = build_transport(service)
    executor = FreshThreads()
    app = build_app(service, analyse, transport, executor, starter=starter, assessments=assessments)
    try:
        async with app.open_async():
            await _work(app, service, _until_stopped(stop), _until_worn(executor, settings), _until_lost(app))
    finally:
        if assessments:
            await assessments.reviewer.model.close()
        await transport.close()
        await service.database.close()


async def _work(app: App, service: Service, *ends: Coroutine[Any, Any, None]) -> None:
    """Run every queue and the sweep; when one of them or of `ends` ends, for whatever reason, end the others too."""
    settings = service.settings
    queues = {
        ANALYSIS: settings.analyses_at_once,
        SIMULATION: SIMULATIONS_AT_ONCE,
        DELIVERY: settings.delivery_concurrency,
    }
    working = (app.run_worker_async(**_options(settings, *queue)) for queue in queues.items())
    parts = [asyncio.create_task(part) for part in (*working, sweep_forever(service), *ends)]
    done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
    for part in parts:
        part.cancel()
    await asyncio.wait(parts)
    for part in done:
        part.result()


async def _until_stopped(stop: asyncio.Event) -> None:
    await stop.wait()


async def _until_worn(executor: FreshThreads, settings: Settings) -> None:
    """Until as many analyses hang as may run at once: a process cannot end its threads, but it can end itself."""
    limit = settings.analysis_limit_seconds + settings.stop_grace_seconds
    while executor.overdue(limit) < settings.analysis_concurrency:  # noqa: ASYNC110 (threads set no event)
        await asyncio.sleep(_LOOK_SECONDS)
    msg = "Analyses hang: this worker ends so that its supervisor starts a fresh one."
    raise WorkerEndedError(msg)


async def _until_lost(app: App) -> None:
    """Until the queue has missed the database."""
    assert isinstance(app.connector, WatchedConnector)
    await app.connector.lost.wait()
    msg = "The database was away: this worker ends so that its supervisor starts a fresh one."
    raise WorkerEndedError(msg)


def _options(settings: Settings, queue: str, concurrency: int) -> WorkerOptions:
    return WorkerOptions(
        queues=[queue],
        name=queue,
        concurrency=concurrency,
        fetch_job_polling_interval=settings.queue_poll_seconds,
        update_heartbeat_interval=settings.worker_heartbeat_seconds,
        stalled_worker_timeout=settings.worker_stalled_seconds,
        shutdown_graceful_timeout=settings.stop_grace_seconds,
        delete_jobs="successful",
        install_signal_handlers=False,
    )


def _stop_on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop
