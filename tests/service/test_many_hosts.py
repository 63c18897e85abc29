"""Several hosts with one PostgreSQL over TCP: each has its own data folder, and where root may, its own network.

The trap: hosts that share more than the database because they share a machine; what they are not told by the database
or by their variables they cannot know here."""

import asyncio
import contextlib
import dataclasses
import ipaddress
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psycopg
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from receiver import Receiver

WORKER = Path(__file__).with_name("worker_process.py")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Network:
    """Where hosts live: the address of the machine with the database and the receiver, and each host's own."""

    center: str
    hosts: dict[str, str]
    namespaces: bool

    @property
    def subnet(self) -> ipaddress.IPv4Network:
        return ipaddress.IPv4Network(f"{self.center}/24", strict=False)

    def command(self, host: str, *arguments: str) -> list[str]:
        """A Python command that runs on a host."""
        inside = ["ip", "netns", "exec", host] if self.namespaces else []
        return [*inside, sys.executable, *arguments]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@contextlib.contextmanager
def namespaces(*names: str) -> Iterator[Network]:
    """One network namespace a host, joined by a bridge. Raises where this user may not make them."""
    tag = uuid.uuid4().hex[:6]
    bridge, subnet = f"pcsb{tag}", f"10.213.{int(tag[:2], 16)}"
    hosts = {f"pcs-{tag}-{name}": f"{subnet}.{number}" for number, name in enumerate(names, start=2)}
    with contextlib.ExitStack() as undo:
        _ip("link", "add", bridge, "type", "bridge")
        undo.callback(_ip, "link", "del", bridge)
        _ip("addr", "add", f"{subnet}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for number, (host, address) in enumerate(hosts.items()):
            _ip("netns", "add", host)
            undo.callback(_ip, "netns", "del", host)
            outer, inner = f"pcso{tag}{number}", f"pcsi{tag}{number}"
            _ip("link", "add", outer, "type", "veth", "peer", "name", inner)
            _ip("link", "set", outer, "master", bridge, "up")
            _ip("link", "set", inner, "netns", host)
            _ip("-n", host, "addr", "add", f"{address}/24", "dev", inner)
            _ip("-n", host, "link", "set", inner, "up")
            _ip("-n", host, "link", "set", "lo", "up")
        yield Network(f"{subnet}.1", hosts, namespaces=True)


@pytest.fixture(params=["one machine", "network namespaces"])
def network(request: pytest.FixtureRequest) -> Iterator[Network]:
    names = ("a", "b", "c")
    if request.param == "one machine":
        yield Network("127.0.0.1", dict.fromkeys(names, "127.0.0.1"), namespaces=False)
        return
    with contextlib.ExitStack() as made:
        try:
            found = made.enter_context(namespaces(*names))
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"this user cannot make network namespaces: {error}")
        yield found


@pytest.fixture
def database_over_tcp(network: Network) -> Iterator[str]:
    """A PostgreSQL that listens on a TCP port of the machine in the middle."""
    folder = Path(tempfile.mkdtemp(prefix="pcs-hosts-"))
    folder.chmod(0o755)
    port = free_port()
    with EmbeddedPostgres(folder, durable=False) as postgres:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET listen_addresses = '{network.center}'")
            connection.execute(f"ALTER SYSTEM SET port = {port}")
            row = connection.execute("SHOW hba_file").fetchone()
        assert row is not None
        with Path(row[0]).open("a", encoding="utf-8") as rules:
            rules.write(f"host all all {network.subnet} scram-sha-256\n")
        password = postgres.url.split(":", 2)[2].partition("@")[0]
        postgres._stop()  # noqa: SLF001 (it reads its port at its start)
        postgres._start()  # noqa: SLF001
        yield f"postgresql://pcs:{password}@{network.center}:{port}/pcs"
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def running_on(network: Network, host: str, settings: Settings, *arguments: str) -> Iterator[None]:
    """A process on a host, with a data folder that no other host sees."""
    with tempfile.TemporaryDirectory(prefix=f"{host}-") as folder:
        ours = dataclasses.replace(settings, data_dir=Path(folder), host=network.hosts[host])
        environ = {**os.environ, **ours.as_environment(), "TEST_ANALYSIS_SECONDS": "0.1"}
        process = subprocess.Popen(network.command(host, *arguments), env=environ, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait(40)


async def until_ready(url: str) -> None:
    deadline = time.monotonic() + 40
    async with httpx2.AsyncClient(trust_env=False) as client:
        while True:
            with contextlib.suppress(httpx2.TransportError):
                if (await client.get(f"{url}/ready")).status_code == 200:
                    return
            assert time.monotonic() < deadline, f"{url} was not ready"
            await asyncio.sleep(0.1)


async def settled(running: ServiceUnderTest, count: int) -> None:
    query = "SELECT count(*) AS done FROM deliveries WHERE status = 'delivered'"
    async with asyncio.timeout(60):
        while (await running.rows(query))[0]["done"] < count:  # noqa: ASYNC110 (other processes do it)
            await asyncio.sleep(0.1)


async def test_hosts_that_share_only_the_database_are_one_service(
    network: Network, database_over_tcp: str, settings: Settings
) -> None:
    migrate(database_over_tcp)
    shared = dataclasses.replace(
        settings, database_url=database_over_tcp, webhook_allowed_private_cidrs=(network.subnet,)
    )
    running = await build_service_under_test(shared, TurnedClock())
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, network.center, 0)
    receiver.url = f"http://{network.center}:{server.sockets[0].getsockname()[1]}/hook"
    first, second, third = network.hosts
    ports = {first: free_port(), second: free_port()}
    urls = {host: f"http://{network.hosts[host]}:{port}" for host, port in ports.items()}
    with contextlib.ExitStack() as hosts:
        for host, port in ports.items():
            serve = ("-m", "pcs.cli.main", "serve", "--port", str(port))
            hosts.enter_context(running_on(network, host, shared, *serve))
        for host in (second, third):
            hosts.enter_context(running_on(network, host, shared, str(WORKER)))
        for url in urls.values():
            await until_ready(url)
        await use(running, list(urls.values()), receiver)
    server.close()
    await running.close()


async def use(running: ServiceUnderTest, urls: list[str], receiver: Receiver) -> None:
    """Ask one host and read from the other; limits, keys, idempotency and signatures hold for both."""
    headers = {"Authorization": f"Bearer {running.live_key}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=20) as client:
        put = await client.put(f"{urls[0]}/api/v1/webhooks", json={"url": receiver.url, "secret": "shared"})
        assert put.status_code == 200, put.text
        body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS", "EU-CN"]}
        answers = []
        for number in range(20):
            repeated = {"Idempotency-Key": f"order-{number}"}
            one, other = [
                await client.post(f"{url}/api/v1/products/classify", json=body, headers=repeated) for url in urls
            ]
            assert (one.status_code, other.content) == (202, one.content)
            answers.append(one.json())
        await settled(running, 40)
        for answer in answers:
            polled = (await client.get(f"{urls[1]}{answer['classifications'][0]['poll_url']}")).json()
            assert polled["status"] == "completed"
            assert polled["result"]["schedule_revision"]
        remaining = [int((await client.get(f"{url}/api/v1/webhooks")).headers["x-ratelimit-remaining"]) for url in urls]
        assert remaining[1] == remaining[0] - 1, "one window for both"
    subjects = Counter(sent.json["data"]["id"] for sent in receiver.received)
    assert len(subjects) == 40
    assert set(subjects.values()) == {1}
    assert {sent.headers["x-webhook-secret"] for sent in receiver.received} == {"shared"}


def test_a_host_with_another_secret_key_is_refused_at_its_start(settings: Settings) -> None:
    def started(secret: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, **settings.as_environment(), "PCS_SECRET_KEY": secret}
        command = [sys.executable, "-m", "pcs.cli.main", "admin", "list-organizations"]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)

    assert started(settings.secret_key).returncode == 0
    refused = started("another one")
    assert refused.returncode == 1
    assert "PCS_SECRET_KEY" in refused.stderr
    assert "Traceback" not in refused.stderr
