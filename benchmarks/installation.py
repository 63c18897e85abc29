"""A whole installation for a benchmark: its own durable PostgreSQL, real processes, organizations with keys.

The trap: a database without fsync, or a rate limit in the way, which measures something nobody runs."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import httpx2

from benchmarks.load import request
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service, build_service
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey

UNLIMITED = 1_000_000_000
CUSTOMERS = 32  # organizations, each with a key: one key alone would wait for its own rate window
_READY_SECONDS = 180.0  # a worker counts the pack first, and may share its cores


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Process:
    """A child process, its address where it has one, and how long it took until it answered."""

    child: subprocess.Popen[bytes]
    url: str = ""
    start_seconds: float = 0.0

    @property
    def memory(self) -> float:
        """Its resident memory in MiB."""
        pages = int(Path(f"/proc/{self.child.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


@dataclass
class Installation:
    """A database, organizations with a key each, and whatever processes were started on them."""

    settings: Settings
    service: Service
    tenants: list[Tenant]
    keys: list[str]
    log: Path
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def headers(self, customer: int = 0) -> dict[str, str]:
        """What every request of a customer carries."""
        return {"Authorization": f"Bearer {self.keys[customer]}"}

    def wires(self, method: str, url: str, body: bytes = b"") -> Callable[[], bytes]:
        """The same request of one customer after the other."""
        turns = cycle([request(method, url, self.headers(customer), body) for customer in range(CUSTOMERS)])
        return lambda: next(turns)

    def spawn(self, *command: str, **variables: str) -> Process:
        """Start a Python program on this installation."""
        environ = {**os.environ, **self.settings.as_environment(), **variables}
        with self.log.open("ab") as log:
            child = subprocess.Popen([sys.executable, *command], env=environ, stdout=log, stderr=log)
        self._children.append(child)
        return Process(child)

    def serve(self, **variables: str) -> Process:
        """Start a live API and wait until it answers."""
        port = free_port()
        started = time.perf_counter()
        process = self.spawn("-m", "pcs.cli.main", "serve", "--port", str(port), **variables)
        process.url = f"http://127.0.0.1:{port}"
        until_answers(f"{process.url}/health", self.log)
        process.start_seconds = time.perf_counter() - started
        return process

    def work(self) -> Process:
        """Start a worker; see `until_ready`."""
        return self.spawn("-m", "pcs.cli.main", "work")

    def stop(self, *processes: Process) -> None:
        """End these processes, or all."""
        ending = [one.child for one in processes] or self._children
        for child in ending:
            child.terminate()
        for child in ending:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(30)
            child.kill()
        self._children = [child for child in self._children if child not in ending]


def until_answers(url: str, log: Path) -> float:
    """Wait until an address answers 200; the seconds it took."""
    started = time.perf_counter()
    with httpx2.Client(trust_env=False) as client:
        while True:
            with contextlib.suppress(httpx2.TransportError):
                if client.get(url).status_code == httpx2.codes.OK:
                    return time.perf_counter() - started
            if time.perf_counter() - started > _READY_SECONDS:
                raise TimeoutError(f"{url} does not answer: {log.read_text(encoding='utf-8')[-2000:]}")  # noqa: EM102, TRY003
            time.sleep(0.01)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder that the database's own user can enter."""
    made = Path(tempfile.mkdtemp(prefix="pcs-bench-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextlib.asynccontextmanager
async def installation(**settings: object) -> AsyncIterator[Installation]:
    """A new installation; all of it is gone afterwards."""
    with folder() as made, EmbeddedPostgres(made / "db") as postgres:
        migrate(postgres.url)
        chosen = dataclasses.replace(
            Settings(
                data_dir=made,
                database_url=postgres.url,
                secret_key="for a benchmark",
                workers=2,
                webhook_allow_http=True,
                log_level="info",
            ),
            **settings,  # type: ignore[arg-type]
        )
        chosen = Settings.from_environment(
            chosen.as_environment() | {"PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS": "127.0.0.0/8"}
        )
        service = build_service(chosen)
        now = dt.datetime.now(dt.UTC)
        made_one = Installation(chosen, service, [], [], made / "log")
        async with service.database.begin() as transaction:
            for number in range(CUSTOMERS):
                organization = await organizations.create_organization(transaction, f"Bench {number}", now=now)
                tenant = Tenant(organization.id, Environment.LIVE)
                new = NewKey(tenant, "bench", rate_limit=UNLIMITED)
                made_one.keys.append((await organizations.create_key(transaction, new, service.secrets, now=now))[1])
                made_one.tenants.append(tenant)
        try:
            yield made_one
        finally:
            made_one.stop()
            await service.database.close()
