"""A deployment as customers meet it: API and worker processes of its own, on a database of its own, over real sockets.

The trap: jobs that another test's worker takes; no other test sees this database."""

import asyncio
import contextlib
import dataclasses
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from sqlalchemy import text

from builders import new_key
from pcs.base.migrate import migrate
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service, build_service
from pcs.organizations import service as organizations
from pcs.organizations.model import FULL_ACCESS, Scope

WRONG_CLOCK = Path(__file__).with_name("wrong_clock.py")
WORKER = Path(__file__).parent / "service" / "worker_process.py"
TIMEOUT = 90.0  # where three tests at once open the engine on two processors
FINAL = {"completed", "failed"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Deployment:
    """A live and a sandbox process, one worker process, and the database behind them."""

    service: Service
    live_url: str = ""
    sandbox_url: str = ""
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *, worker: bool = True) -> None:
        self.live_url = self.serve(Environment.LIVE)
        self.sandbox_url = self.serve(Environment.TEST)
        if worker:
            self.work()

    def serve(self, environment: Environment, *, ahead: float = 0, **variables: str) -> str:
        """Start one more process of an environment's API, with its clock some hours ahead; its address."""
        port = free_port()
        arguments = ["-m", "pcs.cli.main", "serve", "--environment", environment, "--port", str(port)]
        self._spawn(arguments, ahead=ahead, **variables)
        return f"http://127.0.0.1:{port}"

    def work(self, *, ahead: float = 0) -> None:
        """Start one more worker, with its clock some hours ahead."""
        self._spawn([str(WORKER)], ahead=ahead)

    def run_command(self, *arguments: str) -> None:
        """Start one of `pcs`'s own commands, such as a real worker."""
        self._spawn(["-m", "pcs.cli.main", *arguments])

    def _spawn(self, arguments: list[str], *, ahead: float = 0, **variables: str) -> None:
        ours = self.service.settings.as_environment() | {"TEST_ANALYSIS_SECONDS": "0"}
        environ = {**os.environ, **ours, **variables}
        command = [sys.executable, *([str(WRONG_CLOCK), str(ahead)] if ahead else []), *arguments]
        self._processes.append(subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL))

    async def until_ready(self, *urls: str) -> None:
        """Wait until each address is up, with its database and a worker behind it."""
        deadline = time.monotonic() + TIMEOUT
        async with httpx2.AsyncClient(trust_env=False) as client:
            for url in urls or (self.live_url, self.sandbox_url):
                while not await _is_ready(client, url):
                    assert time.monotonic() < deadline, f"{url} was not ready in {TIMEOUT} s"
                    await asyncio.sleep(0.05)

    async def organization(self, name: str = "Acme") -> str:
        async with self.service.database.begin() as transaction:
            made = await organizations.create_organization(transaction, name, now=self.service.clock())
        return made.id

    async def key(
        self,
        organization_id: str,
        environment: Environment = Environment.LIVE,
        *,
        scopes: frozenset[Scope] = FULL_ACCESS,
        rate_limit: int | None = 100_000,
    ) -> str:
        token = await new_key(self.service, Tenant(organization_id, environment), scopes=scopes)
        await self.run(
            "UPDATE api_keys SET rate_limit = :limit WHERE digest = :digest",
            limit=rate_limit,
            digest=self.service.secrets.digest(token),
        )
        return token

    async def run(self, statement: str, **arguments: Any) -> None:
        async with self.service.database.begin() as transaction:
            await transaction.execute(text(statement), arguments)

    async def count(self, table: str, organization_id: str) -> int:
        query = text(f"SELECT count(*) FROM {table} WHERE organization_id = :id")
        async with self.service.database.begin() as transaction:
            return int((await transaction.execute(query, {"id": organization_id})).scalar_one())

    async def stop(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            await asyncio.to_thread(process.wait, 30)
        await self.service.database.close()


async def _is_ready(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(f"{url}/ready")).status_code == httpx2.codes.OK
    except httpx2.TransportError:
        return False


@contextlib.asynccontextmanager
async def deployed(settings: Settings) -> AsyncIterator[Deployment]:
    """A deployment that is ready, and that is gone afterwards."""
    deployment = Deployment(build_service(settings))
    try:
        deployment.start()
        await deployment.until_ready()
        yield deployment
    finally:
        await deployment.stop()


@contextlib.contextmanager
def database_beside(url: str, name: str) -> Iterator[str]:
    """Another migrated database on the same server."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    head, _, rest = url.partition("?")
    beside = f"{head.rpartition('/')[0]}/{name}?{rest}"
    migrate(beside)
    yield beside


@contextlib.contextmanager
def database_of_its_own(settings: Settings) -> Iterator[Settings]:
    """The same installation with nothing in it: a worker would first take up what tests before have left."""
    with database_beside(settings.database_url, f"own_{secrets.token_hex(4)}") as url:
        yield dataclasses.replace(settings, database_url=url)


@dataclass
class Customer:
    """An organization with a client of each environment."""

    deployment: Deployment
    id: str
    live: httpx2.AsyncClient
    sandbox: httpx2.AsyncClient

    async def client(
        self,
        environment: Environment = Environment.LIVE,
        *,
        scopes: frozenset[Scope] = FULL_ACCESS,
        rate_limit: int | None = 100_000,
    ) -> httpx2.AsyncClient:
        token = await self.deployment.key(self.id, environment, scopes=scopes, rate_limit=rate_limit)
        return client_of(self.deployment, environment, token)

    async def until_final(self, accepted: Any, api: httpx2.AsyncClient | None = None) -> list[Any]:
        """Every classification of an accepted request or batch, polled until it is final."""
        polled = []
        for stub in accepted["classifications"]:
            deadline = time.monotonic() + TIMEOUT
            while (one := (await (api or self.live).get(stub["poll_url"])).json())["status"] not in FINAL:
                assert time.monotonic() < deadline, one
                await asyncio.sleep(0.05)
            polled.append(one)
        return polled

    async def classify(self, api: httpx2.AsyncClient | None = None, **body: Any) -> Any:
        asked = {"product": {"name": "Cotton T-shirt", "identifier": "SKU-1"}, "schedules": ["US-HTS"], **body}
        response = await (api or self.live).post("/api/v1/products/classify", json=asked)
        assert response.status_code == 202, response.text
        return response.json()


def client_of(deployment: Deployment, environment: Environment, token: str | None) -> httpx2.AsyncClient:
    url = deployment.live_url if environment is Environment.LIVE else deployment.sandbox_url
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=TIMEOUT)


NewCustomer = Callable[[], Awaitable[Customer]]
