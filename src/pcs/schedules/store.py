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
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pcs.base.errors import DamagedError
from pcs.base.stored_files import read_stored, write_stored
from pcs.schedules.model import StoredRevision
from pcs.schedules.wording import Wording
from pcs.tariff.packing import FORMAT, pack, require_same, unpack
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Schedule

T = TypeVar("T")

_POINTER = "current.json"
_STAGE = ".stage-"
_IMPORT = "import the published file again with `pcs schedules import FILE`"


def folder_of(data_dir: Path, name: ScheduleName) -> Path:
    """Where the revisions of a schedule lie."""
    return data_dir / "schedules" / name.value


def write_revision(data_dir: Path, schedule: Schedule) -> StoredRevision:
    """Put a revision into the data folder; the same content twice is stored once, and mends what was damaged."""
    folder = folder_of(data_dir, schedule.revision.schedule)
    folder.mkdir(parents=True, exist_ok=True)
    stored = _about(schedule)
    if not _is_whole(data_dir, stored):
        stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=folder))
        try:
            stage.chmod(0o755)
            _write(stage / "rows.json", pack(schedule))
            write_stored(stage / "about.json", _to_json(stored))
            _put_in_place(stage, folder / stored.key)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    return read_about(folder / stored.key)


def _is_whole(data_dir: Path, stored: StoredRevision) -> bool:
    try:
        read_schedule(data_dir, read_about(folder_of(data_dir, stored.revision.schedule) / stored.key))
    except (FileNotFoundError, DamagedError):
        return False
    return True


def _put_in_place(stage: Path, folder: Path) -> None:
    """A damaged folder of that name makes room; a whole one that came meanwhile says the same."""
    aside = stage.with_name(f"{stage.name}-damaged")
    with contextlib.suppress(FileNotFoundError):
        folder.rename(aside)
    with contextlib.suppress(FileExistsError):
        stage.rename(folder)
    shutil.rmtree(aside, ignore_errors=True)


def read_about(folder: Path) -> StoredRevision:
    """What is said of a stored revision. Raises FileNotFoundError and DamagedError."""
    return read_stored(folder / "about.json", partial(_read_about, folder.name), what=_what(folder), mend=_IMPORT)


def _read_about(key: str, content: bytes) -> StoredRevision:
    about = json.loads(content)
    if about["format"] != FORMAT:
        msg = f"it was stored by another version of this program (format {about['format']})"
        raise ValueError(msg)
    revision = Revision(
        ScheduleName(about["schedule"]),
        about["edition"],
        about["digest"],
        _date(about["in_force_from"]),
        _date(about["in_force_to"]),
    )
    counts = about["headings"], about["lines"], about["full_length"]
    stored = StoredRevision(revision, *counts, stored_at=dt.datetime.fromisoformat(about["stored_at"]))
    if stored.key != key:
        msg = f"it speaks of {stored.key}"
        raise ValueError(msg)
    return stored


def rows_of(data_dir: Path, stored: StoredRevision) -> Path:
    """Where the rows of a revision lie."""
    return folder_of(data_dir, stored.revision.schedule) / stored.key / "rows.json"


def read_schedule(data_dir: Path, stored: StoredRevision) -> Schedule:
    """The whole tree. Raises DamagedError if its content is not what was stored."""
    return _read_rows(data_dir, stored, unpack)


def read_wording(data_dir: Path, stored: StoredRevision) -> Wording:
    """Its words alone. Raises DamagedError if its content is not what was stored."""
    return _read_rows(data_dir, stored, Wording.read)


def check_rows(data_dir: Path, stored: StoredRevision) -> None:
    """Raises DamagedError if a revision's content is not what was stored."""
    _read_rows(data_dir, stored, require_same)


def _read_rows(data_dir: Path, stored: StoredRevision, read: Callable[[bytes, Revision], T]) -> T:
    path = rows_of(data_dir, stored)
    try:
        return read_stored(path, lambda content: read(content, stored.revision), what=_what(path.parent), mend=_IMPORT)
    except FileNotFoundError as error:
        raise DamagedError(_what(path.parent), path, _IMPORT) from error


def read_promoted(data_dir: Path, name: ScheduleName, key: str) -> StoredRevision:
    """What is said of the revision that answers. Raises DamagedError, also where it is not there."""
    folder = folder_of(data_dir, name) / key
    try:
        return read_about(folder)
    except FileNotFoundError as error:
        raise DamagedError(_what(folder), folder / "about.json", _IMPORT) from error


def list_revisions(data_dir: Path, name: ScheduleName) -> list[StoredRevision]:
    """Every stored revision that says what it is, the one stored last at the end."""
    found = [stored for stored in _all(data_dir, name) if isinstance(stored, StoredRevision)]
    return sorted(found, key=lambda stored: (stored.stored_at, stored.key))


def listing_state(data_dir: Path, name: ScheduleName) -> int:
    """Changes whenever a revision of a schedule comes or goes."""
    folder = folder_of(data_dir, name)
    return folder.stat().st_mtime_ns if folder.exists() else 0


def list_damaged(data_dir: Path, name: ScheduleName) -> list[DamagedError]:
    """The stored revisions that do not."""
    return [damage for damage in _all(data_dir, name) if isinstance(damage, DamagedError)]


def _all(data_dir: Path, name: ScheduleName) -> Iterator[StoredRevision | DamagedError]:
    for about in sorted(folder_of(data_dir, name).glob("[!.]*/about.json")):
        try:
            yield read_about(about.parent)
        except DamagedError as error:
            yield error


def read_pointer(data_dir: Path, name: ScheduleName) -> list[str]:
    """The keys of the current revision and those current before it, newest first. Raises DamagedError."""
    path = folder_of(data_dir, name) / _POINTER
    try:
        return read_stored(
            path, _read_pointer, what=f"What says which revision of {name} is current", mend=_promote(name)
        )
    except FileNotFoundError:
        return []


def _read_pointer(content: bytes) -> list[str]:
    keys = json.loads(content)
    if not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
        msg = "it is not a list of revisions"
        raise ValueError(msg)
    return keys


def write_pointer(data_dir: Path, name: ScheduleName, keys: list[str]) -> None:
    """Point at another current revision, in one step."""
    write_stored(folder_of(data_dir, name) / _POINTER, json.dumps(keys).encode())


@contextlib.contextmanager
def exclusive(data_dir: Path, name: ScheduleName) -> Iterator[None]:
    """One process at a time moves the pointer of a schedule."""
    folder = folder_of(data_dir, name)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _promote(name: ScheduleName) -> str:
    return f"`pcs schedules list` shows the editions; name one with `pcs schedules promote {name} EDITION`"


def _what(folder: Path) -> str:
    return f"The schedule {folder.parent.name} {folder.name}"


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
    """On the disk, not only in its cache, before anything points at it; its digest stands in about.json."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
