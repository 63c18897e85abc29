"""`pcs schedules`: bring in official schedules and choose the one that answers. The trap: a file that is not whole
must end in a sentence that says so, with the revision that answers left as it was."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from pcs.base.errors import DamagedError
from pcs.base.languages import told
from pcs.base.plurals import counted
from pcs.base.publisher import HttpPublisher, PublisherError, RequestPolicy
from pcs.cli import correlate, outdated, watch
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.output import print_json, print_table, say
from pcs.cli.starter import check_starter, format_starter
from pcs.schedules.damage import stored_damage
from pcs.schedules.model import NothingToRollBackError, StoredRevision, UnknownRevisionError
from pcs.schedules.service import Revisions
from pcs.schedules.stored_notes import StoredNotes
from pcs.schedules.wordings import Wordings
from pcs.tariff.changes import Change, ChangeKind
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources import usitc_release
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.readers import by_reader
from pcs.tariff.sources.usitc_notes import read_notes

app = typer.Typer(help="Official schedules: import, list, check, promote.", no_args_is_help=True)

app.command("outdated")(outdated.command)
app.command("watch")(watch.command)
app.command("correlate")(correlate.command)
app.command("format")(format_starter)

Name = Annotated[ScheduleName, typer.Argument(help="US-HTS or EU-CN.", case_sensitive=False)]
Edition = Annotated[str, typer.Argument(help="An edition as `pcs schedules list` shows it.")]
_REFUSALS = (
    SourceError,
    PublisherError,
    IncompleteScheduleError,
    DamagedError,
    UnknownRevisionError,
    NothingToRollBackError,
)
_ANSWERS = "en"  # an edition in another language lends its words, and answers only when promoted by name
_COUNTED = ("Headings", "Lines", "10 or 8\ndigits")
_COLUMNS = ("Schedule", "Edition", "Words in", "In force\nfrom", *_COUNTED, "Digest", "Current")
_errors = Console(stderr=True)


@app.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(help="HTS (JSON, CSV, .gz) or TARIC nomenclature (XLSX).", exists=True, dir_okay=False),
    ],
    *,
    edition: Annotated[
        str | None, typer.Option(help="Such as 2026-rev-10; read from the file's name if left out.")
    ] = None,
    in_force_from: Annotated[
        dt.datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day from which it is in force.")
    ] = None,
    language: Annotated[str, typer.Option(help="Which language to take from the RDF of the CN.")] = "en",
    promote: Annotated[
        bool, typer.Option(help="Make it the current revision at once, if it passes the checks.")
    ] = True,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Import a published file: check it, store it and make it the current revision."""
    revisions = Revisions(data_dir)
    day = in_force_from.date() if in_force_from else None
    with _sentences():
        for file in files:
            with _progress() as progress:
                task = progress.add_task(f"{escape(file.name)}: reading", total=3)
                schedule = read_schedule(file, edition=edition, in_force_from=day, language=language)
                progress.update(task, advance=1, description=f"{escape(file.name)}: checking")
                said = _take_up(revisions, schedule, promote=promote)
                progress.update(task, advance=2, description=f"{escape(file.name)}: done")
            say(f"{file.name}: {said}")


@app.command()
def fetch(
    name: Name,
    *,
    address: Annotated[str | None, typer.Option(envvar="PCS_SCHEDULES_ADDRESS", help="Another address.")] = None,
    notes: Annotated[bool, typer.Option(help="US-HTS: fetch the notes too, a PDF a chapter.")] = True,
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds between two requests.")] = 1.0,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Fetch the schedule from its publisher, check it, store it and make it the current revision."""
    fetcher = _FETCHERS.get(name)
    if fetcher is None:
        msg = f"{name} cannot be fetched: import its publisher's file with `pcs schedules import`"
        raise typer.BadParameter(msg)
    with _sentences(), _progress() as progress:
        said = fetcher(_Wanted(address, data_dir, pause, with_notes=notes), progress)
    say(said)


@app.command()
def notes(
    files: Annotated[
        list[Path],
        typer.Argument(help="The HTS's notes (PDF, text) or the CN's explanatory ones.", exists=True, dir_okay=False),
    ],
    *,
    edition: Annotated[str, typer.Option(help="The edition they are from, such as 2025-rev-7.")] = "unnamed",
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Import section and chapter notes, or explanatory notes."""
    stored_notes = StoredNotes(data_dir)
    with _sentences():
        for reader, taken in by_reader(files):
            read = reader.reads(taken, edition)
            stored, replaced = stored_notes.store(reader.schedule, read)
            came = f"{reader.schedule}: {counted(len(read.notes), reader.word)} read (edition {read.edition})"
            place = f", in place of {counted(replaced, 'earlier one')}" if replaced else ", none of them stored before"
            say(f"{came}{place}; {counted(len(stored.notes), 'is', 'are')} stored now.")


@app.command("list")
def list_(*, as_json: AsJson = False, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show the stored revisions of each schedule, the languages of their words and which one is current."""
    revisions, wordings = Revisions(data_dir), Wordings(data_dir)
    found, damaged = [], []
    for name in ScheduleName:
        damaged += stored_damage(data_dir, name)
        current = _pointer(revisions, name)
        for stored in revisions.stored(name):
            spoken = wordings.languages(name, stored.revision.edition)
            found.append({**_revision(stored, current=stored.key == current), "languages": list(spoken)})
    if as_json:
        print_json(found)
    elif found:
        print_table(_COLUMNS, [_cells(one) for one in found], counts=_COUNTED)
    elif not damaged:
        say(f"No schedule in {data_dir}: `pcs schedules import FILE`. Until then the starter schedule is used.")
    for sentence in damaged:
        _errors.print(f"[red]{escape(sentence)}[/red]", soft_wrap=True, highlight=False)
    if damaged:
        raise typer.Exit(1)


def _pointer(revisions: Revisions, name: ScheduleName) -> str | None:
    try:
        return revisions.pointer(name)
    except DamagedError:
        return None


@app.command()
def check(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME EDITION",
            help="US-HTS or EU-CN, and an edition (the current one if left out); with --starter, more files of cases.",
            show_default=False,
        ),
    ] = None,
    *,
    starter: Annotated[bool, typer.Option("--starter", help="Check the knowledge pack instead.")] = False,
    cases: Annotated[
        list[Path] | None,
        typer.Option(help="Labelled cases that no good of the pack may resemble.", exists=True, dir_okay=False),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Check that a stored revision is complete; exit with 1 if not."""
    if starter:
        check_starter(data_dir, [*(cases or []), *_files(what or [])], as_json=as_json)
        return
    name, edition = _named(what or [])
    revisions = Revisions(data_dir)
    with _sentences():
        chosen = edition or revisions.pointer(name)
        if chosen is None:
            raise UnknownRevisionError(name, "that is current", [])
        problems = revisions.problems(name, chosen)
    if as_json:
        print_json({"schedule": name, "edition": chosen, "whole": not problems, "problems": problems})
    for problem in problems if not as_json else ():
        _errors.print(f"[red]{escape(problem)}[/red]", soft_wrap=True, highlight=False)
    if problems:
        raise typer.Exit(1)
    if not as_json:
        say(f"{name} {chosen} passes every check.")


def _files(written: Sequence[str]) -> list[Path]:
    """The files that a shell makes of `--cases *.jsonl`: the first belongs to the option, the others follow it."""
    missing = [file for file in written if not Path(file).exists()]
    if missing:
        msg = f"{missing[0]!r} does not exist: --starter takes files of cases"
        raise typer.BadParameter(msg)
    return [Path(file) for file in written]


def _named(written: Sequence[str]) -> tuple[ScheduleName, str | None]:
    known = {name.lower(): name for name in ScheduleName}
    if not written or len(written) > 2 or written[0].lower() not in known:
        msg = "name a schedule, US-HTS or EU-CN, and at most one edition, or give --starter"
        raise typer.BadParameter(msg)
    return known[written[0].lower()], written[1] if len(written) > 1 else None


@app.command()
def promote(name: Name, edition: Edition, *, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Make a stored revision the current one. A running service switches without a restart."""
    with _sentences():
        stored = Revisions(data_dir).promote(name, edition)
    say(f"{name} {stored.revision.edition} ({stored.revision.digest[:12]}) is the current revision.")


@app.command()
def rollback(name: Name, *, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Make the previous revision the current one again."""
    with _sentences():
        stored = Revisions(data_dir).rollback(name)
    say(f"{name} {stored.revision.edition} ({stored.revision.digest[:12]}) is the current revision again.")


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
    revisions = Revisions(data_dir)
    with _sentences():
        changes = revisions.changes(name, before, after)
    chosen = changes.of_kind(*(kinds or ChangeKind))
    if as_json:
        print_json([asdict(change) for change in chosen])
        return
    _print_changes(chosen[: limit or None])
    counts = [f"{len(changes.of_kind(kind)):,} {kind.value}" for kind in ChangeKind if kind is not ChangeKind.ADDED]
    total = (
        f"{name} {changes.before.name} to {changes.after.name}: +{len(changes.added)} / -{len(changes.removed)} codes"
    )
    say(f"{total} ({', '.join(counts)})")
    if changes.outdated:
        say(f"Which earlier classifications that touches: pcs schedules outdated {name} {before} {after}")


def _print_changes(changes: Sequence[Change]) -> None:
    rows = []
    for change in changes:
        after = ", ".join(code.dotted for code in change.successors) or change.after
        rows.append((change.kind.value, change.code.dotted, _end(change.before), _end(after)))
    if rows:
        print_table(("Change", "Code", "Before", "After"), rows, text=("Before", "After"))


def _end(text: str, width: int = 160) -> str:
    """The end of a path, where its last words are."""
    return text if len(text) <= width else f"…{text[-width:]}"


def _take_up(revisions: Revisions, schedule: Schedule, *, promote: bool) -> str:
    """Store a schedule and let it answer; says what came of it."""
    stored = revisions.stage(schedule)
    if promote and stored.revision.language == _ANSWERS:
        revisions.promote(schedule.revision.schedule, stored.key)
    return _said(stored, revisions)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What to fetch: from another address where one is given, with so many seconds between two requests."""

    address: str | None
    data_dir: Path
    pause: float
    with_notes: bool


def _fetch_us(wanted: _Wanted, progress: Progress) -> str:
    with HttpPublisher(wanted.address or usitc_release.ADDRESS, RequestPolicy(pause=wanted.pause)) as publisher:
        schedule = _fetch_hts(publisher, progress)
        said = _take_up(Revisions(wanted.data_dir), schedule, promote=True)
        if wanted.with_notes:
            _fetch_notes(publisher, progress, wanted.data_dir, schedule.revision.edition)
    return said


def _fetch_eu(wanted: _Wanted, progress: Progress) -> str:
    schedule = _fetch_cn(wanted.address, wanted.data_dir, progress)
    return _take_up(Revisions(wanted.data_dir), schedule, promote=True)


_FETCHERS: dict[ScheduleName, Callable[[_Wanted, Progress], str]] = {
    ScheduleName.US_HTS: _fetch_us,
    ScheduleName.EU_CN: _fetch_eu,
}


def _fetch_hts(publisher: HttpPublisher, progress: Progress) -> Schedule:
    task = progress.add_task("USITC: schedule", total=None)
    schedule = usitc_release.fetch_schedule(
        publisher, lambda done, total: progress.update(task, completed=done, total=total)
    )
    progress.update(task, completed=1, total=1)
    return schedule


def _fetch_notes(publisher: HttpPublisher, progress: Progress, data_dir: Path, edition: str) -> None:
    """The PDFs that are not there yet, then their notes."""
    folder = data_dir / "downloads" / f"us-notes-{edition}"
    folder.mkdir(parents=True, exist_ok=True)
    names = list(usitc_release.note_files())
    for name in progress.track(names, description="USITC: notes"):
        target = folder / f"{name}.pdf"
        if not target.exists() and (content := usitc_release.fetch_note_file(publisher, name)):
            target.write_bytes(content)
    StoredNotes(data_dir).store(ScheduleName.US_HTS, read_notes(sorted(folder.glob("*.pdf")), edition))


def _fetch_cn(address: str | None, data_dir: Path, progress: Progress) -> Schedule:
    if address is None:
        msg = (
            "The Publications Office names a new address for each year's Combined Nomenclature: look up the RDF of "
            "combined-nomenclature-<year> (docs/data.md) and give it as --address, or import the file."
        )
        raise SourceError(msg)
    target = data_dir / "downloads" / "combined-nomenclature.rdf"
    task = progress.add_task("Publications Office: download", total=None)
    with HttpPublisher(address, RequestPolicy()) as publisher:
        publisher.download("", target, lambda done, total: progress.update(task, completed=done, total=total))
    return read_schedule(target)


def _revision(stored: StoredRevision, *, current: bool) -> dict[str, Any]:
    revision = stored.revision
    return {
        "schedule": revision.schedule.value,
        "edition": revision.edition,
        "in_force_from": revision.in_force_from and revision.in_force_from.isoformat(),
        "headings": stored.headings,
        "lines": stored.lines,
        "full_length": stored.full_length,
        "digest": revision.digest,
        "current": current,
    }


def _cells(one: dict[str, Any]) -> tuple[str, ...]:
    counts = (f"{one[name]:,}" for name in ("headings", "lines", "full_length"))
    since, current = one["in_force_from"] or "not stated", "yes" if one["current"] else ""
    languages = ", ".join(one["languages"])
    return (one["schedule"], one["edition"], languages, since, *counts, one["digest"][:12], current)


def _said(stored: StoredRevision, revisions: Revisions) -> str:
    name, language = stored.revision.schedule, stored.revision.language
    if revisions.pointer(name) == stored.key:
        state = "the current revision"
    elif language == _ANSWERS:
        state = f"stored; `pcs schedules promote {name} {stored.key}`"
    else:
        state = f"stored: its words are shown to whoever reads {told([language])}"
    return f"{name} {stored.revision.edition}, {counted(stored.lines, 'line')}, {state}"


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
