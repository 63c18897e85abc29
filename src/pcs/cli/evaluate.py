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
from pcs.cli import assessed, calibrating
from pcs.cli.decision_files import known_decisions
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.engine.classify import classify
from pcs.engine.determination import Determination
from pcs.evaluation.cases import Case, CaseError, read_cases
from pcs.evaluation.curve import as_json as curve_json
from pcs.evaluation.curve import as_markdown as curve_table
from pcs.evaluation.curve import curve
from pcs.evaluation.decisions import KnownDecisions
from pcs.evaluation.leaks import leaks
from pcs.evaluation.metrics import SetFigures, summarise
from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.report import as_json as report_json
from pcs.evaluation.report import as_markdown
from pcs.evaluation.run import run
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import ruling_source

_MOST_ALIKE = 500  # rulings on a case's code that are compared with it


def command(  # noqa: PLR0913 (one parameter an option)
    files: Annotated[
        list[Path],
        typer.Argument(help="JSON Lines cases: id, schedule, name, description, code.", exists=True, dir_okay=False),
    ],
    *,
    as_json: AsJson = False,
    baseline: Annotated[
        Path | None, typer.Option(help="An earlier --json report to compare with.", exists=True, dir_okay=False)
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option(help="A JSON file of target figures, shown beside the results.", exists=True, dir_okay=False),
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
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="With --reviewer: keep in the data folder how often the model was right by what it said.",
        ),
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
    if calibrate and not reviewer:
        msg = "--calibrate counts what a reviewer said: give --reviewer too"
        raise typer.BadParameter(msg)
    limits = assessed.require_reviewer(settings).terms if reviewer else None
    before, wanted = _report("--baseline", baseline), _report("--targets", targets)
    methods = Methods(Library(data_dir), cache_dir=settings.cache_folder)
    try:
        sets = {file.stem: read_cases(file) for file in files}
    except CaseError as error:
        raise typer.BadParameter(str(error)) from error
    known = known_decisions(decisions) if decisions else KnownDecisions(())
    hidden = _Hidden(methods.library)
    outcomes = {name: _ask(name, cases, methods, known, hidden) for name, cases in sets.items()}
    asked = {case.schedule for cases in sets.values() for case in cases}
    revisions = {str(name): methods.current(name).schedule.revision.name for name in ScheduleName if name in asked}
    engine = _Measured.of(outcomes)
    if not reviewer:
        figures = engine.figures(revisions)
        typer.echo(json.dumps(figures, indent=1) if as_json else engine.table(revisions, before, wanted))
        return
    found = assessed.assess_all(outcomes, methods, settings, replies or data_dir / "evaluation-replies.jsonl", hidden)
    after = _Measured.of({name: [each.after for each in cases] for name, cases in found.items()})
    assessments = {
        name: {**assessed.figures(cases), "leaks_left_out": hidden.leaks_of([each.before.case for each in cases])}
        for name, cases in found.items()
    }
    points = curve([each.pair for cases in found.values() for each in cases])
    said = calibrating.said(each for cases in found.values() for each in cases)
    if calibrate and limits:
        calibrating.keep(data_dir, limits, said)
    if as_json:
        parts = {"engine": engine.figures(revisions), "reviewed": after.figures(revisions), "reviewer": assessments}
        parts |= {"curve": curve_json(points), **({"calibration": calibrating.as_json(said)} if calibrate else {})}
        typer.echo(json.dumps(parts, indent=1))
        return
    alone = json.loads(json.dumps(engine.figures(revisions)))  # as from an earlier report's file: its keys are texts
    tables = [engine.table(revisions, before, wanted), after.table(revisions, alone, wanted)]
    table = assessed.as_markdown(assessments, model=settings.reviewer_model)
    asking = f"What asking gains, the least certain answers first:\n\n{curve_table(points)}"
    told = ["The engine alone", tables[0], "After the assessment", tables[1], table, asking]
    if calibrate:
        told.append(f"How right the model was, by what it said:\n\n{calibrating.as_markdown(said)}")
    typer.echo("\n\n".join(told))


class _Hidden:
    """The rulings that each case is asked about without: its own, and those that are nearly it."""

    def __init__(self, library: Library) -> None:
        self._rulings = library.rulings
        self._found: dict[tuple[ScheduleName, str], frozenset[str]] = {}

    def __call__(self, case: Case) -> frozenset[str]:
        return self._leaks(case) | {case.id}

    def leaks_of(self, cases: Sequence[Case]) -> int:
        """How many rulings were left out beside the cases' own."""
        return len(frozenset[str]().union(*(self._leaks(case) for case in cases)))

    def _leaks(self, case: Case) -> frozenset[str]:
        key = (case.schedule, case.id)
        if key not in self._found:
            cited = self._rulings.search(code=case.code, source=ruling_source(case.schedule), limit=_MOST_ALIKE)
            self._found[key] = leaks(case, cited) - {case.id}
        return self._found[key]


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


def _ask(name: str, cases: list[Case], methods: Methods, known: KnownDecisions, hidden: _Hidden) -> list[CaseOutcome]:
    def answer(case: Case) -> Determination:
        method = methods.current(case.schedule)
        alone = replace(
            method, precedents=method.precedents.without(hidden(case))
        )  # a ruling is not asked about itself
        return classify(case.product, alone, decided=known.near(case.product, case.schedule))

    for schedule in {case.schedule for case in cases}:
        methods.current(schedule)
    return list(run(track(cases, description=name, console=Console(stderr=True)), answer))
