"""Credits: the balance of an organization with a limit is the sum of its ledger, whatever happens at once."""

import asyncio
import collections
import random

import psycopg
import pytest

from builders import ServiceUnderTest
from pcs.base import migrate as migrating
from pcs.organizations import limits
from pcs.organizations.people import Actor

CLASSIFY = "/api/v1/products/classify"
ONE = {"product": {"name": "Mug"}, "schedules": ["US-HTS"]}
BOTH = {**ONE, "schedules": ["US-HTS", "EU-CN"]}
_BALANCE = """
    SELECT credit_limit,
           (SELECT credits FROM credit_balances b WHERE b.organization_id = o.id) AS balance,
           (SELECT coalesce(sum(credits), 0)::int FROM credit_entries e
             WHERE e.organization_id = o.id AND e.environment = 'live') AS ledger
      FROM organizations o WHERE id = :id
"""


async def cover(running: ServiceUnderTest, limit: int | None) -> None:
    actor = Actor(running.organization_id, None, "an operator", "")
    async with running.service.database.begin() as transaction:
        await limits.set_credit_limit(transaction, actor, limit, now=running.clock())


async def balance_is_the_ledger(running: ServiceUnderTest) -> int:
    """The ledger's sum; the balance is the same, and is there where there is a limit."""
    [found] = await running.rows(_BALANCE, id=running.organization_id)
    assert found["balance"] in ({found["ledger"]} if found["credit_limit"] is not None else {found["ledger"], None})
    return int(found["ledger"])


async def test_requests_at_the_same_moment_get_all_that_the_limit_covers_and_no_credit_more(
    running: ServiceUnderTest,
) -> None:
    await cover(running, 5)
    answers = await asyncio.gather(*(running.live.post(CLASSIFY, json=ONE) for _ in range(9)))
    assert collections.Counter(answer.status_code for answer in answers) == {202: 5, 402: 4}
    assert await balance_is_the_ledger(running) == 5


@pytest.mark.parametrize("seed", range(3))
async def test_the_balance_is_the_sum_of_the_ledger_whatever_happens_at_once(
    running: ServiceUnderTest, seed: int
) -> None:
    chance = random.Random(seed)

    async def happen(what: int) -> None:
        if what == 0:
            await cover(running, chance.choice((None, 0, 3, 40)))
        elif what == 1:  # by hand, or by a version before the balance
            limit = chance.choice(("NULL", "10"))
            await running.run(
                f"UPDATE organizations SET credit_limit = {limit} WHERE id = :id", id=running.organization_id
            )
        elif what == 2:
            await running.sandbox.post(CLASSIFY, json=ONE)
        else:
            await running.live.post(CLASSIFY, json=chance.choice((ONE, BOTH)))

    for _ in range(4):
        await asyncio.gather(*(happen(chance.randrange(8)) for _ in range(12)))
        await balance_is_the_ledger(running)
    await cover(running, 1_000)
    assert await balance_is_the_ledger(running) > 0


async def test_what_is_charged_and_then_undone_is_on_neither_side(running: ServiceUnderTest) -> None:
    await cover(running, 9)
    await running.run("ALTER TABLE kept_answers RENAME TO hidden")  # the last thing that such a request writes
    try:
        answer = await running.live.post(CLASSIFY, json=BOTH, headers={"Idempotency-Key": "once"})
    finally:
        await running.run("ALTER TABLE hidden RENAME TO kept_answers")
    assert answer.status_code == 500
    assert await balance_is_the_ledger(running) == 0
    assert (await running.live.post(CLASSIFY, json=BOTH)).status_code == 202
    assert await balance_is_the_ledger(running) == 2


async def test_what_a_version_before_the_balance_enters_counts(running: ServiceUnderTest) -> None:
    accepted = await running.classify(schedules=("US-HTS", "EU-CN"))
    await cover(running, 3)
    entered = """
        WITH another AS (INSERT INTO classifications (id, organization_id, environment, product_id, schedule, status,
                product_name, created_at, completed_at, error_code, error_message)
            SELECT 'clf_old' || id, organization_id, environment, product_id, schedule, 'failed', product_name, now(),
                   now(), 'CANCELLED', ''
              FROM classifications WHERE id = :id RETURNING id)
        INSERT INTO credit_entries SELECT id, :organization, 'live', 1, now() FROM another
    """
    first = accepted["classifications"][0]["id"]
    await running.run(entered, id=first, organization=running.organization_id)
    assert await balance_is_the_ledger(running) == 3
    assert (await running.live.post(CLASSIFY, json=ONE)).status_code == 402


def test_an_upgrade_brings_the_balance_of_each_organization_with_a_limit(empty_database: str) -> None:
    migrating.migrate(empty_database, revision="0031")
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO organizations SELECT n, n, nullif(n, 'free')::int, now() FROM unnest(%s::text[]) n",
            [["7", "8", "free"]],
        )
        connection.execute(
            "INSERT INTO products (id, organization_id, environment, name, created_at) "
            "SELECT id, id, 'live', id, now() FROM organizations"
        )
        connection.execute(
            "INSERT INTO classifications (id, organization_id, environment, product_id, schedule, "
            "status, product_name, created_at) SELECT p.id || e || n, p.id, e, p.id, 'US-HTS', "
            "'pending', '', now() FROM products p, unnest('{live,test}'::text[]) e, "
            "generate_series(1, 3) n WHERE p.id <> '8'"
        )
        connection.execute(
            "INSERT INTO credit_entries SELECT id, organization_id, environment, 1, now() FROM classifications"
        )
        migrating.migrate(empty_database)
        found: dict[str, int] = dict(
            connection.execute("SELECT organization_id, credits FROM credit_balances").fetchall()
        )
    assert found == {"7": 3, "8": 0}
