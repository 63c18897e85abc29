"""The floor's own ways to PostgreSQL: waking listeners after a commit, and connections that the server has closed."""

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy import text

from builders import ServiceUnderTest
from pcs.base.database import Database, Prepared, conninfo
from pcs.base.queue import Order, defer
from pcs.base.settings import Settings
from pcs.base.tasks import DELIVERY, Task

CHANNEL = f"procrastinate_queue_v1#{DELIVERY}"
TASK = Task("nobody.does.this", DELIVERY)


async def heard(url: str, work: object) -> list[str]:
    """What a listener is told while this is done, and in the half second after."""
    connection = await psycopg.AsyncConnection.connect(conninfo(url), autocommit=True)
    async with connection:
        await connection.execute(f'LISTEN "{CHANNEL}"')
        await work  # type: ignore[misc]
        return [found.payload async for found in connection.notifies(timeout=0.5)]


async def test_workers_are_told_of_a_job_once_it_is_committed(running: ServiceUnderTest, settings: Settings) -> None:
    async def queue() -> None:
        async with running.service.database.begin() as transaction:
            jobs = await defer(transaction, TASK, [Order("one"), Order("two", priority=-1), Order("three")])
            assert jobs == sorted(jobs)
            await asyncio.sleep(0.1)
            assert len(jobs) == 3

    assert await heard(settings.database_url, queue()) == ['{"type": "job_inserted"}']
    await running.run("DELETE FROM procrastinate_jobs WHERE task_name = 'nobody.does.this'")


async def test_nobody_is_told_of_a_job_that_was_rolled_back(running: ServiceUnderTest, settings: Settings) -> None:
    async def queue_and_fail() -> None:
        async with running.service.database.begin() as transaction:
            await defer(transaction, TASK, [Order("one")])
            raise RuntimeError

    async def give_up() -> None:
        with pytest.raises(RuntimeError):
            await queue_and_fail()
        async with running.service.database.begin() as transaction:
            await transaction.execute(text("SELECT 1"))

    assert await heard(settings.database_url, give_up()) == []


async def test_the_queues_own_trigger_notifies_nobody_within_a_transaction(running: ServiceUnderTest) -> None:
    query = (
        "SELECT tgenabled::text AS enabled FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"
        " WHERE proname LIKE 'procrastinate_notify_queue_job_inserted%'"
    )
    assert [row["enabled"] for row in await running.rows(query)] == ["D"]


async def test_a_connection_that_the_server_has_closed_costs_no_request(settings: Settings) -> None:
    database = Database(settings.database_url, pool_size=2)
    for opened in (database.begin, database.autocommit):
        async with opened() as connection:
            pid = (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        async with await psycopg.AsyncConnection.connect(conninfo(settings.database_url), autocommit=True) as other:
            await other.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])
        await asyncio.sleep(0.05)
        async with opened() as connection:
            assert (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one() != pid
    await database.close()


_NOTED = Prepared(text("INSERT INTO noted SELECT CAST(:number AS integer)"))
_COUNT = Prepared(text("SELECT count(*) AS number FROM noted"))


@pytest.fixture
async def noting(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings.database_url, pool_size=1)
    async with database.begin() as transaction:
        await transaction.execute(text("CREATE TABLE noted (number integer PRIMARY KEY)"))
    yield database
    async with database.begin() as transaction:
        await transaction.execute(text("DROP TABLE noted"))
    await database.close()


async def counted_in(database: Database) -> int:
    async with database.autocommit() as connection:
        row = await _COUNT.row(connection)
        assert row is not None
        return int(row["number"])


async def test_what_is_posted_is_there_for_the_next_statement_whoever_sends_it(noting: Database) -> None:
    async with noting.begin() as transaction:
        await _NOTED.post(transaction, number=1)
        assert await _COUNT.row(transaction) == {"number": 1}
        await _NOTED.post(transaction, number=2)
        assert (await transaction.execute(text("SELECT count(*) FROM noted"))).scalar_one() == 2
        await _NOTED.post(transaction, number=3)
    assert await counted_in(noting) == 3
    async with noting.autocommit() as connection:
        await _NOTED.post(connection, number=4)
    assert await counted_in(noting) == 4


async def test_what_the_database_refuses_of_what_is_posted_undoes_the_transaction(noting: Database) -> None:
    async def twice(*, more: bool) -> None:
        async with noting.begin() as transaction:
            for _ in range(2):
                await _NOTED.post(transaction, number=1)
            if more:
                await _COUNT.row(transaction)

    for more in (True, False):
        with pytest.raises(psycopg.errors.UniqueViolation):
            await twice(more=more)
        assert await counted_in(noting) == 0


async def test_what_was_posted_before_a_fault_goes_out_with_nothing_that_follows(noting: Database) -> None:
    async def fail() -> None:
        async with noting.begin() as transaction:
            await _NOTED.post(transaction, number=1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    async with noting.begin() as transaction:
        assert await _COUNT.row(transaction) == {"number": 0}
