"""What tests are made of. The trap: a fixture of twenty rows that nobody can read; each builder makes one thing."""

import dataclasses
import datetime as dt
import functools
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx2
from fastapi import FastAPI
from procrastinate import App
from sqlalchemy import text

from determinations import determine
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service, build_service, build_transport
from pcs.classifications.model import Analyse
from pcs.http.app import create_app, described
from pcs.organizations import service as organizations
from pcs.organizations.model import FULL_ACCESS, NewKey, Scope
from pcs.reviewer.assessment import Assessments
from pcs.webhooks.transport import Transport
from pcs.worker.run import build_app


class TurnedClock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.offset = dt.timedelta()

    def __call__(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC) + self.offset

    def turn(self, **by: float) -> None:
        self.offset += dt.timedelta(**by)


@dataclass
class ServiceUnderTest:
    """Both APIs, an organization, and the worker's tasks."""

    service: Service
    clock: TurnedClock
    organization_id: str
    live: httpx2.AsyncClient
    sandbox: httpx2.AsyncClient
    live_key: str
    transport: Transport
    executor: Executor = field(default_factory=lambda: ThreadPoolExecutor(2))

    async def key(self, environment: Environment = Environment.LIVE, *, scopes: frozenset[Scope] = FULL_ACCESS) -> str:
        """Another key of the organization."""
        return await new_key(self.service, Tenant(self.organization_id, environment), scopes=scopes)

    def worker(self, analyse: Analyse = determine, assessments: Assessments | None = None) -> App:
        """A worker's tasks."""
        parts = (self.service, analyse, self.transport, self.executor)
        return build_app(*parts, starter=determine, assessments=assessments)

    async def work(
        self,
        analyse: Analyse = determine,
        *,
        concurrency: int = 5,
        queue: str | None = None,
        assessments: Assessments | None = None,
    ) -> None:
        """Do every job (of one queue) that is due by the turned clock, like a worker that stops when there is none."""
        app = self.worker(analyse, assessments)
        async with app.open_async():
            for _ in range(3):
                await self._bring_forward()
                await app.run_worker_async(
                    queues=[queue] if queue else None,  # type: ignore[arg-type] # None is every queue
                    wait=False,
                    concurrency=concurrency,
                    delete_jobs="successful",
                    listen_notify=False,
                )

    async def _bring_forward(self) -> None:
        """The queue reads the database's own clock: what is due by the turned clock becomes due by that one."""
        moved = "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo' AND scheduled_at <= :now"
        await self.run(moved, now=self.clock())

    async def run(self, statement: str, **arguments: Any) -> None:
        async with self.service.database.begin() as transaction:
            await transaction.execute(text(statement), arguments)

    async def rows(self, statement: str, **arguments: Any) -> list[dict[str, Any]]:
        async with self.service.database.begin() as transaction:
            return [dict(row) for row in (await transaction.execute(text(statement), arguments)).mappings()]

    async def classify(self, *, name: str = "T-shirt", schedules: tuple[str, ...] = ("US-HTS",), **more: Any) -> Any:
        """Ask for a classification and give the accepted answer."""
        body = {"product": {"name": name, "identifier": "SKU-1"}, "schedules": list(schedules), **more}
        response = await self.live.post("/api/v1/products/classify", json=body)
        assert response.status_code == 202, response.text
        return response.json()

    async def poll(self, accepted: Any, place: int = 0) -> Any:
        """The classification as polled now."""
        return (await self.live.get(accepted["classifications"][place]["poll_url"])).json()

    async def close(self) -> None:
        self.executor.shutdown()
        await self.live.aclose()
        await self.sandbox.aclose()
        await self.transport.close()
        await self.service.bells.close()
        await self.service.database.close()


async def build_service_under_test(settings: Settings, clock: TurnedClock) -> ServiceUnderTest:
    service = dataclasses.replace(build_service(settings), clock=clock)
    async with service.database.begin() as transaction:
        organization = await organizations.create_organization(transaction, "Test", now=clock())
    live = await new_key(service, Tenant(organization.id, Environment.LIVE))
    test = await new_key(service, Tenant(organization.id, Environment.TEST))
    return ServiceUnderTest(
        service=service,
        clock=clock,
        organization_id=organization.id,
        live=client(service, Environment.LIVE, live),
        sandbox=client(service, Environment.TEST, test),
        live_key=live,
        transport=build_transport(service),
    )


async def new_key(service: Service, tenant: Tenant, *, scopes: frozenset[Scope] = FULL_ACCESS) -> str:
    async with service.database.begin() as transaction:
        new = NewKey(tenant=tenant, name="a test's", scopes=scopes)
        return (await organizations.create_key(transaction, new, service.secrets, now=service.clock()))[1]


@functools.cache
def _endpoints(_: Environment) -> FastAPI:
    """To lay them out takes longer than most tests."""
    return described()


def client(service: Service, environment: Environment, token: str | None) -> httpx2.AsyncClient:
    """A client of one environment's API, in this process."""
    transport = httpx2.ASGITransport(create_app(service, environment, _endpoints(environment)))
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.AsyncClient(transport=transport, base_url="http://test", headers=headers)
