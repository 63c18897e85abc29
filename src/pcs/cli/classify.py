"""`pcs classify`: codes on the command line, without a server. The trap: one bad row that ends the run; each row gets
its answer or its error, in its place."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.product_files import ProductFileError, read_products, write_answers
from pcs.engine.classify import classify
from pcs.engine.determination import Determination
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.schedules.methods import MethodShelf
from pcs.tariff.revision import ScheduleName


def command(
    text: Annotated[
        str | None, typer.Argument(help="The product, as you would describe it to a customs officer.")
    ] = None,
    *,
    schedule: Annotated[ScheduleName, typer.Option(help="The schedule to classify under.")] = ScheduleName.US_HTS,
    source: Annotated[
        Path | None, typer.Option("--input", help="A .jsonl or .csv file, a `name` (and `description`) a row.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Where the answers go: .jsonl or .csv.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Give a product its tariff code, or every product of a file."""
    if (text is None) == (source is None) or (source is None) != (output is None):
        msg = "give either a TEXT, or both --input FILE and --output FILE"
        raise typer.BadParameter(msg)
    method = MethodShelf(data_dir).current(schedule)
    if source and output:
        _classify_file(source, output, method)
        return
    determination = classify(Product(text or ""), method)
    if as_json:
        Console().print_json(data=as_record(determination))
    else:
        _show(determination)
    if determination.code is None:
        raise typer.Exit(1)


def as_record(determination: Determination) -> dict[str, Any]:
    """The determination as plain JSON values."""
    record = asdict(determination)
    revision = record.pop("revision")
    record["schedule"], record["schedule_revision"] = revision["schedule"], revision["edition"]
    for ruling in record["rulings"]:
        ruling["date"] = ruling["date"] and ruling["date"].isoformat()
    return record


def _classify_file(source: Path, output: Path, method: Method) -> None:
    notes = Console(stderr=True)
    try:
        rows = read_products(source)
    except ProductFileError as error:
        raise typer.BadParameter(str(error)) from error
    tracked = track(rows, description="Classifying", console=notes)
    write_answers(output, ({**row, **_answer(row, method)} for row in tracked))
    notes.print(f"{len(rows)} products classified into {output}.")


def _answer(row: dict[str, Any], method: Method) -> dict[str, Any]:
    name, description = row.get("name"), row.get("description") or ""
    if not isinstance(name, str) or not name.strip() or not isinstance(description, str):
        return {"error": "a row needs a `name` with words in it, and a `description`, where given, that is text"}
    found = classify(Product(name, description), method)
    return {
        "schedule": method.schedule.revision.schedule,
        "schedule_revision": method.schedule.revision.name,
        "code": found.code,
        "code_description": found.description,
        "confidence": found.confidence,
        "reasoning": found.reasoning,
        "error": found.undetermined,
    }


def _show(found: Determination) -> None:
    console = Console()
    if found.code is None:
        console.print(f"[bold]No code.[/bold] {found.reasoning}")
        return
    sure = "" if found.confidence is None else f"  confidence {found.confidence:.0%}"
    console.print(f"[bold]{found.code.dotted}[/bold]{sure}  [dim]{found.revision.schedule} {found.revision.name}[/dim]")
    table = Table("code", "level", box=None, header_style="dim")
    for depth, level in enumerate(found.hierarchy):
        table.add_row(level.code.dotted if level.code else "", f"{'  ' * depth}{level.text}")
    console.print(table)
    console.print(found.reasoning)
    for other in found.alternatives:
        console.print(f"[dim]or[/dim] {other.code.dotted}  {other.description}  [dim]{other.separated_by}[/dim]")
    for question in found.missing_information:
        console.print(f"[dim]unknown:[/dim] {question}")
