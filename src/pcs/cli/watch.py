"""`pcs schedules watch`: look for a new revision. The trap: a look that nobody is told of; each step that changed
something stands in the audit log of every organization, and one that was refused ends the command with 1."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pcs.base.database import Transaction
from pcs.base.publisher import HttpPublisher, RequestPolicy
from pcs.base.settings import Settings
from pcs.bootstrap import Service
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.output import print_json, say, say_aside
from pcs.cli.transactions import in_transaction
from pcs.schedules.watching import WATCHED, LookOutcome, Sighting, look
from pcs.tariff.sources import usitc_release
from pcs.worker.watching import write_down


def command(
    *,
    promote: Annotated[bool, typer.Option("--promote", help="Promote a new revision that passes the checks.")] = False,
    address: Annotated[
        str, typer.Option(envvar="PCS_SCHEDULES_ADDRESS", help="Another address.")
    ] = usitc_release.ADDRESS,
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds between two requests.")] = 1.0,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Look whether USITC has published a new revision of the HTS; fetch, check and store it."""
    with HttpPublisher(address, RequestPolicy(pause=pause)) as publisher:
        sighting = look(data_dir, publisher, promote=promote, again=True)
    _write_down(sighting, data_dir)
    if as_json:
        print_json({"schedule": WATCHED, "edition": sighting.edition, "steps": sighting.steps, "said": sighting.detail})
    else:
        say(f"{' '.join(filter(None, (WATCHED, sighting.edition)))}: {', '.join(sighting.steps)}. {sighting.detail}")
    if sighting.outcome is LookOutcome.REFUSED:
        raise typer.Exit(1)


def _write_down(sighting: Sighting, data_dir: Path) -> None:
    if not Settings.from_environment(os.environ).database_url and not (data_dir / "postgres").exists():
        say_aside("No service is set up in this data folder: nothing was written to an audit log.")
        return

    async def work(service: Service, transaction: Transaction) -> None:
        await write_down(transaction, sighting, by="pcs schedules watch", now=service.clock())

    in_transaction(work, data_dir=data_dir)
