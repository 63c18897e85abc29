"""`pcs migrate`. The trap: serving with tables of another version; `serve` and `work` refuse until this ran."""

from __future__ import annotations

import os

from rich.console import Console

from pcs.base.migrate import migrate
from pcs.base.settings import Settings
from pcs.bootstrap import installation


def command() -> None:
    """Create or upgrade every table; safe to run again, and while an earlier version serves."""
    with installation(Settings.from_environment(os.environ)) as settings:
        migrate(settings.database_url)
    Console().print("The database has this version's tables.")
