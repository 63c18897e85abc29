"""`pcs classify`: codes on the command line, without a server. The trap: one bad row that ends the run; each row gets
its answer or its error, in its place."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from pcs.base.settings import Settings
from pcs.classifications.documents import plain
from pcs.classifications.result_columns import ResultCells, result_titles, shown
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.output import print_json, print_table, say, tell
from pcs.cli.product_files import ProductFileError, check_output, products_in, write_answers
from pcs.engine.classify import classify
from pcs.engine.determination import Determination, Undetermined
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.products.tables import ProductRow, ProductTable, Survey
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName

_REPEATS_SHOWN = 10


def command(
    text: Annotated[
        str | None, typer.Argument(help="The product, as you would describe it to a customs officer.")
    ] = None,
    *,
    schedule: Annotated[ScheduleName, typer.Option(help="The schedule to classify under.")] = ScheduleName.US_HTS,
    source: Annotated[
        Path | None, typer.Option("--input", help="A file of products: CSV, XLSX or .jsonl, a product a row.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="The file to write the results to: .csv, .xlsx or .jsonl.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Give a product its tariff code, or every product of a file."""
    if (text is None) == (source is None) or (source is None) != (output is None):
        msg = "give either a TEXT, or both --input FILE and --output FILE"
        raise typer.BadParameter(msg)
    if text is not None and not text.strip():
        msg = 'say what the product is, such as "men\'s cotton t-shirt"'
        raise typer.BadParameter(msg, param_hint="TEXT")
    method = _opened(data_dir, schedule)
    if source and output:
        _classify_file(source, output, method)
        return
    determination = classify(Product(text or ""), method)
    if as_json:
        print_json(as_record(determination))
    else:
        _show(determination)
    if determination.result is None:
        raise typer.Exit(1)


def _opened(data_dir: Path, schedule: ScheduleName) -> Method:
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    with Console(stderr=True).status("Opening the engine") as status:
        methods = Methods(Library(data_dir), cache_dir=settings.cache_folder, progress=status.update)
        return methods.current(schedule)


def as_record(determination: Determination) -> dict[str, Any]:
    """The determination as plain JSON values: the fields of its result, or why there is none."""
    revision, steps = determination.revision, [asdict(step) for step in determination.steps]
    where = {"schedule": revision.schedule, "schedule_revision": revision.name}
    if isinstance(determination.answer, Undetermined):
        missing = determination.answer
        said = {"undetermined": missing.reason, "reasoning": missing.reasoning}
        return {**where, "code": None, **said, "missing_information": missing.missing_information, "steps": steps}
    return {**where, **plain(determination.answer), "steps": steps}


def _classify_file(source: Path, output: Path, method: Method) -> None:
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    try:
        check_output(output, source)
        with products_in(source) as table:
            found = table.survey()
            for repeat in found.repeats[:_REPEATS_SHOWN]:
                notes.print(f"{source.name}: {repeat}.")
            if len(found.repeats) > _REPEATS_SHOWN:
                notes.print(f"{source.name}: {len(found.repeats) - _REPEATS_SHOWN:,} more rows repeat others.")
            _answer_all(table, found, output, method, notes)
    except ProductFileError as error:
        raise typer.BadParameter(str(error)) from error
    left_out = f", {found.rows - found.good:,} rows have an error instead" if found.rows > found.good else ""
    notes.print(f"{found.good:,} products classified into {output}{left_out}.")


def _answer_all(table: ProductTable, found: Survey, output: Path, method: Method, notes: Console) -> None:
    """Write the customer's columns and ours, a row at a time."""
    titles = [*table.sheet.titles, *[""] * (found.width - len(table.sheet.titles))]
    ours = result_titles([method.schedule.revision.schedule], titles)
    tracked = track(table.rows(), description="Classifying", console=notes, total=found.rows)
    rows = (
        (*one.row.cells, *[""] * (found.width - len(one.row.cells)), *_answered(one, method).cells) for one in tracked
    )
    style = table.sheet.style
    write_answers(output, [*titles, *ours], rows, delimiter=style.delimiter or ",", marked=style.marked)


def _answered(one: ProductRow, method: Method) -> ResultCells:
    if one.product is None:
        return ResultCells(error=f"{one.row.place}: {'; '.join(one.problems)}")
    answer = classify(Product(one.product.name, one.product.description or ""), method).answer
    if isinstance(answer, Undetermined):
        revision = method.schedule.revision.name
        return ResultCells(error=answer.reason, reasoning=answer.reasoning, revision=revision)
    return shown(answer, str)


def _show(determination: Determination) -> None:
    revision, found = determination.revision, determination.answer
    if isinstance(found, Undetermined):
        tell(f"No code. {found.reasoning}")
        return
    sure = "" if found.confidence is None else f"  confidence {found.confidence:.0%}"
    say(f"{found.code.dotted}{sure}  {revision.schedule} {revision.name}")
    levels = [
        (level.code.dotted if level.code else "", f"{'  ' * depth}{level.description}")
        for depth, level in enumerate(found.hierarchy)
    ]
    print_table(("Code", "Description"), levels, text=("Description",))
    tell(found.reasoning)
    for other in found.alternatives:
        tell(f"or {other.code.dotted}  {other.description}  {other.separated_by}")
    for question in found.missing_information:
        tell(f"not stated: {question}")
