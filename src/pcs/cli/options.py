"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_DATA_DIR = Path(".pcs")

DataDir = Annotated[
    Path, typer.Option(envvar="PCS_DATA_DIR", help="Where schedules, rulings and models are kept.", show_default=True)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables for people.")]
