"""A full disk: what counts goes on, writes are refused in words, reads are answered, and all comes back by itself."""

import asyncio
import contextlib
import dataclasses
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import httpx2
import pytest
from sqlalchemy import text

from builders import ServiceUnderTest
from deployment import TIMEOUT, Deployment, client_of
from pcs.base.metrics import Metrics
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service

COUNTING = """
import sys
import tempfile
import time
from pathlib import Path
from pcs.base.metrics import Metrics
metrics = Metrics(Path(sys.argv[1]))
for line in sys.stdin:
    for number in range(300):
        metrics.requests.labels("live", "GET", f"/{line.strip()}{number}", 200).inc()
    print("counted", flush=True)
"""


@contextlib.contextmanager
def small_disk(path: Path, size: str = "512k") -> Iterator[Path]:
    """A file system of a few KiB or MiB, which only root can make."""
    if os.geteuid() != 0:
        pytest.skip("making a small disk needs root: run this test as root, as .ci/run does in a container")
    path.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", str(path)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip(f"this system lets nobody mount: {made.stderr.decode().strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def fill(file: Path) -> None:
    """Write until there is no room."""
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as filling:
        while True:
            filling.write(b"x" * 4096)


def test_a_process_counts_on_while_the_disk_is_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        command = [sys.executable, "-c", COUNTING, str(disk / "metrics")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None

            def count(name: str, said: IO[str] = process.stdout) -> None:
                print(name, file=process.stdin, flush=True)
                assert said.readline() == "counted\n", f"ended with {process.wait(5)}"

            count("before")
            fill(disk / "filling")
            count("during")
            (disk / "filling").unlink()
            count("after")
            process.stdin.close()
        shown = Metrics(disk / "metrics").exposition().decode()
    for name in ("before", "during", "after"):
        assert f'route="/{name}299",status="200"}} 1.0' in shown


async def test_a_write_without_room_is_refused_and_reads_go_on(running: ServiceUnderTest) -> None:
    """The database's own error, from a trigger, as it comes where a table cannot grow."""
    statements = (
        (
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF NEW.name = 'needs room' THEN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END IF; "
            "RETURN NEW; END $$"
        ),
        "CREATE TRIGGER no_room BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION no_room()",
    )
    async with running.service.database.begin() as transaction:
        for statement in statements:
            await transaction.execute(text(statement))
    try:
        refused = await running.live.post("/api/v1/products", json={"name": "needs room"})
        read = await running.live.get("/api/v1/products")
    finally:
        async with running.service.database.begin() as transaction:
            await transaction.execute(text("DROP FUNCTION no_room CASCADE"))
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "30"
    assert refused.json()["error"]["message"].startswith("The storage is full")
    assert read.status_code == 200
    assert (await running.live.post("/api/v1/products", json={"name": "needs room"})).status_code == 201


@pytest.fixture
def full_sized(settings: Settings) -> Iterator[Settings]:
    """An installation with a database server of its own, all of it on one small disk."""
    folder = Path(tempfile.mkdtemp(prefix="pcs-full-"))  # short, and open to the user that the database runs as
    folder.chmod(0o755)
    with small_disk(folder / "disk", "400m") as disk, EmbeddedPostgres(disk / "data") as postgres:
        migrate(postgres.url)
        yield dataclasses.replace(settings, database_url=postgres.url, data_dir=disk / "data")
    shutil.rmtree(folder)


async def test_a_service_on_a_full_disk_serves_reads_refuses_writes_and_recovers(full_sized: Settings) -> None:
    deployment, filling = Deployment(build_service(full_sized)), full_sized.data_dir / "filling"
    try:
        deployment.live_url = deployment.serve(Environment.LIVE)
        await until(deployment.live_url, "/health")
        token = await deployment.key(await deployment.organization())
        async with client_of(deployment, Environment.LIVE, token) as api:
            assert (await api.post("/api/v1/products", json={"name": "before"})).status_code == 201
            await asyncio.to_thread(fill, filling)
            refused = await until_answered(api, other_than=201)
            assert refused.status_code == 503, refused.text
            assert refused.json()["error"]["message"].startswith("The storage is full")
            assert (await api.get("/api/v1/products", params={"limit": 1})).status_code == 200
            filling.unlink()
            assert (await until_answered(api, other_than=503)).status_code == 201
    finally:
        await deployment.stop()


async def until(url: str, path: str) -> None:
    """Wait until an address answers with 200."""
    deadline = time.monotonic() + TIMEOUT
    async with httpx2.AsyncClient(trust_env=False, base_url=url) as client:
        while not await _answers(client, path):
            assert time.monotonic() < deadline, f"{url}{path} did not answer in {TIMEOUT} s"
            await asyncio.sleep(0.05)


async def _answers(client: httpx2.AsyncClient, path: str) -> bool:
    with contextlib.suppress(httpx2.TransportError):
        return (await client.get(path)).status_code == 200
    return False


async def until_answered(api: httpx2.AsyncClient, *, other_than: int) -> httpx2.Response:
    """The first answer to a new product of another status."""
    for _ in range(5_000):
        answered = await api.post("/api/v1/products", json=large_product())
        if answered.status_code != other_than:
            return answered
    pytest.fail(f"the service answered with {other_than} all the time")


def large_product() -> dict[str, str]:
    """Goods whose description no compression makes smaller."""
    return {"name": "goods", "description": secrets.token_hex(5_000)}
