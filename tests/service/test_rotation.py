"""An operator at work: the secret key is changed, and what was given up in an outage goes out again."""

import dataclasses
import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test, client
from pcs.base.migrate import migrate
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import installation
from receiver import Receiver


@pytest.fixture
def own(settings: Settings, empty_database: str, tmp_path: Path) -> Iterator[Settings]:
    """An installation of its own that keeps its key in its data folder."""
    migrate(empty_database)
    with installation(dataclasses.replace(settings, database_url=empty_database, data_dir=tmp_path, secret_key="")):
        yield dataclasses.replace(settings, database_url=empty_database, data_dir=tmp_path, secret_key="")


def pcs(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    ours = {name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")}
    command = [sys.executable, "-m", "pcs.cli.main", *arguments]
    environ = {**ours, **settings.as_environment(), "COLUMNS": "300"}
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)


async def opened(settings: Settings) -> ServiceUnderTest:
    with installation(settings) as complete:
        return await build_service_under_test(complete, TurnedClock())


async def test_a_changed_secret_key_opens_what_was_sealed_and_knows_every_api_key(
    own: Settings, receiver: Receiver
) -> None:
    before = await opened(own)
    await before.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": "first"})
    await before.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": "second"})
    await before.close()
    old = (own.data_dir / "secret.key").read_text()
    for _ in range(2):  # what was changed once can be changed again
        changed = pcs(own, "admin", "change-secret-key")
        assert changed.returncode == 0, changed.stderr
        assert "1 stored secret is" in changed.stdout
    new = (own.data_dir / "secret.key").read_text()
    assert (own.data_dir / "secret.key").stat().st_mode & 0o777 == 0o600
    assert new not in changed.stdout
    assert [path.name for path in own.data_dir.iterdir()] == ["secret.key"], "no draft is left"

    after = await opened(own)
    async with client(after.service, Environment.LIVE, before.live_key) as live:
        accepted = await live.post(
            "/api/v1/products/classify", json={"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
        )
        assert accepted.status_code == 202, "API keys stay valid"
    await after.work()
    await after.close()
    [sent] = receiver.received
    assert sent.headers["x-webhook-secret"] == "second"
    assert len(sent.headers["webhook-signature"].split()) == 2, "the rotation under way goes on"
    refused = pcs(dataclasses.replace(own, secret_key=old), "admin", "list-keys")
    assert refused.returncode == 1
    assert "another secret key" in refused.stderr
    assert pcs(dataclasses.replace(own, secret_key=new), "admin", "list-organizations").returncode == 0


async def test_a_key_from_the_environment_is_shown_once_changed(own: Settings) -> None:
    given = dataclasses.replace(own, secret_key=(own.data_dir / "secret.key").read_text())
    changed = pcs(given, "admin", "change-secret-key")
    assert changed.returncode == 0, changed.stderr
    name, _, key = changed.stdout.splitlines()[0].partition("=")
    assert name == "PCS_SECRET_KEY"
    assert pcs(dataclasses.replace(own, secret_key=key), "admin", "list-organizations").returncode == 0
    assert pcs(given, "admin", "list-organizations").returncode == 1
    half = pcs(dataclasses.replace(own, secret_key=key.rpartition(":")[0]), "admin", "list-organizations")
    assert "only a part of a changed key" in half.stderr


async def test_a_secret_key_is_not_changed_under_running_workers(own: Settings) -> None:
    with psycopg.connect(own.database_url, autocommit=True) as connection:
        connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
    before = (own.data_dir / "secret.key").read_text()
    refused = pcs(own, "admin", "change-secret-key")
    assert refused.returncode == 1
    assert "Workers are running" in refused.stderr
    assert (own.data_dir / "secret.key").read_text() == before
    assert [path.name for path in own.data_dir.iterdir()] == ["secret.key"]


async def test_what_was_given_up_in_an_outage_goes_out_again_and_nothing_else(
    own: Settings, receiver: Receiver
) -> None:
    running = await opened(own)
    receiver.statuses = [500] * 9
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    await running.classify(name="long ago")
    await running.classify(name="in the outage")
    await running.work()
    started = dt.datetime.now(dt.UTC)
    for name, when in (("long ago", started - dt.timedelta(hours=5)), ("in the outage", started)):
        await running.run(
            """UPDATE deliveries d SET status = 'failed', finished_at = :at, next_attempt_at = NULL FROM events e
                WHERE e.id = d.event_id AND convert_from(e.body, 'UTF8') LIKE '%' || :name || '%'""",
            name=name,
            at=when,
        )
    await running.run("DELETE FROM procrastinate_jobs")
    receiver.statuses, before = [], list(receiver.received)
    receiver.received.clear()
    since = (started - dt.timedelta(hours=1)).isoformat()
    again = pcs(own, "admin", "redeliver", "--since", since)
    assert again.stdout == "1 delivery is being sent again.\n", again.stderr
    await running.work()
    await running.close()
    [sent] = receiver.received
    assert sent.json["data"]["product"]["name"] == "in the outage"
    assert (sent.headers["x-service-delivery-id"], sent.body) in {
        (one.headers["x-service-delivery-id"], one.body) for one in before
    }
    for wrong in ("2026-11-22T08:00:00", "yesterday"):
        refused = pcs(own, "admin", "redeliver", "--since", wrong)
        assert refused.returncode == 1
        assert "time zone" in refused.stderr
