"""A full disk: what counts goes on, writes are refused in words, reads are answered, and all comes back by itself."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from builders import ServiceUnderTest
from pcs.base.metrics import Metrics

COUNTING = """
import sys
from pathlib import Path
from pcs.base.metrics import Metrics
metrics = Metrics(Path(sys.argv[1]))
for line in sys.stdin:
    for number in range(300):
        metrics.requests.labels("live", "GET", f"/{line.strip()}{number}", 200).inc()
    print("counted", flush=True)
"""


@contextlib.contextmanager
def small_disk(path: Path) -> Iterator[Path]:
    """A file system of 512 KiB, which only root can make."""
    if os.geteuid() != 0:
        pytest.skip("making a small disk needs root: run this test as root, as .ci/run does in a container")
    path.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(path)], capture_output=True)  # noqa: PLW1510
    if made.returncode:
        pytest.skip(f"this system lets nobody mount: {made.stderr.decode().strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_process_counts_on_while_the_disk_is_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        command = [sys.executable, "-c", COUNTING, str(disk / "metrics")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None

            def count(name: str) -> None:
                print(name, file=process.stdin, flush=True)
                assert process.stdout.readline() == "counted\n", f"ended with {process.wait(5)}"

            count("before")
            with contextlib.suppress(OSError), (disk / "filling").open("wb", buffering=0) as filling:
                while True:
                    filling.write(b"x" * 4096)
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
