"""`pcs backup`. The trap: a backup that nobody has ever restored; `pcs restore` sets up a new installation from it."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console

from pcs.base.backups import write_backup
from pcs.base.settings import Settings
from pcs.bootstrap import installation
from pcs.cli.process import require_tables, run


def command(file: Path) -> None:
    """Write the database and the data folder into FILE, with the secret key if it lies there; keep FILE safe."""
    with installation(Settings.from_environment(os.environ)) as settings:
        run(require_tables(settings))
        write_backup(settings.database_url, settings.data_dir, file)
    Console(soft_wrap=True).print(f"Wrote {file} ({file.stat().st_size / 1024 / 1024:.1f} MiB).", highlight=False)
