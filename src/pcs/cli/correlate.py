"""`pcs schedules correlate`: load where goods went between two editions of the Harmonized System. The trap: a table
that is wrong in one row; it is refused whole, by that row."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcs.base.errors import OperatorError
from pcs.base.plurals import counted
from pcs.cli.options import DEFAULT_DATA_DIR, DataDir
from pcs.cli.output import say
from pcs.schedules.correlations import store_correlation
from pcs.tariff.correlation import read_correlation
from pcs.tariff.sources.problem import SourceError


def command(
    file: Annotated[
        Path,
        typer.Argument(
            help="A CSV: the earlier subheading, then the later one, a pair a row.", exists=True, dir_okay=False
        ),
    ],
    *,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Load the correlation between two editions of the Harmonized System, such as HS 2022 to HS 2028."""
    try:
        correlation = read_correlation(file.read_bytes())
    except SourceError as error:
        msg = f"{file.name}: {error}"
        raise OperatorError(msg) from error
    store_correlation(data_dir, correlation)
    say(f"{file.name}: where the goods of {counted(len(correlation), 'subheading')} went is known.")
