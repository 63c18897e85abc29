"""Revisions as folders: schedules/<schedule>/<edition>-<digest>/ with about.json and rows.json, and a pointer to the
current one. The trap: a reader may come at any moment, so a folder appears whole by one rename, and so does the
pointer."""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pcs.schedules.model import StoredRevision
from pcs.tariff.packing import FORMAT, DamagedScheduleError, pack, unpack
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Schedule

_POINTER = "current.json"
_STAGE = ".stage-"


def folder_of(data_dir: Path, name: ScheduleName) -> Path:
    """Where the revisions of a schedule lie."""
    return data_dir / "schedules" / name.value


def write_revision(data_dir: Path, schedule: Schedule) -> StoredRevision:
    """Put a revision into the data folder; the same content twice is stored once."""
    folder = folder_of(data_dir, schedule.revision.schedule)
    folder.mkdir(parents=True, exist_ok=True)
    stored = _about(schedule)
    if not (folder / stored.key / "about.json").exists():
        stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=folder))
        try:
            stage.chmod(0o755)
            _write(stage / "rows.json", pack(schedule))
            _write(stage / "about.json", _to_json(stored))
            with contextlib.suppress(FileExistsError):
                stage.rename(folder / stored.key)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    return read_about(folder / stored.key)


def read_about(folder: Path) -> StoredRevision:
    """What is said of a stored revision."""
    about = json.loads((folder / "about.json").read_text("utf-8"))
    if about["format"] != FORMAT:
        msg = (
            f"{folder.name} was stored by another version of this program (format {about['format']}): import it again."
        )
        raise DamagedScheduleError(msg)
    revision = Revision(
        ScheduleName(about["schedule"]),
        about["edition"],
        about["digest"],
        _date(about["in_force_from"]),
        _date(about["in_force_to"]),
    )
    counts = about["headings"], about["lines"], about["full_length"]
    return StoredRevision(revision, *counts, stored_at=dt.datetime.fromisoformat(about["stored_at"]))


def read_schedule(data_dir: Path, stored: StoredRevision) -> Schedule:
    """The whole tree. Raises DamagedScheduleError if its content is not what was stored."""
    folder = folder_of(data_dir, stored.revision.schedule) / stored.key
    return unpack((folder / "rows.json").read_bytes(), stored.revision)


def list_revisions(data_dir: Path, name: ScheduleName) -> list[StoredRevision]:
    """Every stored revision, the one stored last at the end."""
    folders = folder_of(data_dir, name).glob("[!.]*/about.json")
    return sorted((read_about(about.parent) for about in folders), key=lambda stored: (stored.stored_at, stored.key))


def read_pointer(data_dir: Path, name: ScheduleName) -> list[str]:
    """The keys of the current revision and those current before it, newest first."""
    try:
        return list(json.loads((folder_of(data_dir, name) / _POINTER).read_text("utf-8")))
    except FileNotFoundError:
        return []


def write_pointer(data_dir: Path, name: ScheduleName, keys: list[str]) -> None:
    """Point at another current revision, in one step."""
    folder = folder_of(data_dir, name)
    handle, path = tempfile.mkstemp(prefix=_STAGE, dir=folder)
    os.close(handle)
    _write(Path(path), json.dumps(keys).encode())
    Path(path).chmod(0o644)
    Path(path).replace(folder / _POINTER)


@contextlib.contextmanager
def exclusive(data_dir: Path, name: ScheduleName) -> Iterator[None]:
    """One process at a time moves the pointer of a schedule."""
    folder = folder_of(data_dir, name)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _about(schedule: Schedule) -> StoredRevision:
    headings = sum(node.code is not None and len(node.code) == 4 and node.code < "98" for node in schedule.nodes)
    full_length = sum(len(line.code or "") == schedule.revision.schedule.digits for line in schedule.lines)
    now = dt.datetime.now(tz=dt.UTC)
    return StoredRevision(schedule.revision, headings, len(schedule.lines), full_length, now)


def _to_json(stored: StoredRevision) -> bytes:
    revision = stored.revision
    about: dict[str, Any] = {
        "format": FORMAT,
        "schedule": revision.schedule.value,
        "edition": revision.edition,
        "digest": revision.digest,
        "in_force_from": revision.in_force_from.isoformat() if revision.in_force_from else None,
        "in_force_to": revision.in_force_to.isoformat() if revision.in_force_to else None,
        "headings": stored.headings,
        "lines": stored.lines,
        "full_length": stored.full_length,
        "stored_at": stored.stored_at.isoformat(),
    }
    return json.dumps(about, indent=2).encode()


def _date(text: str | None) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None


def _write(path: Path, content: bytes) -> None:
    """On the disk, not only in its cache, before anything points at it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
