"""The one way to PostgreSQL. The trap: a service that commits; only the entry point that opened a transaction ends it.

The statements that every request sends are `Prepared`: written in SQLAlchemy Core as all others, compiled once, and
sent by the driver itself, which takes a quarter of the time (docs/performance.md)."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import select
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.abc import Params, PQGen, Query
from psycopg.rows import dict_row
from sqlalchemy import ClauseElement, Column, Connection, DateTime, MetaData, Table, event, text
from sqlalchemy.dialects.postgresql.psycopg import dialect as psycopg_dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import NullType
from sqlalchemy.util import await_only

from pcs.base.clock import SharedClock
from pcs.base.errors import OperatorError

metadata = MetaData()
"""Every table of the service; each feature's store adds its own."""

MOMENT = DateTime(timezone=True)
"""The type of every column that holds a moment."""

Transaction = AsyncConnection
"""An open transaction: services take it, entry points open and end it."""


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
    """Two pools of connections, of one size: for transactions, and for statements that stand alone.

    The trap: connections beyond a pool's size, which are opened and closed for one use each; so there are none.
    """

    def __init__(self, url: str, *, pool_size: int = 10, clock: SharedClock | None = None) -> None:
        """`clock` is set by the server's own, before whatever else a connection is asked for."""
        self.clock = clock or SharedClock()
        self._transactions = _engine(url, pool_size)
        self._statements = _engine(url, pool_size, pool_reset_on_return=None)
        self._news: dict[tuple[str, str], None] = {}
        self._announcing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Transaction]:
        """A transaction that commits at the end of the block and rolls back on any exception.

        Once it is committed, others are told what `announce` said in it.
        """
        async with self._transactions.begin() as transaction:
            transaction.info.pop(_NEWS, None)
            transaction.info[_POSTED] = [_BEGIN]
            await self._set_clock(transaction)
            yield transaction
            await _send_rest(_sync(transaction))
            news = transaction.info.pop(_NEWS, None)
        if news:
            self._news |= news
            if self._announcing is None or self._announcing.done():
                self._announcing = asyncio.create_task(self._announce())

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[Transaction]:
        """A connection whose every statement is a transaction of its own: to read, or to write one thing.

        A transaction would read no more consistently, as each of its statements sees what is committed by then.
        """
        connection = await self._statements.connect().start()
        try:
            await self._set_clock(connection)
            yield connection
        finally:  # gives it back without a word to the server, so that nothing can come between
            await connection.close()

    async def _set_clock(self, connection: AsyncConnection) -> None:
        if self.clock.is_due:
            asked = time.monotonic()
            row = await _TIME.row(connection)
            assert row is not None
            self.clock.set(row["present"], asked=asked)

    async def _announce(self) -> None:
        """Notify the listeners; what comes meanwhile goes together in the next round."""
        while self._news:
            news, self._news = self._news, {}
            with contextlib.suppress(SQLAlchemyError, psycopg.Error):  # whoever listens looks for itself now and then
                async with self.autocommit() as connection:
                    for channel, payload in news:
                        await _NOTIFY.run(connection, channel=channel, payload=payload)

    async def close(self) -> None:
        """Give every connection back."""
        if self._announcing is not None:
            await self._announcing
        await self._transactions.dispose()
        await self._statements.dispose()


def _engine(url: str, pool_size: int, **more: Any) -> AsyncEngine:  # noqa: ANN401 (SQLAlchemy's own)
    engine = create_async_engine(
        parse_url(url),
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=10,
        hide_parameters=True,  # customers' goods and hashed keys stay out of the logs
        isolation_level="AUTOCOMMIT",  # the driver's BEGIN is a round trip; ours goes out with what follows it
        connect_args={"connect_timeout": 5, "application_name": "pcs"},
        **more,
    )
    event.listen(engine.sync_engine, "checkout", _refuse_dead)
    event.listen(engine.sync_engine, "before_cursor_execute", _send_posted_first)
    return engine


def _refuse_dead(connection: Any, record: ConnectionPoolEntry, _: object) -> None:  # noqa: ANN401 (SQLAlchemy's adapter)
    """Have the pool connect anew where the server has closed an idle connection: a restart costs that, and no request.

    An idle connection has nothing to read but its end; looking costs a microsecond, where a ping costs a round trip.
    """
    waiting: select.poll | None = record.info.get(_WAITING)
    if waiting is None:
        waiting = record.info[_WAITING] = select.poll()
        waiting.register(connection.driver_connection.fileno(), select.POLLIN | select.POLLHUP)
    if waiting.poll(0):
        raise DisconnectionError


_WAITING = "waiting"


def announce(transaction: Transaction, channel: str, payload: str) -> None:
    """Notify a channel's listeners when the transaction has committed; lost if the process dies in between.

    The trap: NOTIFY inside a transaction, which has all such transactions of a database commit one after the other.
    """
    transaction.info.setdefault(_NEWS, {})[channel, payload] = None


_NEWS = "news"


class Prepared:
    """A statement of SQLAlchemy Core that is compiled once and then sent by the driver.

    Its `bindparam`s are the arguments; rows are mappings by column name.
    """

    __slots__ = ("_fixed", "_sql")

    def __init__(self, statement: ClauseElement) -> None:
        compiled = statement.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
        self._sql = str(compiled)
        self._fixed = {name: value for name, value in compiled.params.items() if isinstance(value, (int, float, str))}

    async def rows(self, transaction: Transaction, **arguments: object) -> list[dict[str, Any]]:
        """Every row of the answer."""
        return await (await self._ask(transaction, arguments)).fetchall()

    async def row(self, transaction: Transaction, **arguments: object) -> dict[str, Any] | None:
        """The first row, None where there is none."""
        return await (await self._ask(transaction, arguments)).fetchone()

    async def run(self, transaction: Transaction, **arguments: object) -> int:
        """How many rows it has written."""
        return (await self._ask(transaction, arguments)).rowcount

    async def each(self, transaction: Transaction, arguments: Sequence[Mapping[str, object]]) -> list[list[_Row]]:
        """Every row of the answer for each of these arguments, all of them asked in one round trip."""
        statements = (_Statement(self._sql, {**self._fixed, **each}) for each in arguments)
        return [await cursor.fetchall() for cursor in await _sent(_sync(transaction), *statements)]

    async def post(self, transaction: Transaction, check: _Check | None = None, /, **arguments: object) -> None:
        """Send it together with the transaction's next statement, or with its end: nobody waits for its answer.

        What the database refuses of it is raised there, and what `check` raises of its first row, None without one.
        """
        statement = _Statement(self._sql, {**self._fixed, **arguments}, check)
        if _POSTED in transaction.info:
            transaction.info[_POSTED].append(statement)
        else:
            await _sent(_sync(transaction), statement)

    async def _ask(self, transaction: Transaction, arguments: Mapping[str, object]) -> psycopg.AsyncCursor[_Row]:
        [cursor] = await _sent(_sync(transaction), _Statement(self._sql, {**self._fixed, **arguments}))
        return cursor


class Insertion:
    """An INSERT of any number of rows into some columns of a table, as one statement."""

    __slots__ = ("_columns", "_statement")

    def __init__(self, table: Table, *columns: str) -> None:
        """Without `columns`, into all."""
        self._columns = columns or tuple(table.c.keys())
        names = ", ".join(self._columns)
        self._statement = Prepared(
            text(f"INSERT INTO {table.name} ({names}) SELECT * FROM {unnested(table, self._columns)}")  # noqa: S608 (names of ours)
        )

    async def post(self, transaction: Transaction, rows: Sequence[Mapping[str, object]]) -> None:
        """Store the rows, if any; see `Prepared.post`."""
        if rows:
            await self._statement.post(transaction, **by_column(rows, self._columns))


def unnested(table: Table, columns: Sequence[str]) -> str:
    """SQL of rows for these columns of a table; its arguments are `by_column`."""
    return f"unnest({', '.join(f'CAST(:{name} AS {_type_of(table.c[name])}[])' for name in columns)})"


def by_column(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> dict[str, list[object]]:
    """The values of each column, row by row."""
    return {name: [row[name] for row in rows] for name in columns}


def _type_of(column: Column[Any]) -> str:
    """The SQL type of a column; those that refer to other tables have none of their own, and are identifiers."""
    return "text" if isinstance(column.type, NullType) else column.type.compile(_DIALECT)


_DIALECT = psycopg_dialect()  # type: ignore[no-untyped-call]
_Row = dict[str, Any]
_Check = Callable[[_Row | None], None]


@dataclass(frozen=True, slots=True)
class _Statement:
    sql: str
    arguments: Mapping[str, object]
    check: _Check | None = None


_BEGIN, _COMMIT = _Statement("BEGIN", {}), _Statement("COMMIT", {})
_POSTED = "posted"  # a list on each connection that has a transaction


class _Queued(psycopg.AsyncCursor[_Row]):
    """Leaves a statement to the end of the pipeline, where psycopg's own sends each by itself: a system call a
    statement takes longer than all else of it."""

    def _execute_gen(
        self, query: Query, params: Params | None = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> PQGen[None]:
        yield from self._start_query(query)
        yield from self._maybe_prepare_gen(self._convert_query(query, params), prepare=prepare, binary=binary)
        self._last_query = query
        yield from self._conn._prepared.maintain_gen(self._conn)  # noqa: SLF001 (as the method that it stands for)


async def _sent(connection: Connection, *statements: _Statement) -> list[psycopg.AsyncCursor[_Row]]:
    """The statements' answers. What was posted goes out before them, all of it at once."""
    driver, posted = _driver(connection), connection.info.get(_POSTED, [])
    sending = [*posted, *statements]
    posted.clear()
    if len(sending) == 1:
        cursors = [await driver.cursor(row_factory=dict_row).execute(sending[0].sql, sending[0].arguments)]
    else:
        cursors = await _pipelined(driver, sending)
    for one, cursor in zip(sending, cursors, strict=True):
        if one.check is not None:
            one.check(await cursor.fetchone())
    return cursors[len(sending) - len(statements) :]


async def _pipelined(
    driver: psycopg.AsyncConnection[Any], sending: Sequence[_Statement]
) -> list[psycopg.AsyncCursor[_Row]]:
    try:
        async with driver.pipeline():
            return [await _Queued(driver, row_factory=dict_row).execute(one.sql, one.arguments) for one in sending]
    except psycopg.errors.PipelineAborted as aborted:  # said of those behind, in place of what was refused before them
        refused = aborted.__context__
        if isinstance(refused, psycopg.Error):
            raise refused from None
        raise


async def _send_rest(connection: Connection) -> None:
    """Let what was posted last go, and with it the transaction's end, unless that depends on the answers."""
    posted: list[_Statement] = connection.info[_POSTED]
    if posted not in ([], [_BEGIN]):
        await _sent(connection, *() if any(one.check for one in posted) else (_COMMIT,))


def _send_posted_first(connection: Connection, *_: object) -> None:
    """Let what was posted go before a statement that SQLAlchemy sends."""
    if connection.info.get(_POSTED):
        await_only(_sent(connection))


def _sync(transaction: Transaction) -> Connection:
    sync = transaction.sync_connection
    assert sync is not None
    return sync


def _driver(connection: Connection) -> psycopg.AsyncConnection[Any]:
    """The driver's connection under an open one."""
    driver: psycopg.AsyncConnection[Any] = connection.connection.driver_connection  # type: ignore[assignment]
    return driver


def is_unavailable(error: BaseException) -> bool:
    """Whether an exception means that the database cannot be reached now, so that trying again later makes sense."""
    if isinstance(error, (TimeoutError, PoolTimeoutError)):
        return True
    if isinstance(error, psycopg.Error):
        return isinstance(error, psycopg.OperationalError) and error.sqlstate in _PASSING
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or (isinstance(error.orig, _ITS_OWN) and _sqlstate(error) in _PASSING)


def is_full(error: BaseException) -> bool:
    """Whether an exception means that no room is left to store anything: the database's, or our own files'."""
    if isinstance(error, DBAPIError):
        return _sqlstate(error) == _DISK_FULL
    return getattr(error, "sqlstate", None) == _DISK_FULL or (isinstance(error, OSError) and error.errno in _NO_ROOM)


_ITS_OWN = (psycopg.OperationalError, psycopg.InterfaceError)  # not what it says of a wrong value, which has no state
_DISK_FULL = "53100"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


_PASSING = frozenset({None, "57P01", "57P02", "57P03", "53300", "08000", "08003", "08006", "40001", "40P01"})


def _sqlstate(error: DBAPIError) -> str | None:
    state = getattr(error.orig, "sqlstate", "")
    return state if isinstance(state, str) else None


_TIME = Prepared(text("SELECT clock_timestamp() AS present"))
_NOTIFY = Prepared(text("SELECT pg_notify(:channel, :payload)"))
