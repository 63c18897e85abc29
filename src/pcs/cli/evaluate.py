"""`pcs evaluate`: accuracy on labelled cases, as a table or JSON, with an earlier report as the baseline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.engine.classify import classify
from pcs.engine.determination import Determination
from pcs.evaluation.cases import Case, CaseError, read_cases
from pcs.evaluation.metrics import Outcome, calibration_error, summarise
from pcs.evaluation.report import as_json as report_json
from pcs.evaluation.report import as_markdown
from pcs.evaluation.run import run
from pcs.schedules.methods import MethodShelf
from pcs.tariff.revision import ScheduleName


def command(
    files: Annotated[
        list[Path], typer.Argument(help="JSON Lines cases: id, schedule, name, description, code.", exists=True)
    ],
    *,
    as_json: AsJson = False,
    baseline: Annotated[
        Path | None, typer.Option(help="An earlier --json report to compare with.", exists=True)
    ] = None,
    targets: Annotated[
        Path | None, typer.Option(help="JSON with the figures to reach, shown beside those found.", exists=True)
    ] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Ask the engine every case and report how often it is right."""
    methods = MethodShelf(data_dir)
    try:
        sets = {file.stem: read_cases(file) for file in files}
    except CaseError as error:
        raise typer.BadParameter(str(error)) from error
    outcomes = {name: _ask(name, cases, methods) for name, cases in sets.items() if cases}
    summaries = {name: summarise(found) for name, found in outcomes.items()}
    overall = calibration_error([outcome for found in outcomes.values() for outcome in found])
    asked = {case.schedule for cases in sets.values() for case in cases}
    revisions = {str(name): methods.current(name).schedule.revision.name for name in ScheduleName if name in asked}
    if as_json:
        typer.echo(json.dumps(report_json(summaries, revisions=revisions, overall_error=overall), indent=1))
    else:
        before, wanted = (json.loads(file.read_text()) if file else None for file in (baseline, targets))
        typer.echo(f"Revisions: {', '.join(f'{name} {revision}' for name, revision in revisions.items())}\n")
        typer.echo(as_markdown(summaries, overall_error=overall, baseline=before, targets=wanted))


def _ask(name: str, cases: list[Case], methods: MethodShelf) -> list[Outcome]:
    def answer(case: Case) -> Determination:
        method = methods.current(case.schedule)
        alone = replace(method, precedents=method.precedents.without({case.id}))  # a ruling is not asked about itself
        return classify(case.product, alone)

    for schedule in {case.schedule for case in cases}:
        methods.current(schedule)
    return list(run(track(cases, description=name, console=Console(stderr=True)), answer))
