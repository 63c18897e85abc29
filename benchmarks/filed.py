"""Filed codes on one core: a file of 5,000 products, each with a code, audited as `pcs audit` does it."""

from __future__ import annotations

import csv
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engine import products
from benchmarks.table import Figure
from pcs.cli.audit import command
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName

_ROWS = 5_000


def figures() -> Iterator[Figure]:
    """The whole command, from the file to the file, opening included; what is counted once for a version is not."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    data_dir = Path(os.environ.get("PCS_DATA_DIR", ".pcs/data"))
    Methods(Library(data_dir)).current(ScheduleName.US_HTS)
    with tempfile.TemporaryDirectory(prefix="pcs-bench-") as folder:
        source, output = Path(folder) / "filed.csv", Path(folder) / "audited.csv"
        _write(source, data_dir)
        started = time.process_time()  # what one core spends, whatever else it has to do
        command(source=source, output=output, schedule=ScheduleName.US_HTS, data_dir=data_dir)
        seconds = time.process_time() - started
        with output.open(encoding="utf-8", newline="") as file:
            answered = sum(bool(row["audit"]) for row in csv.DictReader(file))
    yield Figure("filed codes answered", answered, "codes", least=_ROWS)
    yield Figure("audit 5,000 filed codes", seconds, "s", limit=60)


def _write(source: Path, data_dir: Path) -> None:
    """Goods of the pack, each under a line of the loaded revision that is drawn by chance."""
    chosen, goods = random.Random(2), products()
    lines = [line.code for line in Library(data_dir).schedule(ScheduleName.US_HTS).lines]
    with source.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", "description", "HTS code"])
        for number in range(_ROWS):
            one = goods[number % len(goods)]
            table.writerow([f"{one.name} {number}", one.description, chosen.choice(lines)])
