"""`pcs train`: the engine's trained parts from the knowledge pack and the loaded schedules and rulings."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pcs.cli.options import DEFAULT_DATA_DIR, DataDir
from pcs.engine.counting.lessons import Lesson, ruling_lessons
from pcs.engine.learned_file import open_learned, save_learned
from pcs.engine.trained_file import trained_here, trained_path
from pcs.engine.training.train import train, train_on
from pcs.evaluation.cases import CaseError, read_cases
from pcs.rulings.service import RulingCorpus
from pcs.schedules.library import Library
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.brands import shop_knowledge
from pcs.tariff.starter.pack import read_pack


def command(
    *,
    without: Annotated[
        list[Path] | None,
        typer.Option(help="Labelled cases whose rulings must not be learned.", exists=True, dir_okay=False),
    ] = None,
    go_on: Annotated[
        bool,
        typer.Option(
            "--continue",
            help="Go on from what the engine has learned and take in what changed in the pack: a minute and a half"
            " instead of minutes, and answers elsewhere move little.",
        ),
    ] = False,
    output: Annotated[Path | None, typer.Option(help="The file to write; in the data folder if left out.")] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Retrain the engine. Takes minutes on two cores; the same input gives the same file, to the byte."""
    console = Console(stderr=True)
    left_out = _ids(without or ())
    library = Library(data_dir)
    schedules = {name: library.schedule(name) for name in ScheduleName}
    rulings = _rulings(data_dir, schedules, left_out)
    with console.status("starting") as status:
        if go_on:
            before = open_learned(trained_path(data_dir))
            parts = train_on(before, read_pack(), shops=shop_knowledge(), rulings=rulings, progress=status.update)
        else:
            parts = train(read_pack(), schedules, shops=shop_knowledge(), rulings=rulings, progress=status.update)
    target = output or trained_here(data_dir)
    target.parent.mkdir(parents=True, exist_ok=True)
    save_learned(parts, target)
    console.print(
        f"Trained on {len(parts.shared.headings.classes)} headings; {target.stat().st_size / 1e6:.1f} MB in {target}."
    )


def _ids(files: Iterable[Path]) -> set[str]:
    """The ids of labelled cases. Raises BadParameter for a file that holds none."""
    try:
        return {case.id for file in files for case in read_cases(file)}
    except CaseError as error:
        raise typer.BadParameter(str(error), param_hint="--without") from error


def _rulings(data_dir: Path, schedules: Mapping[ScheduleName, Schedule], without: Container[str]) -> list[Lesson]:
    lines = {str(line.code) for schedule in schedules.values() for line in schedule.lines}
    with closing(RulingCorpus(data_dir)) as corpus:
        return ruling_lessons(corpus.scan(with_text=False), lines, without=without)
