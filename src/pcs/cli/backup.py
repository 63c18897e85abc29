"""`pcs backup`. The trap: a backup that nobody has ever restored; `pcs restore` sets up a new installation from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pcs.base.backups import require_new_place, write_backup
from pcs.base.settings import Settings
from pcs.bootstrap import installation
from pcs.cli.output import say
from pcs.cli.process import require_tables, run


def command(file: Annotated[Path, typer.Argument(help="A new file, such as pcs-2026-11-22.backup.")]) -> None:
    """Write the database and the data folder into FILE, with the secret key if it lies there; keep FILE safe."""
    asked = Settings.from_environment(os.environ)
    require_new_place(file, asked.data_dir)
    with installation(asked) as settings:
        run(require_tables(settings))
        write_backup(settings.database_url, settings.data_dir, file)
    say(f"Wrote {file} ({file.stat().st_size / 1024 / 1024:.1f} MiB).")
