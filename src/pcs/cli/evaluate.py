"""`pcs evaluate`: accuracy on labelled cases, as a table or JSON, with an earlier report as the baseline."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

import typer
from rich.console import Console
from rich.progress import track

from pcs.base.settings import Settings
from pcs.cli import assessed
from pcs.cli.decision_files import known_decisions
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.engine.classify import classify
from pcs.engine.determination import Determination
from pcs.evaluation.cases import Case, CaseError, read_cases
from pcs.evaluation.decisions import KnownDecisions
from pcs.evaluation.metrics import SetFigures, summarise
from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.report import as_json as report_json
from pcs.evaluation.report import as_markdown
from pcs.evaluation.run import run
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
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
        Path | None, typer.Option(help="A JSON file of target figures, shown beside the results.", exists=True)
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            help="Goods that are decided already (name, description, code, schedule), which count as precedents.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    reviewer: Annotated[
        bool, typer.Option("--reviewer", help="Also have the configured language model assess each answer.")
    ] = False,
    replies: Annotated[
        Path | None,
        typer.Option(
            help="The file that keeps the model's replies, so that the same command resumes after an interruption."
        ),
    ] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Classify every labelled case and report how often the code is correct."""
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    if reviewer:
        assessed.require_reviewer(settings)
    before, wanted = _report("--baseline", baseline), _report("--targets", targets)
    methods = Methods(Library(data_dir), cache_dir=settings.cache_folder)
    try:
        sets = {file.stem: read_cases(file) for file in files}
    except CaseError as error:
        raise typer.BadParameter(str(error)) from error
    known = known_decisions(decisions) if decisions else KnownDecisions(())
    outcomes = {name: _ask(name, cases, methods, known) for name, cases in sets.items() if cases}
    asked = {case.schedule for cases in sets.values() for case in cases}
    revisions = {str(name): methods.current(name).schedule.revision.name for name in ScheduleName if name in asked}
    engine = _Measured.of(outcomes)
    if not reviewer:
        figures = engine.figures(revisions)
        typer.echo(json.dumps(figures, indent=1) if as_json else engine.table(revisions, before, wanted))
        return
    found = assessed.assess_all(outcomes, methods, settings, replies or data_dir / "evaluation-replies.jsonl")
    after = _Measured.of({name: [each.after for each in cases] for name, cases in found.items()})
    assessments = {name: assessed.figures(cases) for name, cases in found.items()}
    if as_json:
        parts = {"engine": engine.figures(revisions), "reviewed": after.figures(revisions), "reviewer": assessments}
        typer.echo(json.dumps(parts, indent=1))
        return
    alone = json.loads(json.dumps(engine.figures(revisions)))  # as from an earlier report's file: its keys are texts
    tables = [engine.table(revisions, before, wanted), after.table(revisions, alone, wanted)]
    table = assessed.as_markdown(assessments, model=settings.reviewer_model)
    typer.echo("\n\n".join(["The engine alone", tables[0], "After the assessment", tables[1], table]))


@dataclass(frozen=True)
class _Measured:
    """The figures of each set."""

    summaries: Mapping[str, SetFigures]

    @classmethod
    def of(cls, outcomes: Mapping[str, Sequence[CaseOutcome]]) -> Self:
        return cls({name: summarise(found) for name, found in outcomes.items()})

    def figures(self, revisions: Mapping[str, str]) -> dict[str, Any]:
        """For programs."""
        return report_json(self.summaries, revisions=revisions)

    def table(
        self, revisions: Mapping[str, str], baseline: Mapping[str, Any] | None, targets: Mapping[str, Any] | None
    ) -> str:
        """For people."""
        table = as_markdown(self.summaries, baseline=baseline, targets=targets)
        return f"Revisions: {', '.join(f'{name} {revision}' for name, revision in revisions.items())}\n\n{table}"


def _report(option: str, file: Path | None) -> Any:  # noqa: ANN401 (JSON)
    """What an earlier report says. Raises BadParameter for a file that is none."""
    try:
        return json.loads(file.read_text(encoding="utf-8")) if file else None
    except (OSError, ValueError):
        msg = f"{file} is not JSON: give what `pcs evaluate --json` wrote"
        raise typer.BadParameter(msg, param_hint=option) from None


def _ask(name: str, cases: list[Case], methods: Methods, known: KnownDecisions) -> list[CaseOutcome]:
    def answer(case: Case) -> Determination:
        method = methods.current(case.schedule)
        alone = replace(method, precedents=method.precedents.without({case.id}))  # a ruling is not asked about itself
        return classify(case.product, alone, decided=known.near(case.product, case.schedule))

    for schedule in {case.schedule for case in cases}:
        methods.current(schedule)
    return list(run(track(cases, description=name, console=Console(stderr=True)), answer))
