"""A look at the publisher's list stores what is new, promotes when told, and leaves what answers alone otherwise."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from builders import ServiceUnderTest
from pcs.base.publisher import HttpPublisher, RequestPolicy
from pcs.cli.schedules import app
from pcs.schedules.service import Revisions
from pcs.schedules.watching import LookOutcome, Sighting, look
from pcs.tariff.revision import ScheduleName
from pcs.worker.sweep import sweep
from schedules.test_fetch_command import row
from schedules.test_fetch_command import usitc as usitc  # noqa: PLC0414 (a fixture)
from usitc_server import UsitcServer

US = ScheduleName.US_HTS


def looked(usitc: UsitcServer, data_dir: Path, *, promote: bool = False, again: bool = False) -> Sighting:
    with HttpPublisher(usitc.address, RequestPolicy(pause=0, attempts=1)) as publisher:
        return look(data_dir, publisher, promote=promote, again=again)


def answering(data_dir: Path) -> str | None:
    key = Revisions(data_dir).pointer(US)
    return key and key.rpartition("-")[0]


def test_a_new_revision_is_stored_with_what_it_changes_and_is_promoted_when_told(
    usitc: UsitcServer, tmp_path: Path
) -> None:
    first = looked(usitc, tmp_path)
    assert (first.edition, first.steps, answering(tmp_path)) == ("2026-rev-10", (LookOutcome.STORED,), None)
    assert looked(usitc, tmp_path, promote=True).outcome is LookOutcome.NOTHING_NEW, "a daily look promotes nothing old"
    assert looked(usitc, tmp_path, promote=True, again=True).outcome is LookOutcome.PROMOTED
    usitc.releases = ["2026HTSRev11"]
    usitc.rows.insert(1, row("0101888888", 1))
    fresh = looked(usitc, tmp_path, promote=True)
    assert fresh.steps == (LookOutcome.STORED, LookOutcome.PROMOTED)
    assert "Since 2026-rev-10: 1 added, 0 removed" in fresh.detail
    assert answering(tmp_path) == "2026-rev-11"
    Revisions(tmp_path).rollback(US)
    assert looked(usitc, tmp_path, promote=True).outcome is LookOutcome.NOTHING_NEW
    assert answering(tmp_path) == "2026-rev-10", "what was rolled back stays so"


@pytest.mark.parametrize("fault", ["half", "page", "away"])
def test_a_broken_publication_is_refused_and_what_answers_stays(usitc: UsitcServer, tmp_path: Path, fault: str) -> None:
    looked(usitc, tmp_path, promote=True)
    usitc.releases = ["2026HTSRev11"]
    usitc.refuse_wide = True
    if fault == "half":
        usitc.rows = [each for each in usitc.rows if not each["htsno"].startswith("0101")]
    elif fault == "page":
        usitc.broken = "01"
    else:
        usitc.close()
    refused = looked(usitc, tmp_path, promote=True)
    assert refused.outcome is LookOutcome.REFUSED
    assert refused.detail
    assert answering(tmp_path) == "2026-rev-10"


def test_the_command_says_what_it_did_and_ends_with_1_where_it_refused(usitc: UsitcServer, tmp_path: Path) -> None:
    command = ["watch", "--address", usitc.address, "--pause", "0", "--data-dir", str(tmp_path)]
    done = CliRunner().invoke(app, [*command, "--json"])
    assert (done.exit_code, json.loads(done.stdout)["steps"]) == (0, ["stored"])
    assert "nothing new" in CliRunner().invoke(app, command).stdout
    usitc.releases = ["Something else"]
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 1
    assert "not an edition" in refused.stdout


@pytest.fixture
def watching(running: ServiceUnderTest, usitc: UsitcServer) -> Iterator[ServiceUnderTest]:
    """A service that looks daily and promotes."""
    settings = dataclasses.replace(
        running.service.settings,
        schedules_watch=True,
        schedules_auto_promote=True,
        schedules_address=usitc.address,
    )
    yield dataclasses.replace(running, service=dataclasses.replace(running.service, settings=settings))
    current = settings.data_dir / "schedules" / US / "current.json"
    current.unlink(missing_ok=True)


async def told(running: ServiceUnderTest) -> list[Any]:
    query = (
        "SELECT action, subject FROM audit_entries WHERE organization_id = :id AND actor = 'daily watch' ORDER BY id"
    )
    return [tuple(one.values()) for one in await running.rows(query, id=running.organization_id)]


async def test_one_worker_a_day_looks_and_every_step_is_in_the_audit_log(
    watching: ServiceUnderTest, usitc: UsitcServer
) -> None:
    async with watching.service.database.begin() as transaction:
        await transaction.execute(text("DELETE FROM schedule_watches"))
    await sweep(watching.service)
    await sweep(watching.service)
    await watching.work(queue="delivery")
    lists = [request for request in usitc.requests if "releaseList" in request]
    assert len(lists) == 3, "one look: before, at the start and at the end of the fetch"
    edition = "US-HTS 2026-rev-10"
    steps = [("stored a new revision of a schedule", edition), ("promoted a new revision of a schedule", edition)]
    assert sorted(await told(watching)) == sorted(steps)
    watching.clock.turn(hours=25)
    await sweep(watching.service)
    await watching.work(queue="delivery")
    assert sorted(await told(watching)) == sorted(steps), "nothing new is no step"
    assert len([request for request in usitc.requests if "releaseList" in request]) == 4


async def test_without_the_setting_nobody_looks(running: ServiceUnderTest, usitc: UsitcServer) -> None:
    settings = dataclasses.replace(running.service.settings, schedules_address=usitc.address)
    await sweep(dataclasses.replace(running.service, settings=settings))
    assert await running.rows("SELECT 1 FROM procrastinate_jobs WHERE task_name = 'schedules.watch'") == []
