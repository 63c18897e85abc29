"""`pcs schedules`: bring in official schedules and choose the one that answers. The trap: a file that is not whole
must end in a sentence that says so, with the revision that answers left as it was."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.schedules.model import NothingToRollBackError, StoredRevision, UnknownRevisionError
from pcs.schedules.service import Shelf
from pcs.tariff.changes import Change, ChangeKind, changes_between
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.packing import DamagedScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.problem import SourceError

app = typer.Typer(help="Official schedules: import, list, check, promote.", no_args_is_help=True)

Name = Annotated[ScheduleName, typer.Argument(help="US-HTS or EU-CN.", case_sensitive=False)]
Edition = Annotated[str, typer.Argument(help="An edition as `pcs schedules list` shows it.")]
_REFUSALS = (
    SourceError,
    IncompleteScheduleError,
    DamagedScheduleError,
    UnknownRevisionError,
    NothingToRollBackError,
)
_COUNTED = ("Headings", "Lines", "10 or 8\ndigits")
_errors = Console(stderr=True)


@app.command("import")
def import_(
    files: Annotated[
        list[Path], typer.Argument(help="HTS (JSON, CSV, .gz) or TARIC nomenclature (XLSX).", exists=True)
    ],
    *,
    edition: Annotated[
        str | None, typer.Option(help="Such as 2026-rev-10; read from the file's name if left out.")
    ] = None,
    in_force_from: Annotated[
        dt.datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day from which it is law.")
    ] = None,
    promote: Annotated[bool, typer.Option(help="Let it answer at once, if it passes the checks.")] = True,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Read a published file, check it, store it and let it answer."""
    shelf = Shelf(data_dir)
    day = in_force_from.date() if in_force_from else None
    with _sentences(), _progress() as progress:
        for file in files:
            task = progress.add_task(f"{escape(file.name)}: reading", total=3)
            schedule = read_schedule(file, edition=edition, in_force_from=day)
            progress.update(task, advance=1, description=f"{escape(file.name)}: checking")
            stored = shelf.stage(schedule)
            progress.update(task, advance=1, description=f"{escape(file.name)}: storing")
            if promote and _speaks_english(stored):
                shelf.promote(schedule.revision.schedule, stored.key)
            progress.update(task, advance=1, description=f"{escape(file.name)}: {_said(stored, shelf)}")


@app.command("list")
def list_(*, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show the stored revisions of each schedule and which one answers."""
    shelf = Shelf(data_dir)
    table = Table(box=None, padding=(0, 1, 0, 0))
    for header in (
        "Schedule",
        "Edition",
        "In force\nfrom",
        "Headings",
        "Lines",
        "10 or 8\ndigits",
        "Digest",
        "Current",
    ):
        table.add_column(header, no_wrap=True, justify="right" if header in _COUNTED else "left")
    with _sentences():
        for name in ScheduleName:
            pointer = shelf.pointer(name)
            for stored in shelf.revisions(name):
                table.add_row(*_cells(stored, current=stored.key == pointer))
    if table.row_count:
        Console().print(table)
    else:
        Console().print(
            f"No schedule in {data_dir}: `pcs schedules import FILE`. The starter schedule answers until then."
        )


@app.command()
def check(
    name: Name,
    edition: Annotated[str | None, typer.Argument(help="An edition; the current one if left out.")] = None,
    *,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Say whether a stored revision is whole, and end with 1 if not."""
    shelf = Shelf(data_dir)
    with _sentences():
        chosen = edition or shelf.pointer(name)
        if chosen is None:
            raise UnknownRevisionError(name, "that is current", [])
        problems = shelf.problems(name, chosen)
    for problem in problems:
        _errors.print(f"[red]{escape(problem)}[/red]", soft_wrap=True, highlight=False)
    if problems:
        raise typer.Exit(1)
    Console().print(f"{name} {chosen} is whole.", highlight=False)


@app.command()
def promote(name: Name, edition: Edition, *, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Let a stored revision answer from now on. A running service switches without a restart."""
    with _sentences():
        stored = Shelf(data_dir).promote(name, edition)
    Console().print(f"{name} {stored.revision.edition} ({stored.revision.digest[:12]}) answers now.", highlight=False)


@app.command()
def rollback(name: Name, *, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Let the revision before the current one answer again."""
    with _sentences():
        stored = Shelf(data_dir).rollback(name)
    Console().print(f"{name} {stored.revision.edition} ({stored.revision.digest[:12]}) answers again.", highlight=False)


@app.command()
def diff(  # noqa: PLR0913 - a command takes what its user may say
    name: Name,
    before: Edition,
    after: Edition,
    *,
    kinds: Annotated[list[ChangeKind] | None, typer.Option("--kind", help="Show only these kinds.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many changes to show; 0 for all.")] = 40,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Show what changed between two stored revisions."""
    shelf = Shelf(data_dir)
    with _sentences():
        changes = changes_between(shelf.open(name, before), shelf.open(name, after))
    chosen = changes.of_kind(*(kinds or ChangeKind))
    if as_json:
        Console().print_json(data=[asdict(change) for change in chosen])
        return
    _print_changes(chosen[: limit or None])
    counts = [f"{len(changes.of_kind(kind)):,} {kind.value}" for kind in ChangeKind if kind is not ChangeKind.ADDED]
    total = (
        f"{name} {changes.before.name} to {changes.after.name}: +{len(changes.added)} / -{len(changes.removed)} codes"
    )
    Console().print(f"{total} ({', '.join(counts)})", highlight=False)


def _print_changes(changes: Sequence[Change]) -> None:
    table = Table("Change", "Code", "Before", "After")
    for change in changes:
        after = ", ".join(code.dotted for code in change.successors) or change.after
        table.add_row(change.kind.value, change.code.dotted, *(escape(_end(text)) for text in (change.before, after)))
    if changes:
        Console().print(table)


def _end(text: str, width: int = 160) -> str:
    """The end of a path, where its last words are."""
    return text if len(text) <= width else f"…{text[-width:]}"


def _cells(stored: StoredRevision, *, current: bool) -> tuple[str, ...]:
    revision = stored.revision
    since = revision.in_force_from.isoformat() if revision.in_force_from else "not said"
    counts = f"{stored.headings:,}", f"{stored.lines:,}", f"{stored.full_length:,}"
    return (revision.schedule.value, revision.edition, since, *counts, revision.digest[:12], "yes" if current else "")


def _speaks_english(stored: StoredRevision) -> bool:
    """Whether it may answer unasked: an edition in another language, such as 2025-08-de, is promoted by name."""
    return not stored.revision.edition.endswith(("-de", "-fr"))


def _said(stored: StoredRevision, shelf: Shelf) -> str:
    name = stored.revision.schedule
    state = (
        "answers now" if shelf.pointer(name) == stored.key else f"stored; `pcs schedules promote {name} {stored.key}`"
    )
    return f"{name} {stored.revision.edition}, {stored.lines:,} lines, {state}"


@contextlib.contextmanager
def _sentences() -> Iterator[None]:
    """What is refused is said in a sentence, and the command ends with 1."""
    try:
        yield
    except _REFUSALS as refusal:
        _errors.print(f"[red]{escape(str(refusal))}[/red]", soft_wrap=True, highlight=False)
        raise typer.Exit(1) from refusal


def _progress() -> Progress:
    return Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=_errors)
