"""A backup is what can be restored: taken from a running service, set up again in an empty place, used."""

import contextlib
import dataclasses
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test, client
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import installation
from receiver import Receiver


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the database's own user gets in."""
    made = Path(tempfile.mkdtemp(prefix="pcs-backup-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def pcs(data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    ours = {name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")}
    environ = {**ours, "PCS_DATA_DIR": str(data_dir), "COLUMNS": "200"}
    command = [sys.executable, "-m", "pcs.cli.main", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=90, check=False)


def embedded(settings: Settings, data_dir: Path) -> Settings:
    return dataclasses.replace(settings, data_dir=data_dir, database_url="", secret_key="")


async def test_an_installation_restored_from_its_backup_goes_on_where_it_was(
    settings: Settings, folder: Path, receiver: Receiver
) -> None:
    before, after, file = folder / "before", folder / "after", folder / "pcs.backup"
    assert pcs(before, "migrate").returncode == 0
    (before / "schedules").mkdir()
    (before / "schedules" / "note.txt").write_text("a revision")
    receiver.statuses = [500]
    with installation(embedded(settings, before)) as complete:
        running = await build_service_under_test(complete, TurnedClock())
        await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": "kept"})
        done = await running.classify()
        await running.work()  # its webhook fails once and is to be repeated
        waiting = await running.classify(name="Accepted, not analysed")
        answer = await running.poll(done)
        taken = pcs(before, "backup", str(file))
        await running.close()
    assert taken.returncode == 0, taken.stderr
    assert file.stat().st_mode & 0o777 == 0o600

    restored = pcs(after, "restore", str(file))
    assert restored.returncode == 0, restored.stderr
    assert (after / "schedules" / "note.txt").read_text() == "a revision"
    assert "not empty" in pcs(after, "restore", str(file)).stderr
    with installation(embedded(settings, after)) as complete:
        clock = TurnedClock()
        again = await build_service_under_test(complete, clock)
        await _goes_on(again, running.live_key, done=(done, answer), waiting=waiting)
        await again.close()
    ids = [sent.headers["x-service-delivery-id"] for sent in receiver.received]
    assert len(ids) == 3
    assert ids[0] in ids[1:], "the repeated delivery keeps its id over a restore"
    assert {sent.headers["x-webhook-secret"] for sent in receiver.received} == {"kept"}


async def _goes_on(again: ServiceUnderTest, key: str, *, done: tuple[Any, Any], waiting: Any) -> None:
    again.clock.turn(minutes=2)
    async with client(again.service, Environment.LIVE, key) as live:
        polled = (await live.get(done[0]["classifications"][0]["poll_url"])).json()
        assert polled == done[1]
        await again.work()
        polled = (await live.get(waiting["classifications"][0]["poll_url"])).json()
        assert polled["status"] == "completed"


def test_what_is_no_backup_is_refused_in_one_sentence(folder: Path) -> None:
    (folder / "file").write_text("not a backup")
    refused = pcs(folder / "data", "restore", str(folder / "file"))
    assert refused.returncode == 1
    assert "is not a backup, or is incomplete" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_backup_holds_the_secret_key_and_whole_files_but_no_running_server_s(folder: Path) -> None:
    data, file = folder / "data", folder / "file"
    assert pcs(data, "migrate").returncode == 0
    for name in ("rulings", "downloads", "logs"):
        (data / name).mkdir()
    (data / "downloads" / "published.zip").touch()
    with contextlib.closing(sqlite3.connect(data / "rulings" / "rulings.sqlite")) as writing:
        writing.execute("PRAGMA journal_mode = WAL")
        writing.execute("CREATE TABLE rulings AS SELECT 'N123456' AS reference")
        writing.commit()  # in its log, and not yet in the file itself
        assert pcs(data, "backup", str(file)).returncode == 0
        assert "write it somewhere else" in pcs(data, "backup", str(data / "file")).stderr
        whole = file.read_bytes()
        assert "already exists" in pcs(data, "backup", str(file)).stderr
        assert file.read_bytes() == whole
    with tarfile.open(file) as archive:
        kept = {"database.dump", "files/secret.key", "files/rulings", "files/rulings/rulings.sqlite"}
        assert set(archive.getnames()) == kept
        archive.extract("files/rulings/rulings.sqlite", folder, filter="data")
    with contextlib.closing(sqlite3.connect(folder / "files" / "rulings" / "rulings.sqlite")) as copy:
        assert copy.execute("SELECT reference FROM rulings").fetchall() == [("N123456",)]
