"""The tables in code are what the migrations make. The trap: a column in one of them only, met at night.

Indexes, checks and unique constraints are the migrations' alone: no statement names them, so they are not compared."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, Text, create_engine

import pcs
from pcs.base.database import metadata, parse_url
from pcs.classifications.store import COMPUTED

THEIRS = ("procrastinate_", "queue_migrations", "alembic_version")  # the queue's own, and what has been applied
LEFT_FOR_THE_VERSION_BEFORE = {
    "sign_in_failures": "counted after the password was tried; 0010 counts before",
    "classifications.code": "0011 computes tariff_line, of every form of result",
    "classifications.search": "0011 computes terms, of every form of result",
    "classifications.terms": "0016 computes sought, which has the final code too",
}
NOT_COMPARED = {"add_index", "remove_index", "add_constraint", "remove_constraint"}


def tables() -> MetaData:
    """Every table that the code declares, in a copy."""
    for module in pkgutil.walk_packages(pcs.__path__, "pcs."):
        if module.name.endswith("store") or module.name == "pcs.base.installation":
            importlib.import_module(module.name)
    copy = MetaData()
    for table in metadata.tables.values():
        table.to_metadata(copy)
    return copy


def differences(url: str, declared: MetaData) -> Iterator[str]:
    """What the code says and the database has not, or the other way round."""
    engine = create_engine(parse_url(url))
    with engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), declared)
    engine.dispose()
    for one in found:
        for step in one if isinstance(one, list) else [one]:
            if step[0] not in NOT_COMPARED and not _name(step).startswith(THEIRS):
                yield f"{step[0]} {_name(step)}"


def _name(step: tuple[Any, ...]) -> str:
    if isinstance(step[1], Table):
        return step[1].name
    column = step[3].name if isinstance(step[3], Column) else step[3]
    return f"{step[2]}.{column}"


def test_the_tables_in_code_are_what_the_migrations_make(database_url: str) -> None:
    named = {f"remove_column classifications.{column}" for column in COMPUTED}
    left = {f"remove_{'column' if '.' in name else 'table'} {name}" for name in LEFT_FOR_THE_VERSION_BEFORE}
    assert set(differences(database_url, tables())) == named | left


def test_a_difference_is_seen(database_url: str) -> None:
    before, declared = set(differences(database_url, tables())), tables()
    reviews = declared.tables["reviews"].c
    reviews.note.nullable = False
    reviews.code.type = reviews.reviewed_at.type
    declared.tables["reviews"].append_column(Column("mood", Text))
    found = set(differences(database_url, declared)) - before
    assert found == {"modify_nullable reviews.note", "modify_type reviews.code", "add_column reviews.mood"}
