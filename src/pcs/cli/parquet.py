"""`pcs classify` on a Parquet file. The trap: a library that only this needs; it is imported when it is asked for."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pcs.base.settings import Settings
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName

PARQUET = ".parquet"


def classify_catalogue(  # noqa: PLR0917 - one parameter an option
    source: Path, output: Path, schedule: ScheduleName, data_dir: Path, review_below: float, jobs: int
) -> None:
    """Answer a Parquet file into another. Raises BadParameter with what to do."""
    if output.suffix.lower() != PARQUET or source.suffix.lower() != PARQUET:
        msg = "products in a .parquet file are answered in a .parquet file, and others in others"
        raise typer.BadParameter(msg, param_hint="--output")
    if output.absolute() == source.absolute() or not output.absolute().parent.is_dir():
        msg = "name another file than the input's, in a folder that is there"
        raise typer.BadParameter(msg, param_hint="--output")
    try:
        from pcs.bulk.batches import Classifier  # noqa: PLC0415 - an extra
        from pcs.bulk.catalogue import CatalogueError, Run, run  # noqa: PLC0415
    except ImportError as error:
        msg = "Parquet files need pyarrow: pip install 'pcs[parquet]'"
        raise typer.BadParameter(msg, param_hint="--input") from error
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    asked = Run(source, output, Classifier(data_dir, schedule, review_below, settings.cache_folder))
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    shown = Progress(TextColumn("Classifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=notes)
    try:
        with shown:
            bar = shown.add_task("", total=None)
            found = run(asked, jobs, lambda done, total: shown.update(bar, completed=done, total=total))
    except (SpreadsheetError, CatalogueError, OSError, ValueError) as error:
        msg = f"{source.name}: {error}"
        raise typer.BadParameter(msg, param_hint="--input") from error
    bad = f", {found.bad:,} rows that cannot be read into {asked.rejected}" if found.bad else ""
    notes.print(f"{found.good:,} products classified into {output}{bad}.")
