"""Answers over Arrow batches: whoever has products in a table, wherever it runs, gets the same table back with ours
behind it. The trap: an engine opened for each batch; it is opened once a process, at the first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from pcs.base.errors import NotFoundError
from pcs.classifications.result_columns import ResultCells, result_titles, shown
from pcs.engine.classify import classify
from pcs.engine.determination import Undetermined
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.result import REVIEW_BELOW
from pcs.products.columns import columns_of
from pcs.products.intake import DECLARED
from pcs.products.tables import ProductRow, ProductTable, require_name
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.spreadsheets.model import Row, Sheet, Style
from pcs.tariff.revision import ScheduleName

_KEPT = 1_000  # answers of some kilobytes
_TYPES = {
    "confidence": pa.float64(),
    "needs_review": pa.bool_(),
    "confident_digits": pa.int64(),
    "alternatives": pa.list_(pa.struct([("code", pa.string()), ("confidence", pa.float64())])),
    "missing_information": pa.list_(pa.string()),
}
_OURS = [(field.name, _TYPES.get(field.name, pa.string())) for field in fields(ResultCells)]


@dataclass(frozen=True)
class Classifier:
    """Classifies batches of products under what a data folder holds; sent to another process, it opens the engine
    there."""

    data_dir: Path
    schedule: ScheduleName
    review_below: float = REVIEW_BELOW
    cache_dir: Path | None = None

    def __call__(self, batch: pa.RecordBatch, first_row: int = 1) -> pa.RecordBatch:
        """The batch with our columns behind its own; `error` says what is wrong with a row, the first being
        `first_row`. Raises SpreadsheetError where no column gives the name."""
        answers = [self._answered(one) for one in _products(batch, first_row).rows()]
        ours = [pa.array([_value(one, name) for one in answers], kind) for name, kind in _OURS]
        return pa.RecordBatch.from_arrays([*batch.columns, *ours], schema=self.schema(batch.schema))

    def schema(self, products: pa.Schema) -> pa.Schema:
        """The columns of the answers on products with these columns."""
        titles = result_titles([self.schedule], products.names)
        return pa.schema([*products, *(pa.field(title, kind) for title, (_, kind) in zip(titles, _OURS, strict=True))])

    def revision_column(self, products: pa.Schema) -> int:
        """The place of the column that says by which revision a row was answered: it is empty where the row is bad."""
        return len(products) + [name for name, _ in _OURS].index("schedule_revision")

    def _answered(self, one: ProductRow) -> ResultCells:
        if one.product is None:
            return ResultCells(error=f"{one.row.place}: {'; '.join(one.problems)}")
        goods = one.product.described()
        try:
            method = methods_of(self.data_dir, self.cache_dir).on(self.schedule, goods.in_force_on)
        except NotFoundError as error:  # of the revision in force on the day of entry
            return ResultCells(error=f"{one.row.place}: {error}")
        return _cells(goods, method, self.review_below)


@lru_cache(maxsize=_KEPT)
def _cells(goods: Product, method: Method, review_below: float) -> ResultCells:
    """The answer on goods; a catalogue repeats their words, row after row, for sizes and colours in other columns."""
    found = classify(goods, method, review_below=review_below)
    if isinstance(found.answer, Undetermined):
        return ResultCells(
            missing_information=found.answer.missing_information,
            reading=found.answer.reading,
            error=found.answer.reason,
            reasoning=found.answer.reasoning,
            schedule_revision=found.revision.name,
        )
    return shown(found.answer, str)


@lru_cache(maxsize=1)
def methods_of(data_dir: Path, cache_dir: Path | None) -> Methods:
    """The engine over a data folder, the same for all that ask in this process."""
    return Methods(Library(data_dir), cache_dir=cache_dir)


def _products(batch: pa.RecordBatch, first_row: int) -> ProductTable:
    """The batch as a table of products. Raises SpreadsheetError where no column gives the name."""

    def rows() -> Iterator[Row]:
        columns = [column.to_pylist() for column in batch.columns]
        for place, cells in enumerate(zip(*columns, strict=True)):
            yield Row(first_row + place, tuple(map(_cell, cells)))

    names = tuple(batch.schema.names)
    told = {name: place for name, place in columns_of(names).items() if name not in DECLARED}
    table = ProductTable(Sheet(Row(0, names), rows, Style("jsonl")), told)
    require_name(table)
    return table


def _cell(value: object) -> object:
    """A day and a number of exact digits as text, what else there is as it is."""
    return str(value) if isinstance(value, dt.date | Decimal) else value


def _value(answer: ResultCells, name: str) -> object:
    """One of our values, empty as Arrow says it."""
    if name == "alternatives":
        return [{"code": code, "confidence": sure} for code, sure in answer.alternatives]
    if name == "missing_information":
        return list(answer.missing_information)
    value = getattr(answer, name)
    return value if name in _TYPES else str(value) or None
