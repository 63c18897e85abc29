"""Whether a database has the tables that this version of the service needs; who only asks loads no migrations (they and
Alembic take 10 MB in each process). The trap: a migration whose file is named by another number than its own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, text

SCRIPTS = Path(str(resources.files("pcs.base") / "migrations"))


def is_current(connection: Connection) -> bool:
    """Whether a database has the tables that this version of the service needs: its own, or a later version's.

    Migrations only add, so that while an upgrade is rolled out (or back) the earlier version serves on.
    """
    revision, known = _revision(connection), known_revisions()
    return revision == max(known) or _is_of_none(revision, known)


def is_newer(connection: Connection, scripts: Path = SCRIPTS) -> bool:
    """Whether a later version of the service has migrated this database: its revision is none that we know."""
    return _is_of_none(_revision(connection), known_revisions(scripts))


def known_revisions(scripts: Path = SCRIPTS) -> frozenset[str]:
    """The revisions of the migrations, by their files: `v0037_image_urls.py` is 0037."""
    return frozenset(file.name[1:].partition("_")[0] for file in scripts.joinpath("versions").glob("v*.py"))


def _is_of_none(revision: str | None, known: frozenset[str]) -> bool:
    return revision is not None and revision not in known


def _revision(connection: Connection) -> str | None:
    """The last migration of a database, as Alembic keeps it; None before the first."""
    if connection.execute(text("SELECT to_regclass('alembic_version')")).scalar() is None:
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision
