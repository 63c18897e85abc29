"""How every command prints: tables for people, JSON for programs, sentences with the next command in them.

The trap: an 80-column terminal, or a pipe, that cuts an id or a command which somebody must copy. Nothing is cut here:
text columns wrap, the others keep their words whole, and a table that needs more room than there is takes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_READABLE = 24  # what a column of text gets, however narrow the terminal


def say(sentence: str) -> None:
    """Print a sentence as it is: no markup, no colours, broken by the terminal only."""
    typer.echo(sentence)


def tell(paragraph: str) -> None:
    """Print a paragraph, its lines broken between words."""
    Console(highlight=False).print(Text(paragraph))


def say_aside(sentence: str) -> None:
    """The same beside the answer, on standard error."""
    typer.echo(sentence, err=True)


def print_json(data: object) -> None:
    """Print JSON for programs; what has no form of its own there, such as a date or a code, is its text."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, default=str))


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, text: Sequence[str] = (), counts: Sequence[str] = ()
) -> None:
    """Print rows under their columns. `text` names the columns that may wrap, `counts` those set to the right."""
    filled = list(rows)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for place, column in enumerate(columns):
        widest = max((len(row[place]) for row in filled), default=0)
        table.add_column(
            column,
            no_wrap=column not in text,
            overflow="fold",
            justify="right" if column in counts else "left",
            min_width=min(widest, _READABLE) if column in text else widest,
        )
    for row in filled:
        table.add_row(*map(Text, row))
    console = Console(highlight=False)
    needed = Measurement.get(console, console.options.update(max_width=10_000), table).minimum
    console.width = max(console.width, needed)
    console.print(table)
