"""Parquet in, Parquet out, with processes of its own: the same answers as one at a time, bad rows apart, and a run that
was ended goes on where it was."""

import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from pcs.bulk import catalogue
from pcs.bulk.batches import Classifier, methods_of
from pcs.bulk.catalogue import CatalogueError, Run, run
from pcs.cli.classify import command
from pcs.engine.classify import classify
from pcs.engine.product import Product
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName

NAMES = ["men's cotton t-shirt", "leather handbag", "", "gift", "stainless steel kettle"]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    """One for all: an engine is opened once for a data folder."""
    folder = tmp_path_factory.mktemp("data")
    return Classifier(folder, ScheduleName.EU_CN, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))


def products(names: list[str]) -> pa.Table:
    return pa.table({"sku": list(range(len(names))), "name": names, "price": [Decimal("1.50")] * len(names)})


def unheard(_done: int, _total: int) -> None:
    """Progress that nobody looks at."""


def test_a_batch_is_answered_as_its_products_one_at_a_time(ask: Classifier) -> None:
    [batch] = products(NAMES).to_batches()
    rows = ask(batch, first_row=11).to_pylist()
    method = methods_of(ask.data_dir, ask.cache_dir).current(ask.schedule)
    alone = [classify(Product(name), method) for name in NAMES]
    assert [row["code"] for row in rows] == [None if one.code is None else str(one.code) for one in alone]
    assert [row["confidence"] for row in rows] == [one.result.confidence if one.result else None for one in alone]
    assert [row["sku"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[0]["code"] == "61091000"
    assert rows[2]["error"].startswith("row 13: name is needed")
    assert rows[3]["error"] == "INSUFFICIENT_INFORMATION"
    assert rows[3]["missing_information"][0] == "What is the product?"
    assert rows[1]["alternatives"][0]["confidence"] > 0


def test_days_and_exact_numbers_are_read_and_kept(ask: Classifier) -> None:
    batch = pa.RecordBatch.from_pydict({"name": ["pen"], "entry_date": [date(2026, 1, 31)], "identifier": [Decimal(7)]})
    [row] = ask(batch).to_pylist()
    assert (row["code"][:4], row["entry_date"], row["identifier"]) == ("9608", date(2026, 1, 31), Decimal(7))
    with pytest.raises(SpreadsheetError, match="no column that is called `name`"):
        ask(pa.RecordBatch.from_pydict({"price": [1]}))


def test_a_run_that_was_ended_goes_on_and_repeats_nothing(
    ask: Classifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "BLOCK", 2)
    monkeypatch.setattr(catalogue, "_AHEAD", 1)
    monkeypatch.setattr(catalogue, "ProcessPoolExecutor", _Here)
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(products(NAMES), source, row_group_size=3)
    asked = Run(source, output, ask)

    def ended(number: int, _total: int) -> None:
        if number == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(asked, 1, ended)
    kept = {path.name: path.stat().st_mtime_ns for path in asked.parts.glob("*.parquet")}
    assert len(kept) == 2
    assert not output.exists()
    with pytest.raises(CatalogueError, match="another run"):
        run(Run(source, output, Classifier(ask.data_dir, ScheduleName.US_HTS)), 1, unheard)
    _Here.answered.clear()
    assert run(asked, 1, unheard) == catalogue.RunTally(4, 1)
    assert len(_Here.answered) == 3 - len(kept)
    assert pq.read_table(output)["sku"].to_pylist() == [0, 1, 3, 4]
    assert pq.read_table(asked.rejected).to_pylist()[0]["error"] == "row 3: name is needed (name)"
    assert not asked.parts.exists()


class _Here:
    """Answers in this process, so that what it does can be watched."""

    answered: ClassVar[list[int]] = []

    def __init__(self, *_: object, **__: object) -> None:
        self.shutdown = lambda **_: None

    def submit(self, work: Any, *given: Any) -> Any:
        from concurrent.futures import Future  # noqa: PLC0415

        ended: Future[None] = Future()
        self.answered.extend(given[1:2])
        ended.set_result(work(*given))
        return ended


def test_the_command_answers_with_processes(ask: Classifier, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(products(NAMES), source)
    given = ["--input", source, "--output", output, "--schedule", "EU-CN", "--data-dir", ask.data_dir]
    result = CliRunner().invoke(app, [*map(str, given), "--jobs", "2"])
    assert result.exit_code == 0, result.output
    assert "4 products classified" in result.output
    assert pq.read_table(output)["code"][0].as_py() == "61091000"
    refused = CliRunner().invoke(app, [*map(str, given[:3]), str(tmp_path / "out.csv")])
    assert refused.exit_code == 2
