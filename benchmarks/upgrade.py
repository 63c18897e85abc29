"""How long an upgrade of a database with many classifications takes, and how long a reader waits at most meanwhile:
`python -m benchmarks.upgrade [BEFORE]`, the migration that it stands at, that of 0.2.0 unless told; BENCH_ROWS rows.

The trap: an empty database, which any migration passes in a blink; here it is filled before it is upgraded."""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from benchmarks.installation import CUSTOMERS
from benchmarks.stored import FILL, PRODUCTS
from benchmarks.table import Figure, markdown
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres

ROWS = int(os.environ.get("BENCH_ROWS", "1000000"))
_BEFORE = "0012"  # of 0.2.0
_ORGANIZATIONS = "INSERT INTO organizations (id, name, created_at) SELECT 'org_' || n, 'Acme', now() FROM %s n"
_READ = "SELECT result FROM classifications WHERE id = 'clf_' || lpad('7', 26, '0')"


def figures(before: str = _BEFORE) -> Iterator[Figure]:
    """Seconds of the upgrade, and of the slowest read of one row meanwhile."""
    with tempfile.TemporaryDirectory(prefix="pcs-bench-") as folder:
        Path(folder).chmod(0o755)  # the database's own user must get in
        with EmbeddedPostgres(Path(folder) / "postgres") as postgres:
            migrate(postgres.url, revision=before)
            _fill(postgres.url)
            waits: list[float] = []
            with _reading(postgres.url, waits):
                started = time.perf_counter()
                migrate(postgres.url)
                took = time.perf_counter() - started
        yield Figure(f"upgrade from {before} with {ROWS:,} classifications", took, "s")
        yield Figure("a read meanwhile, the slowest", max(waits), "s")


def _fill(url: str) -> None:
    arguments = {"first": 1, "last": ROWS, "customers": CUSTOMERS}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(_ORGANIZATIONS.replace("%s", f"generate_series(1, {CUSTOMERS})"))
        connection.execute(PRODUCTS, arguments)
        connection.execute(FILL, arguments)
        connection.execute("VACUUM ANALYZE")


@contextmanager
def _reading(url: str, waits: list[float]) -> Iterator[None]:
    """One row is read again and again meanwhile."""
    done = threading.Event()

    def read() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for _ in itertools.takewhile(lambda _: not done.wait(0.02), itertools.count()):
                started = time.perf_counter()
                connection.execute(_READ)
                waits.append(time.perf_counter() - started)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        done.set()
        reader.join()


if __name__ == "__main__":
    print(markdown(list(figures(*sys.argv[1:]))))
