"""`pcs restore`. The trap: the secret key made anew before the old one is back; files come first, then the database."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pcs.base.backups import load_database, unpack_files
from pcs.base.migrate import migrate
from pcs.base.settings import Settings
from pcs.bootstrap import build_service, installation
from pcs.cli.output import say
from pcs.cli.process import require_tables, run
from pcs.webhooks import feed_store


def command(
    file: Annotated[Path, typer.Argument(help="What `pcs backup` wrote.")],
) -> None:
    """Set up a new installation from FILE: into an empty data folder and an empty database."""
    settings = Settings.from_environment(os.environ)
    unpack_files(file, settings.data_dir)
    with installation(settings) as complete:
        load_database(file, complete.database_url)
        migrate(complete.database_url)
        run(require_tables(complete))
        run(_begin_order_anew(complete))
    say(f"Restored {file} into {settings.data_dir}.")


async def _begin_order_anew(settings: Settings) -> None:
    service = build_service(settings)
    try:
        async with service.database.begin() as transaction:
            await feed_store.begin_order_anew(transaction)
    finally:
        await service.database.close()
