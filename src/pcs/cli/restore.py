"""`pcs restore`. The trap: the secret key made anew before the old one is back; files come first, then the database."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console

from pcs.base.backups import load_database, unpack_files
from pcs.base.migrate import migrate
from pcs.base.settings import Settings
from pcs.bootstrap import installation
from pcs.cli.process import require_tables, run


def command(file: Path) -> None:
    """Set up a new installation from FILE: into an empty data folder and an empty database."""
    settings = Settings.from_environment(os.environ)
    unpack_files(file, settings.data_dir)
    with installation(settings) as complete:
        load_database(file, complete.database_url)
        migrate(complete.database_url)
        run(require_tables(complete))
    Console(soft_wrap=True).print(f"Restored {file}.", highlight=False)
