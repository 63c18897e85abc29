"""`pcs audit`: the codes of a file as they are filed today, beside those that are found. The trap: a row without a
filed code that ends the run, or that passes for one that agrees; it says that there is nothing to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pcs.base.plurals import counted
from pcs.classifications.filed_columns import FILED_TITLES, FiledCells, compared
from pcs.classifications.result_columns import result_titles
from pcs.cli.classify import opened
from pcs.cli.options import DEFAULT_DATA_DIR, DataDir
from pcs.cli.product_files import ProductFileError, check_output, products_in, write_beside
from pcs.engine.classify import classify
from pcs.engine.determination import Determination
from pcs.engine.filed.comparing import compare
from pcs.engine.filed.comparison import Agreement, Comparison
from pcs.products.model import ProductFields
from pcs.products.tables import ProductRow
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

Audit = Callable[[ProductFields, Code], tuple[Determination, Comparison]]


def command(
    *,
    source: Annotated[
        Path, typer.Option("--input", help="A file of products with their filed codes: CSV, XLSX or .jsonl.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", help="The file to write them to, each beside what was found: .csv, .xlsx or .jsonl."),
    ],
    schedule: Annotated[
        ScheduleName, typer.Option(help="The schedule that the codes are filed under.")
    ] = ScheduleName.US_HTS,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Compare the code that each product of a file is filed under with the one found for it."""
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    counts = Counter[str]()
    audit = _auditor(data_dir, schedule)
    try:
        check_output(output, source)
        with products_in(source, schedule) as table:
            write_beside(
                table,
                table.survey(),
                output,
                ours=lambda titles: result_titles([schedule], titles, FILED_TITLES),
                answered=partial(_row, schedule=schedule, audit=audit, counts=counts),
                notes=notes,
            )
    except ProductFileError as error:
        raise typer.BadParameter(str(error)) from error
    for line in _totals(counts):
        notes.print(line)


def _auditor(data_dir: Path, schedule: ScheduleName) -> Audit:
    method = opened(data_dir, schedule)
    former = Library(data_dir).former_lines(schedule)

    def audit(goods: ProductFields, filed: Code) -> tuple[Determination, Comparison]:
        product = goods.described()
        found = classify(product, method)
        return found, compare(filed, found, method.schedule, former)

    return audit


def _row(one: ProductRow, *, schedule: ScheduleName, audit: Audit, counts: Counter[str]) -> Sequence[object]:
    cells = _cells(one, schedule, audit, counts)
    counts["rows"] += 1
    counts["not compared"] += bool(cells.audit_error)
    return cells.cells


def _cells(one: ProductRow, schedule: ScheduleName, audit: Audit, counts: Counter[str]) -> FiledCells:
    if one.product is None:
        return FiledCells(audit_error=f"{one.row.place}: {'; '.join(one.problems)}")
    filed = one.product.declared_codes.get(schedule)
    if filed is None:
        return FiledCells(audit_error=f"{one.row.place}: there is no filed code to compare")
    determination, comparison = audit(one.product, filed)
    counts[comparison.agreement] += 1
    found = determination.result
    return compared(comparison, found.description if found else "", determination.revision.name, str)


def _totals(counts: Counter[str]) -> list[str]:
    told = {
        Agreement.AGREES: ("agrees", "agree"),
        Agreement.AGREES_IN_PART: ("agrees in part", "agree in part"),
        Agreement.DIFFERS: ("differs", "differ"),
        Agreement.SUPERSEDED: ("is superseded", "are superseded"),
        Agreement.NO_SUCH_LINE: ("names no line of this revision", "name no line of this revision"),
        Agreement.NOT_COMPARED: ("has goods that no code was found for", "have goods that no code was found for"),
        "not compared": ("row has an error instead", "rows have an error instead"),
    }
    lines = [f"  {counted(counts[kind], *words)}" for kind, words in told.items() if counts[kind]]
    return [f"{counted(counts['rows'], 'row')} audited.", *lines]
