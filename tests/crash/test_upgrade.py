"""The version that runs goes on while the next one's migration adds to every table under it.

The trap: a connection that has prepared a query over all columns (`SELECT *`), which PostgreSQL refuses once there is
one more; so the processes are well in use before the migration comes."""

import asyncio
import shutil
from pathlib import Path

import httpx2
import pytest

from builders import ServiceUnderTest
from crash.processes import (
    WORKER,
    assert_nothing_lost_and_nothing_doubled,
    free_port,
    process,
    until_settled,
    until_up,
)
from pcs.base import migrate as migrating
from receiver import Receiver

pytestmark = pytest.mark.crash

KINDS = ["classification.completed", "classification.failed", "batch.completed"]

NEXT_VERSION = """
from alembic import op
from sqlalchemy import inspect

revision, down_revision = "9999", "{head}"


def upgrade():
    for table in inspect(op.get_bind()).get_table_names():
        if not table.startswith("procrastinate") and table != "alembic_version":
            op.execute(f"ALTER TABLE {{table}} ADD COLUMN next_version text NOT NULL DEFAULT 'none'")
            op.execute(f"CREATE INDEX {{table}}_next_version ON {{table}} (next_version)")
    op.execute("CREATE TABLE next_version (id text PRIMARY KEY)")
"""


def next_version(folder: Path, head: str) -> Path:
    """Our migrations and one more, which adds a column and an index to each table."""
    scripts = folder / "migrations"
    shutil.copytree(Path(migrating.__file__).parent / "migrations", scripts)
    (scripts / "versions" / "v9999_next.py").write_text(NEXT_VERSION.format(head=head), encoding="utf-8")
    return scripts


async def use(api: httpx2.AsyncClient, number: int) -> int:
    """Everything that the hot paths do, once; how many classifications were asked for."""
    product = {"name": f"T-shirt {number}", "identifier": f"SKU-{number}"}
    body = {"product": product, "schedules": ["US-HTS", "EU-CN"]}
    accepted = await api.post("/products/classify", json=body, headers={"Idempotency-Key": f"order-{number}"})
    bulk = await api.post("/classifications/bulk", json={"products": [product], "schedules": ["US-HTS"]})
    assert (accepted.status_code, bulk.status_code) == (202, 202), accepted.text + bulk.text
    for path in (
        f"/classifications/{accepted.json()['classifications'][0]['id']}",
        f"/products/{accepted.json()['product_id']}",
        f"/classifications/bulk/{bulk.json()['batch_id']}",
        "/classifications",
        "/webhooks",
        "/webhooks/deliveries",
        "/usage",
    ):
        answer = await api.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
    return 3


async def test_the_running_version_works_on_while_the_next_one_migrates(
    apart: ServiceUnderTest, receiver: Receiver, tmp_path: Path
) -> None:
    settings = apart.service.settings
    [current] = await apart.rows("SELECT version_num AS head FROM alembic_version")
    scripts = next_version(tmp_path, current["head"])
    port = free_port()
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url, "event_types": KINDS})
    headers = {"Authorization": f"Bearer {apart.live_key}"}
    base_url = f"http://127.0.0.1:{port}/api/v1"
    async with (
        process(settings, "-m", "pcs.cli.main", "serve", "--port", str(port)),
        process(settings, *WORKER),
        httpx2.AsyncClient(base_url=base_url, headers=headers, trust_env=False, timeout=30) as api,
    ):
        await until_up(f"http://127.0.0.1:{port}")
        asked = sum([await use(api, number) for number in range(12)])
        migration = asyncio.create_task(asyncio.to_thread(migrating.migrate, settings.database_url, scripts=scripts))
        asked += sum([await use(api, number) for number in range(12, 36)])
        await migration
        added = await apart.rows("SELECT 1 FROM information_schema.columns WHERE column_name = 'next_version'")
        assert len(added) >= 15, "every table of ours"
        asked += sum([await use(api, number) for number in range(36, 48)])
        assert (await api.get(f"http://127.0.0.1:{port}/ready")).status_code == 200
        await until_settled(apart, seconds=30)
    async with process(settings, *WORKER):  # and starts anew beside the next version's tables
        await apart.classify()
        await until_settled(apart, seconds=30)
    await assert_nothing_lost_and_nothing_doubled(apart, receiver, accepted=asked + 1)
