"""How long a page of the dashboard takes with 100,000 classifications stored: the service's time, no network.

The trap: measuring an empty database. Part of `make bench`."""

import asyncio
import datetime as dt
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
from sqlalchemy import text

from benchmarks.table import Figure
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.bootstrap import Service, build_service
from pcs.dashboard.app import create_dashboard
from pcs.dashboard.security import SESSION_COOKIE
from pcs.organizations import members, sessions
from pcs.organizations import service as organizations
from pcs.organizations.members import Newcomer
from pcs.organizations.people import Origin

STORED = 100_000
LIMIT_MS = 50.0
_ROUNDS = 15

_PRODUCTS = """
INSERT INTO products (id, organization_id, environment, name, identifier, created_at)
SELECT 'product_' || lpad(n::text, 26, '0'), :organization_id, 'live', 'Goods', 'SKU-' || n, now()
FROM generate_series(0, :stored / 2) n
"""
_FILL = """
INSERT INTO classifications (id, organization_id, environment, product_id, schedule, status, product_name,
    product_description, product_identifier, created_at, started_at, completed_at, processing_time_ms, result,
    error_code, error_message, steps)
SELECT 'clf_' || lpad(n::text, 26, '0'), :organization_id, 'live', 'product_' || lpad((n / 2)::text, 26, '0'),
    CASE n % 2 WHEN 0 THEN 'US-HTS' ELSE 'EU-CN' END,
    CASE WHEN n > :stored - 20 THEN 'pending' WHEN n % 50 = 0 THEN 'failed' ELSE 'completed' END,
    (ARRAY['Cotton T-shirt', 'Laptop computer', 'Leather handbag', 'Oak table', 'Steel screw', 'Mug'])[n % 6 + 1]
        || ' no ' || n, 'A description of the goods, of some length, for number ' || n, 'SKU-' || n,
    now() - make_interval(secs => (:stored - n) * 25.0), now(), now(), 5 + n % 90,
    CASE WHEN n > :stored - 20 OR n % 50 = 0 THEN NULL ELSE jsonb_build_object(
        'version', 1, 'schedule_revision', '2026',
        'code', lpad(((CASE n % 20 WHEN 1 THEN n ELSE n / 2 END) * 7919 % 99999999)::text, 8, '0'),
        'description', 'Goods > of a kind > of another', 'confidence', (n % 100) / 100.0,
        'needs_review', n % 10 < 5, 'reasoning', repeat('Because of the terms of the heading. ', 12),
        'hierarchy', jsonb_build_array(), 'alternatives', jsonb_build_array(), 'rulings', jsonb_build_array()) END,
    CASE WHEN n % 50 = 0 AND n <= :stored - 20 THEN 'CLASSIFICATION_ERROR' END,
    CASE WHEN n % 50 = 0 AND n <= :stored - 20 THEN 'It failed' END, NULL
FROM generate_series(1, :stored) n
"""
_LEDGER = """
INSERT INTO credit_entries SELECT id, organization_id, environment, 1, created_at FROM classifications
"""

PAGES = {
    "overview": "",
    "list": "/classifications",
    "list, page 2000": "/classifications?after=clf_00000000000000000000050000",
    "list, failed": "/classifications?status=failed",
    "list, doubtful first": "/classifications?sort=doubtful",
    "list, wants review": "/classifications?review=wanted",
    "review": "/review",
    "review, doubtful first": "/review?order=doubtful",
    "review, one schedule, sure": "/review?schedule=EU-CN&sureness=75",
    "review, schedules disagree": "/review?disagreeing=yes",
    "review, none of it mine": "/review?mine=yes",
    "decisions": "/decisions",
    "search, common word": "/classifications?q=cotton",
    "search, rare word": "/classifications?q=SKU-4711",
    "search, nothing": "/classifications?q=unicorn",
    "search, code": "/classifications?q=7919",
    "one": "/classifications/clf_00000000000000000000077777",
    "usage, 30 days": "/usage",
    "usage, 90 days": "/usage?days=90",
    "api keys": "/settings/api",
    "webhooks": "/settings/webhooks",
    "members": "/settings/members",
    "audit log": "/settings/audit",
    "schedule": "/schedules/US-HTS",
    "schedule, search": "/schedules/US-HTS?q=cotton",
    "code": "/schedules/US-HTS/codes/6109",
}


def figures() -> Iterator[Figure]:
    """The median of each page, and what it must stay under."""
    configure_logging("warning")
    with tempfile.TemporaryDirectory(prefix="pcs-bench-") as folder:
        Path(folder).chmod(0o755)  # the database's own user must get in
        with EmbeddedPostgres(Path(folder) / "db") as postgres:
            migrate(postgres.url)
            settings = Settings(data_dir=Path(folder), database_url=postgres.url, secret_key="for a benchmark")
            measured = asyncio.run(_measure(settings))
    for name, median in measured.items():
        yield Figure(f"dashboard, {name}, {STORED:,} stored", median, "ms", limit=LIMIT_MS)


async def _measure(settings: Settings) -> dict[str, float]:
    service = build_service(settings)
    try:
        cookie = await _prepare(service)
        transport = httpx2.ASGITransport(create_dashboard(service))
        async with httpx2.AsyncClient(
            transport=transport, base_url="https://bench", cookies={SESSION_COOKIE: cookie}
        ) as client:
            return {name: await _median(client, path) for name, path in PAGES.items()}
    finally:
        await service.database.close()


async def _median(client: httpx2.AsyncClient, path: str) -> float:
    times = []
    for number in range(_ROUNDS + 1):
        started = time.perf_counter()
        answer = await client.get(f"/dashboard/live{path}")
        took = (time.perf_counter() - started) * 1000
        assert answer.status_code == 200, (path, answer.status_code)
        if number:  # the first compiles the template and opens the schedule
            times.append(took)
    return statistics.median(times)


async def _prepare(service: Service) -> str:
    """An organization with an owner who is signed in, and its classifications; the session's token."""
    now = dt.datetime.now(dt.UTC)
    async with service.database.begin() as transaction:
        organization = await organizations.create_organization(transaction, "Bench", now=now)
        offered = await members.offer_first_administrator(transaction, organization, service.secrets, now=now)
        invitation = await members.find_invitation(transaction, offered, service.secrets, now=now)
        member = await members.accept(transaction, invitation, Newcomer("a@example.com", "A", "none"), now=now)
        origin = Origin("127.0.0.1", "bench")
        _, token = await sessions.begin(transaction, member, organization, service.secrets, origin=origin, now=now)
        arguments = {"organization_id": organization.id, "stored": STORED}
        await transaction.execute(text(_PRODUCTS), arguments)
        await transaction.execute(text(_FILL), arguments)
        await transaction.execute(text(_LEDGER))
    async with await psycopg.AsyncConnection.connect(service.settings.database_url, autocommit=True) as connection:
        await connection.execute("VACUUM ANALYZE")
    return token
