"""`pcs classify` on a Parquet file. The trap: a library that only this needs; it is imported when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pcs.base.plurals import counted
from pcs.base.settings import Settings
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName

if TYPE_CHECKING:
    from pcs.bulk.catalogue import Run, RunTally

PARQUET = ".parquet"


class Where(StrEnum):
    """Whose processes answer a catalogue."""

    HERE = "here"
    RAY = "ray"
    SPARK = "spark"


def classify_catalogue(  # noqa: PLR0913, PLR0917 - one parameter an option
    source: Path,
    output: Path,
    schedule: ScheduleName,
    data_dir: Path,
    review_below: float,
    jobs: int,
    where: Where,
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
        from pcs.bulk.catalogue import CatalogueError, Run  # noqa: PLC0415
    except ImportError as error:
        msg = "Parquet files need pyarrow: pip install 'pcs[parquet]'"
        raise typer.BadParameter(msg, param_hint="--input") from error
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    asked = Run(
        source.absolute(),
        output.absolute(),
        Classifier(data_dir.absolute(), schedule, review_below, settings.cache_folder.absolute()),
    )
    run = _runner(where, jobs)
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    shown = Progress(TextColumn("Classifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=notes)
    try:
        with shown:
            bar = shown.add_task("", total=None)
            found = run(asked, lambda done, total: shown.update(bar, completed=done, total=total))
    except (SpreadsheetError, CatalogueError, OSError, ValueError) as error:
        msg = f"{source.name}: {error}"
        raise typer.BadParameter(msg, param_hint="--input") from error
    bad = f", {counted(found.bad, 'row')} that cannot be read into {asked.rejected}" if found.bad else ""
    notes.print(f"{counted(found.good, 'product')} classified into {output}{bad}.")


def _runner(where: Where, jobs: int) -> Callable[[Run, Callable[[int, int], None]], RunTally]:
    """What answers a catalogue there. Raises BadParameter where its library is not installed."""
    from pcs.bulk.catalogue import run  # noqa: PLC0415 - an extra
    from pcs.bulk.spread import run_on  # noqa: PLC0415

    if where is Where.HERE:
        return lambda asked, progress: run(asked, jobs, progress)
    try:
        cluster = import_module(f"pcs.bulk.on_{where}").cluster(jobs)
    except ImportError as error:
        msg = f"it needs a library that is not installed: pip install 'pcs[{where}]'"
        raise typer.BadParameter(msg, param_hint="--on") from error
    return partial(run_on, cluster)
