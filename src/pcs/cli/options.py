"""Options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from pcs.base.data_folder import IN_WORDS, default_data_folder

DEFAULT_DATA_DIR = default_data_folder()

DataDir = Annotated[
    Path,
    typer.Option(
        envvar="PCS_DATA_DIR",
        help="Where schedules, rulings and models are kept.",
        show_default=IN_WORDS.replace("`", ""),
        file_okay=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables for people.")]


def a_number(value: float | None) -> float | None:
    """The value. Raises BadParameter for one that is no number, which no limit catches."""
    if value is not None and math.isnan(value):
        msg = "give a number from 0 to 1"
        raise typer.BadParameter(msg)
    return value


ReviewBelow = Annotated[
    float,
    typer.Option(
        min=0, max=1, callback=a_number, help="The confidence, 0 to 1, below which an answer is marked for review."
    ),
]
