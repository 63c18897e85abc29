"""Settings in, running parts out: the only module that knows every concrete class.

The trap: a part that finds its own settings; here is the one place where an installation is put together."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from sqlalchemy.exc import SQLAlchemyError

from pcs.base.bells import Bells
from pcs.base.clock import Clock, SharedClock
from pcs.base.database import Database
from pcs.base.errors import DamagedError
from pcs.base.metrics import Metrics
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.queue import workers_alive
from pcs.base.secrets import Secrets, kept_secret
from pcs.base.settings import Settings
from pcs.base.tables import is_current
from pcs.base.tenancy import Environment
from pcs.classifications.estimates import Estimates
from pcs.classifications.finals import Finals
from pcs.classifications.model import SIMULATIONS_AT_ONCE, Analyse
from pcs.engine.decided import Decided
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.requests.recorder import Recorder
from pcs.schedules.library import Library
from pcs.schedules.searching import Searcher
from pcs.tariff.revision import ScheduleName
from pcs.webhooks.addresses import AddressPolicy
from pcs.webhooks.transport import Transport

if TYPE_CHECKING:
    from pcs.reviewer.assessment import Assessments, Evidence
    from pcs.reviewer.law import Law
    from pcs.tariff.code import Code

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """What every entry point needs."""

    settings: Settings
    database: Database
    secrets: Secrets
    metrics: Metrics
    estimates: Estimates
    clock: Clock
    library: Library
    searcher: Searcher
    recorder: Recorder
    bells: Bells
    finals: Finals

    @property
    def address_policy(self) -> AddressPolicy:
        """Where webhooks may point."""
        return AddressPolicy(self.settings.webhook_allow_http, self.settings.webhook_allowed_private_cidrs)


@contextlib.contextmanager
def installation(settings: Settings) -> Iterator[Settings]:
    """The settings with a secret and a running database: the embedded one, unless PCS_DATABASE_URL names another.

    Raises OperatorError. The embedded database stops when its last user leaves.
    """
    with watched_installation(settings) as (complete, _):
        yield complete


@contextlib.contextmanager
def watched_installation(settings: Settings) -> Iterator[tuple[Settings, Callable[[], bool]]]:
    """The same, and what to call now and then: it starts an embedded database that has died, and tells if it had to."""
    secret = settings.secret_key or kept_secret(settings.data_dir / "secret.key")
    complete = dataclasses.replace(settings, secret_key=secret)
    if settings.database_url:
        yield complete, lambda: False
        return
    with EmbeddedPostgres(settings.data_dir) as postgres:
        yield dataclasses.replace(complete, database_url=postgres.url), postgres.revive


def build_service(settings: Settings, metrics: Metrics | None = None, *, clock: SharedClock | None = None) -> Service:
    """The service of an installation. Close its database at the end.

    `metrics` are those of a process that counts together with others; `clock` is one that was set already.
    """
    database = Database(settings.database_url, pool_size=settings.database_pool_size, clock=clock)
    at_once = {Environment.LIVE: settings.analyses_at_once, Environment.TEST: SIMULATIONS_AT_ONCE}
    metrics, bells = metrics or Metrics(), Bells(settings.database_url)
    library = Library(settings.data_dir)
    days, bodies = settings.request_log_days, settings.request_log_bodies
    return Service(
        settings,
        database,
        Secrets(settings.secret_key),
        metrics=metrics,
        estimates=Estimates(at_once, silence=settings.worker_stalled_seconds),
        clock=database.clock,
        library=library,
        searcher=Searcher(library, settings.cache_folder),
        recorder=Recorder(database, metrics, wanted=days > 0, bodies=bodies),
        bells=bells,
        finals=Finals(database, bells),
    )


async def readiness(service: Service) -> dict[str, bool]:
    """What the service needs to do its work, and whether it is there: database, migrations, a worker's heartbeat.

    A worker's heart begins to beat when it has opened its schedules; what is damaged of them is told beside this.
    """
    checks = {"database": False, "migrations": False, "worker": False}
    try:
        async with service.database.begin() as transaction:
            checks["database"] = True
            checks["migrations"] = await transaction.run_sync(is_current)
            checks["worker"] = await workers_alive(transaction, silence=service.settings.worker_stalled_seconds) > 0
    except SQLAlchemyError:
        return checks
    return checks


def build_transport(service: Service) -> Transport:
    """The sender of webhooks. Close it at the end."""
    return Transport(service.address_policy, timeout_seconds=service.settings.webhook_timeout_seconds)


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine with the schedules of an installation, opened and ready: CPU-bound, safe in threads."""

    analyse: Analyse
    starter: Analyse
    evidence: Evidence


def build_engine(settings: Settings) -> Engine:
    """The engine, and what assessments of its answers may look at; a damaged schedule raises when it is asked."""
    from pcs.engine.classify import classify  # noqa: PLC0415 (API processes load the engine at their first search)
    from pcs.reviewer.candidates import evidence_of  # noqa: PLC0415
    from pcs.reviewer.law import LawOf  # noqa: PLC0415
    from pcs.schedules.methods import Methods  # noqa: PLC0415

    library = Library(settings.data_dir, without_damaged_rulings=True)
    methods = Methods(library, cache_dir=settings.cache_folder)
    for name in ScheduleName:
        try:
            methods.current(name)
        except DamagedError as error:
            _log.error("classifications under a damaged schedule wait", schedule=str(name), problem=str(error))
    law_of = LawOf(methods.library)

    def analyse(product: Product, schedule: ScheduleName, decided: Sequence[Decided] = ()) -> Determination:
        method = methods.on(schedule, product.in_force_on)
        return classify(product, method, review_below=0, decided=decided)  # the worker knows whose goods they are

    def starter(product: Product, schedule: ScheduleName, decided: Sequence[Decided] = ()) -> Determination:
        return classify(product, methods.starter(schedule), decided=decided)

    def evidence(product: Product, schedule: ScheduleName) -> tuple[Law, Sequence[Code]]:
        return evidence_of(product, law_of(schedule), methods.current(schedule))

    return Engine(analyse, starter, evidence)


def build_assessments(settings: Settings, evidence: Evidence) -> Assessments | None:
    """The assessments of an installation; None where they are off. Close the reviewer's model at the end.

    Raises OperatorError for settings that cannot work.
    """
    from pcs.reviewer.configuration import configured  # noqa: PLC0415

    return configured(settings, evidence)
