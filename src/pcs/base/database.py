"""The one way to PostgreSQL. The trap: a service that commits; only the door that opened a transaction ends it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import DateTime, MetaData
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from pcs.base.errors import OperatorError

metadata = MetaData()
"""Every table of the service; each feature's store adds its own."""

MOMENT = DateTime(timezone=True)
"""The type of every column that holds a moment."""

Transaction = AsyncConnection
"""An open transaction: services take it, doors open and end it."""


def parse_url(text: str) -> URL:
    """A PostgreSQL address as SQLAlchemy takes it. Raises OperatorError for anything else."""
    try:
        url = make_url(text)
    except ArgumentError:
        url = None
    if url is None or url.get_backend_name() not in {"postgres", "postgresql"}:
        msg = "PCS_DATABASE_URL must look like postgresql://user:password@host:5432/name."
        raise OperatorError(msg)
    return url.set(drivername="postgresql+psycopg")


def conninfo(text: str) -> str:
    """The same address as libpq takes it."""
    return parse_url(text).set(drivername="postgresql").render_as_string(hide_password=False)


class Database:
    """A pool of connections."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self._engine = create_async_engine(
            parse_url(url),
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=10,
            hide_parameters=True,  # customers' goods and hashed keys stay out of the logs
            pool_pre_ping=True,  # a restarted server costs a ping here, not a failed request
            connect_args={"connect_timeout": 5, "application_name": "pcs"},
        )

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Transaction]:
        """A transaction that commits at the end of the block and rolls back on any exception."""
        async with self._engine.begin() as transaction:
            yield transaction

    async def close(self) -> None:
        """Give every connection back."""
        await self._engine.dispose()


def is_unavailable(error: BaseException) -> bool:
    """Whether an exception means that the database cannot be reached now, so that trying again later makes sense."""
    if isinstance(error, TimeoutError):
        return True
    return isinstance(error, DBAPIError) and (error.connection_invalidated or _sqlstate(error) in _PASSING)


_PASSING = frozenset({None, "57P01", "57P02", "57P03", "53300", "08000", "08003", "08006", "40001", "40P01"})


def _sqlstate(error: DBAPIError) -> str | None:
    state = getattr(error.orig, "sqlstate", "")
    return state if isinstance(state, str) else None
