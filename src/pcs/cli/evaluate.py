"""`pcs evaluate`: accuracy on labelled cases, as a table or JSON, with an earlier report as the baseline."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from pcs.base.settings import Settings
from pcs.cli import reviewed
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


def command(  # noqa: PLR0913 (one parameter an option)
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
    reviewer: Annotated[
        bool, typer.Option("--reviewer", help="Then have the configured language model review each answer.")
    ] = False,
    replies: Annotated[
        Path | None,
        typer.Option(help="Where the model's replies are kept, so that the same command goes on after a break."),
    ] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Ask the engine every case and report how often it is right."""
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    if reviewer:
        reviewed.require_reviewer(settings)
    methods = MethodShelf(data_dir)
    try:
        sets = {file.stem: read_cases(file) for file in files}
    except CaseError as error:
        raise typer.BadParameter(str(error)) from error
    outcomes = {name: _ask(name, cases, methods) for name, cases in sets.items() if cases}
    asked = {case.schedule for cases in sets.values() for case in cases}
    revisions = {str(name): methods.current(name).schedule.revision.name for name in ScheduleName if name in asked}
    before, wanted = (json.loads(file.read_text()) if file else None for file in (baseline, targets))
    written = _Written(revisions, as_json=as_json, targets=wanted)
    if not reviewer:
        typer.echo(written.report(outcomes, baseline=before))
        return
    file = replies or data_dir / "evaluation-replies.jsonl"
    found = reviewed.review_all(outcomes, methods, settings, file)
    after = {name: [each.after for each in cases] for name, cases in found.items()}
    parts = {"engine": written.report(outcomes, baseline=before)}
    parts["reviewed"] = written.report(after, baseline=_as_baseline(written.figures(outcomes)))
    figures = {name: reviewed.figures(cases) for name, cases in found.items()}
    if as_json:
        typer.echo(
            json.dumps({name: json.loads(part) for name, part in parts.items()} | {"reviewer": figures}, indent=1)
        )
    else:
        table = reviewed.as_markdown(figures, model=settings.reviewer_model)
        typer.echo("\n\n".join(["The engine alone", parts["engine"], "After the review", parts["reviewed"], table]))


@dataclass(frozen=True)
class _Written:
    """How reports are written: for programs or for people."""

    revisions: Mapping[str, str]
    as_json: bool
    targets: Mapping[str, Any] | None

    def figures(self, outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
        summaries = {name: summarise(found) for name, found in outcomes.items()}
        return report_json(summaries, revisions=self.revisions, overall_error=_overall(outcomes))

    def report(self, outcomes: Mapping[str, Sequence[Outcome]], *, baseline: Mapping[str, Any] | None) -> str:
        if self.as_json:
            return json.dumps(self.figures(outcomes), indent=1)
        summaries = {name: summarise(found) for name, found in outcomes.items()}
        table = as_markdown(summaries, overall_error=_overall(outcomes), baseline=baseline, targets=self.targets)
        return f"Revisions: {', '.join(f'{name} {revision}' for name, revision in self.revisions.items())}\n\n{table}"


def _overall(outcomes: Mapping[str, Sequence[Outcome]]) -> float | None:
    return calibration_error([outcome for found in outcomes.values() for outcome in found])


def _as_baseline(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures as an earlier report's file would give them: JSON knows texts alone as keys."""
    read: dict[str, Any] = json.loads(json.dumps(figures))
    return read


def _ask(name: str, cases: list[Case], methods: MethodShelf) -> list[Outcome]:
    def answer(case: Case) -> Determination:
        method = methods.current(case.schedule)
        alone = replace(method, precedents=method.precedents.without({case.id}))  # a ruling is not asked about itself
        return classify(case.product, alone)

    for schedule in {case.schedule for case in cases}:
        methods.current(schedule)
    return list(run(track(cases, description=name, console=Console(stderr=True)), answer))
