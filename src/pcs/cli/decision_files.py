"""Files of decisions on the command line. The trap: half of a file measured as if it were all of it; a row that is no
decision is named, and nothing is measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer

from pcs.cli.product_files import is_json_lines
from pcs.decisions.files import LIMITS, DecidedRow, read_decisions
from pcs.engine.decided import Decided
from pcs.engine.product import Product
from pcs.evaluation.decisions import KnownDecisions
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName


def known_decisions(file: Path) -> KnownDecisions:
    """The decisions of a file. Raises BadParameter that names the first row that is none."""
    try:
        with file.open("rb") as opened:
            table = read_decisions(opened, LIMITS, json_lines=is_json_lines(file))
            return KnownDecisions(each for row in table.rows() for each in _known(row))
    except SpreadsheetError as error:
        msg = f"{file.name} {error}"
        raise typer.BadParameter(msg, param_hint="--decisions") from error


def _known(one: DecidedRow) -> Iterator[tuple[ScheduleName, Product, Decided]]:
    if one.goods is None or one.schedule is None or one.code is None:
        msg = f"cannot be used: in {one.row.place} {one.problem}"
        raise SpreadsheetError(msg)
    product = Product(one.goods.name, one.goods.description or "")
    yield one.schedule, product, Decided(one.goods.identifier or one.row.place, product.name, one.code)
