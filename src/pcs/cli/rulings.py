"""`pcs rulings`: fetch or import rulings and see what there is. The trap: a fetch takes days at a polite pace, so it
shows how far it is, may be stopped at any moment, and goes on where it was."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pcs.base.plurals import counted
from pcs.base.publisher import HttpPublisher, PublisherError, RequestPolicy
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.output import print_json, print_table, say, say_aside
from pcs.rulings.fetch import fetch_rows, fetch_texts
from pcs.rulings.files import import_rulings, read_rulings
from pcs.rulings.mending import mend
from pcs.rulings.service import RulingCorpus
from pcs.schedules.service import Revisions
from pcs.tariff.changes import Changes, changes_between
from pcs.tariff.code import Code
from pcs.tariff.ruling import CodeStanding, RulingSource, RulingStatus, standing_of
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources import cbp_cross, ebti
from pcs.tariff.sources.problem import SourceError

app = typer.Typer(help="Rulings: fetch, import, list, show.", no_args_is_help=True)
_errors = Console(stderr=True)


class Source(StrEnum):
    """Where rulings can be fetched from."""

    CROSS = "cross"
    EBTI = "ebti"


@app.command()
def fetch(  # noqa: PLR0913 - a command takes what its user may say
    source: Annotated[Source, typer.Argument(help="cross (US) or ebti (EU).")],
    *,
    since: Annotated[
        dt.datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="cross: from this day; if left out, from where the last fetch ended."),
    ] = None,
    texts: Annotated[bool, typer.Option(help="cross: fetch the texts too, one request each.")] = True,
    languages: Annotated[str, typer.Option(help="ebti: keep these languages only, such as en,de,fr.")] = "",
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds between two requests.")] = 1.0,
    address: Annotated[str | None, typer.Option(envvar="PCS_RULINGS_ADDRESS", help="Another address.")] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Fetch rulings from their publisher; go on where an earlier fetch was stopped."""
    policy = RequestPolicy(pause=pause)
    with _sentences(), contextlib.closing(RulingCorpus(data_dir)) as corpus:
        if source is Source.CROSS:
            with HttpPublisher(address or cbp_cross.ADDRESS, policy) as publisher:
                _fetch_cross(corpus, publisher, since.date() if since else None, texts=texts)
        else:
            target = data_dir / "downloads" / "ebti.zip"
            with HttpPublisher(address or ebti.ADDRESS, policy) as publisher:
                _download(publisher, target)
            _import(corpus, target, languages)
    _print_counts(data_dir)


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="EBTI's ZIP, or JSON Lines (.gz).", exists=True, dir_okay=False)],
    *,
    languages: Annotated[str, typer.Option(help="Keep these languages only, such as en,de,fr.")] = "",
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Import rulings from files; decisions that have ended are left out or marked."""
    with _sentences(), contextlib.closing(RulingCorpus(data_dir)) as corpus:
        for file in files:
            _import(corpus, file, languages)
    _print_counts(data_dir)


@app.command("list")
def list_(*, as_json: AsJson = False, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show how many rulings there are of each source and status."""
    if as_json:
        counts = _counts(data_dir)
        print_json(
            [{"source": source, "status": status, "rulings": counts[source, status]} for source, status in counts]
        )
        return
    _print_counts(data_dir)


@app.command()
def show(
    reference: Annotated[str, typer.Argument(help="Such as N301234 or DEBTI1234/25-1.")],
    *,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Show a ruling with its status, how that is known, and its text."""
    with contextlib.closing(RulingCorpus(data_dir)) as corpus:
        ruling = corpus.get(reference)
    if ruling is None:
        _errors.print(
            f"[red]There is no ruling {escape(reference)} in {data_dir}.[/red]", highlight=False, soft_wrap=True
        )
        raise typer.Exit(1)
    if as_json:
        print_json(asdict(ruling))
        return
    say(f"{ruling.reference}  {ruling.date or ''}  {ruling.status.value} ({ruling.status_from})")
    say(ruling.subject)
    say(" ".join(code.dotted for code in ruling.codes))
    for words in (ruling.url, ruling.text, ruling.grounds):
        if words:
            say(words)


@app.command("mend")
def mend_(*, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Rebuild a damaged file of rulings from what can still be read; the damaged file is kept beside it."""
    with _progress() as progress:
        task = progress.add_task("Reading what can be read", total=None)
        mended = mend(data_dir, lambda done: progress.update(task, completed=done))
    said = (
        f"{counted(mended.kept, 'ruling was', 'rulings were')} kept; the file as it was is {mended.damaged.name} now."
    )
    _errors.print(f"{said} Fetch or import again what is missing.", highlight=False, markup=False)
    _print_counts(data_dir)


@app.command()
def check(
    *,
    limit: Annotated[int, typer.Option(min=0, help="How many codes to show of each kind; 0 for all.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List codes that rulings cite and the schedule no longer has, with their successors where these are clear."""
    revisions = Revisions(data_dir)
    found: dict[RulingSource, tuple[Schedule, list[tuple[CodeStanding, int]]]] = {}
    with _sentences(), contextlib.closing(RulingCorpus(data_dir)) as corpus:
        for source in RulingSource:
            schedule = revisions.current(source.schedule) if source.schedule else None
            if schedule is not None:
                found[source] = schedule, _standings(corpus, source, schedule, revisions)
    if as_json:
        print_json([_plain(source, each) for source, (_, standings) in found.items() for each in standings])
        return
    for schedule, standings in found.values():
        _print_standings(standings, schedule, limit)
    if not found:
        say(f"No official schedule in {data_dir} to check rulings against: `pcs schedules import FILE`.")


def _plain(source: RulingSource, found: tuple[CodeStanding, int]) -> dict[str, Any]:
    standing, rulings = found
    return {"source": source, "rulings": rulings, **asdict(standing)}


def _standings(
    corpus: RulingCorpus, source: RulingSource, schedule: Schedule, revisions: Revisions
) -> list[tuple[CodeStanding, int]]:
    """Each cited code that is not a code of today, with the number of rulings in force that cite it, most first."""
    cited: Counter[Code] = Counter()
    for ruling in corpus.scan(source, with_text=False):
        if ruling.status is not RulingStatus.REVOKED:
            cited.update(ruling.codes)
    history = _history(revisions, schedule)
    found = [(standing_of(code, schedule, history), count) for code, count in cited.items()]
    gone = [(standing, count) for standing, count in found if standing.now != standing.cited]
    return sorted(gone, key=lambda each: (-each[1], each[0].cited))


def _history(revisions: Revisions, schedule: Schedule) -> list[Changes]:
    """What changed from each older stored revision to the next, and to this one."""
    name = schedule.revision.schedule
    older = {
        each.revision.edition: each for each in revisions.stored(name) if each.revision.order < schedule.revision.order
    }
    chain = [revisions.open(name, each.key) for each in sorted(older.values(), key=lambda each: each.revision.order)]
    return [changes_between(before, after) for before, after in pairwise([*chain, schedule])]


def _print_standings(standings: list[tuple[CodeStanding, int]], schedule: Schedule, limit: int) -> None:
    revision = schedule.revision
    mapped = sum(standing.now is not None for standing, _ in standings)
    rows = []
    for standing, count in standings[: limit or None]:
        now = standing.now.dotted if standing.now else "-"
        rows.append((standing.cited.dotted, f"{count:,}", now, str(standing.digits_held), standing.because))
    gone = f"{counted(len(standings), 'cited code is', 'cited codes are')} not in force today"
    say(f"{revision.schedule} {revision.name}: {gone}, {mapped:,} mapped.")
    if rows:
        columns = ("Cited", "Rulings", "Now", "Digits still valid", "Why")
        print_table(columns, rows, text=("Why",), counts=("Rulings", "Digits still valid"))


def _fetch_cross(corpus: RulingCorpus, publisher: HttpPublisher, since: dt.date | None, *, texts: bool) -> None:
    with _progress() as progress:
        task = progress.add_task("CROSS", total=None)

        def report(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"CROSS, {what}", completed=done, total=total)

        fetch_rows(corpus, publisher, _today(), first=since, report=report)
        fetched = fetch_texts(corpus, publisher, report=report) if texts else None
    if fetched and fetched.without_text:
        _errors.print(f"CROSS has no text for {fetched.without_text:,} of them.", highlight=False)


def _download(publisher: HttpPublisher, target: Path) -> None:
    with _progress() as progress:
        task = progress.add_task("EBTI, download (bytes)", total=None)
        publisher.download(
            ebti.FULL_EXPORT, target, lambda done, total: progress.update(task, completed=done, total=total)
        )


def _import(corpus: RulingCorpus, file: Path, languages: str) -> None:
    chosen = frozenset(each.strip().lower() for each in languages.split(",") if each.strip())
    with _progress() as progress:
        task = progress.add_task(escape(file.name), total=None)
        rulings = read_rulings(file, lambda done, total: progress.update(task, completed=done, total=total))
        done = import_rulings(corpus, rulings, _today(), languages=chosen)
    say_aside(f"{file.name}: {done.added:,} added, {done.withdrawn:,} marked as ended, {done.left_out:,} left out.")


def _counts(data_dir: Path) -> Mapping[tuple[RulingSource, RulingStatus], int]:
    with contextlib.closing(RulingCorpus(data_dir)) as corpus:
        return corpus.counts()


def _print_counts(data_dir: Path) -> None:
    counts = _counts(data_dir)
    if not counts:
        say(f"No rulings in {data_dir}: `pcs rulings fetch cross` or `pcs rulings import FILE`.")
        return
    states = [status.value for status in RulingStatus]
    rows = [
        (source.value, *(f"{counts.get((source, status), 0):,}" for status in RulingStatus))
        for source in sorted({source for source, _ in counts})
    ]
    print_table(("Source", *states), rows, counts=states)


def _today() -> dt.date:
    return dt.datetime.now(tz=dt.UTC).date()


@contextlib.contextmanager
def _sentences() -> Iterator[None]:
    """What went wrong is said in a sentence, and the command ends with 1; what was read by then is kept."""
    try:
        yield
    except (SourceError, PublisherError) as error:
        _errors.print(f"[red]{escape(str(error))}[/red]", soft_wrap=True, highlight=False)
        raise typer.Exit(1) from error


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=_errors)
