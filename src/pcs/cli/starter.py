"""`pcs schedules check --starter`: the knowledge pack proved against the official schedules that are loaded, and
`pcs schedules format`: its files in their one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from pcs.base.plurals import counted
from pcs.cli.output import print_json, print_table, say, say_aside
from pcs.engine.fact_checks import fact_problems
from pcs.evaluation.cases import read_cases
from pcs.schedules.service import Revisions
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.check import coverage, problems, resembling, words_of
from pcs.tariff.starter.form import files, formed
from pcs.tariff.starter.lexicon.rows import read_lexicon
from pcs.tariff.starter.pack import PackError, read_pack
from pcs.tariff.starter.second_readings import second_readings

_MOST_SHOWN = 50


def check_starter(data_dir: Path, cases: Sequence[Path], *, as_json: bool = False) -> None:
    """Print what is wrong with the pack, what it covers and how many labels second readers found wrong.

    Ends with 1 where anything is wrong.
    """
    errors = Console(stderr=True)
    try:
        pack, lexicon, readings = read_pack(), read_lexicon(), second_readings()
    except PackError as error:
        errors.print(f"[red]{escape(str(error))}[/red]", soft_wrap=True)
        raise typer.Exit(1) from error
    revisions = Revisions(data_dir)
    schedules = {name: found for name in ScheduleName if (found := revisions.current(name))}
    if not schedules:
        errors.print("No official schedule is loaded to check the pack against: `pcs schedules import` one first.")
        raise typer.Exit(2)
    texts = [case.product.name for file in cases for case in read_cases(file)]
    held = [*coverage(pack, schedules), *words_of(lexicon)]
    wrong = [*problems(pack, schedules), *fact_problems(pack, schedules), *resembling(pack, texts)]
    if as_json:
        print_json(
            {
                "problems": wrong,
                "coverage": [asdict(row) for row in held],
                "second_readings": [asdict(row) for row in readings],
            }
        )
        raise typer.Exit(1 if wrong else 0)
    for problem in wrong[:_MOST_SHOWN]:
        errors.print(f"[red]{escape(problem)}[/red]", soft_wrap=True, highlight=False)
    if len(wrong) > _MOST_SHOWN:
        errors.print(f"[red]And {len(wrong) - _MOST_SHOWN:,} more.[/red]")
    rows = [(row.what, f"{row.held:,}", f"{row.of:,}", f"{row.held / max(row.of, 1):.1%}") for row in held]
    print_table(("What", "Held", "Of", "Share"), rows, text=("What",), counts=("Held", "Of", "Share"))
    say("Labels that a second reader judged, of goods drawn at random:")
    judged = [
        (f"Chapter {row.chapter}", f"{row.judged}", f"{row.wrong}", f"{row.wrong / max(row.judged, 1):.1%}")
        for row in readings
    ]
    print_table(("Chapter", "Judged", "Wrong", "Share"), judged, text=("Chapter",), counts=("Judged", "Wrong", "Share"))
    if wrong:
        say_aside(f"{counted(len(wrong), 'thing is', 'things are')} wrong.")
        raise typer.Exit(1)
    say("Every code is in its place, and no example is listed twice.")


def format_starter(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="Files of the pack; all of them if left out.", exists=True, dir_okay=False
        ),
    ] = None,
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file has another form.")
    ] = False,
) -> None:
    """Bring the knowledge pack's files into their one form: long lists go on in a further line of their kind.

    What a file says stays the same. A file that does not follow the format is named, and nothing is written.
    """
    errors, changed = Console(stderr=True), dict[Path, str]()
    chosen = paths or files()
    for path in chosen:
        try:
            text = path.read_text(encoding="utf-8")
            found = formed(text, name=path.name)
        except (PackError, UnicodeDecodeError) as error:
            said = str(error) if isinstance(error, PackError) else f"{path.name} is not a text in UTF-8."
            errors.print(f"[red]{escape(said)}[/red]", soft_wrap=True, highlight=False)
            raise typer.Exit(1) from error
        if found != text:
            changed[path] = found
    for path, found in changed.items():
        if not check:
            path.write_text(found, encoding="utf-8", newline="\n")
        say(f"{path.name} {'has another form.' if check else 'is in its form now.'}")
    if not changed:
        say(f"{counted(len(chosen), 'file in its', 'files in their')} form.")
    raise typer.Exit(1 if check and changed else 0)
