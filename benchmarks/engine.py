"""The engine on one core: time a classification against the floor of only reading its words, opening, memory, and all
of it again with a corpus of rulings as large as CROSS."""

from __future__ import annotations

import datetime as dt
import math
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from rich.progress import track

from benchmarks.table import Figure
from pcs.engine.classify import classify
from pcs.engine.counting.apart import count_apart
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.retrieval.precedents import index_precedents
from pcs.engine.text import words
from pcs.engine.trained_file import trained_path
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource
from pcs.tariff.starter.pack import read_pack

_PRODUCTS = 2_000
_FLOOR = 0.0248  # ms: the floor on the machine that the limits below were set for (docs/performance.md)
_MEDIAN, _LATE = 10, 25  # ms
_OPENING = 5  # s
_CORPORA = (22_000, 220_000)  # a tenth of CROSS, and CROSS


def products() -> list[Product]:
    """A fixed mix of short names and long listings, taken from the pack's goods."""
    chosen = random.Random(0)
    goods = [example.text for chapter in read_pack() for heading in chapter.headings for example in heading.examples]
    return [
        Product(chosen.choice(goods), " ".join(chosen.sample(goods, 6)) if place % 2 else "")
        for place in range(_PRODUCTS)
    ]


def milliseconds(action: Callable[[Product], object], goods: list[Product], title: str) -> list[float]:
    """How long the action takes on each product."""
    times = []
    for product in track(goods, description=title):
        started = time.perf_counter()
        action(product)
        times.append((time.perf_counter() - started) * 1000)
    return times


def figures() -> Iterator[Figure]:
    """Opening, then a classification in each schedule, then memory."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    data_dir = Path(os.environ.get("PCS_DATA_DIR", ".pcs/data"))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        goods = apart.submit(products).result()  # the pack's goods are no memory of the engine's
        apart.submit(_prepared, data_dir).result()
    yield _counting(data_dir)
    started = time.perf_counter()
    methods = opened(data_dir)
    opening = time.perf_counter() - started
    yield Figure("open both schedules, counted and read before", opening, "s", limit=_OPENING)
    floor = statistics.median(milliseconds(lambda product: words(product.text), goods, "reading words"))
    yield Figure("read a product's words (the floor)", floor, "ms")
    yield Figure(
        "open both schedules, to the floor", opening * 1000 / floor, "x", limit=round(_OPENING * 1000 / _FLOOR)
    )
    for name, method in methods.items():
        times = sorted(milliseconds(lambda product, method=method: classify(product, method), goods, str(name)))  # type: ignore[misc]
        median, late = statistics.median(times), times[int(len(times) * 0.99)]
        for what, took, limit in (("median", median, _MEDIAN), ("99th percentile", late, _LATE)):
            yield Figure(f"classify, {name}, {what}", took, "ms", ratio=took / floor, limit=limit)
            yield Figure(f"classify, {name}, {what}, to the floor", took / floor, "x", limit=round(limit / _FLOOR))
    yield Figure("memory at its highest", _memory(), "MiB", limit=400)
    yield from _with_rulings(methods[ScheduleName.US_HTS], goods, floor)


def opened(data_dir: Path) -> dict[ScheduleName, Method]:
    """The method of each schedule."""
    methods = Methods(Library(data_dir))
    return {name: methods.current(name) for name in ScheduleName}


def _prepared(data_dir: Path) -> None:
    """Have all that is made once for each version and revision made."""
    opened(data_dir)


def _counting(data_dir: Path) -> Figure:
    with tempfile.TemporaryDirectory(prefix="pcs-bench-") as cache:
        started = time.perf_counter()
        count_apart(trained_path(data_dir), Path(cache) / "trained", lambda _: None)
        return Figure("count the knowledge pack, once for each version", time.perf_counter() - started, "s")


def _with_rulings(method: Method, goods: list[Product], floor: float) -> Iterator[Figure]:
    """The median with made-up rulings loaded, how it grows with their number, and the memory they take."""
    medians = []
    for size in _CORPORA:
        started = time.perf_counter()
        larger = replace(method, precedents=index_precedents(_rulings(size)))
        yield Figure(f"index {size:,} rulings", time.perf_counter() - started, "s")
        title = f"{size:,} rulings"
        medians.append(statistics.median(milliseconds(lambda product, m=larger: classify(product, m), goods, title)))  # type: ignore[misc]
        yield Figure(f"classify with {size:,} rulings, median", medians[-1], "ms", ratio=medians[-1] / floor, limit=40)
        del larger
    growth, root = medians[1] / medians[0], math.sqrt(_CORPORA[1] / _CORPORA[0])
    yield Figure("cost growth for ten times the rulings", growth, "times", ratio=growth / root, limit=root)
    yield Figure("memory at its highest, with rulings", _memory(), "MiB", limit=1_800)


def _rulings(size: int) -> Iterator[Ruling]:
    """Made-up rulings, their subjects put together from two goods of the pack, as long as those of CROSS."""
    chosen = random.Random(1)
    known = [
        (good.text, good.lines[ScheduleName.US_HTS.column])
        for chapter in read_pack()
        for heading in chapter.headings
        for good in heading.examples
        if good.lines[ScheduleName.US_HTS.column]
    ]
    for number in range(size):
        (first, code), (second, _) = chosen.choice(known), chosen.choice(known)
        words = [*first.split(), *second.split()]
        chosen.shuffle(words)
        subject = f"The tariff classification of {' '.join(words[:12])}"
        yield Ruling(f"N{number:06d}", RulingSource.CROSS, dt.date(2020, 1, 1), subject, codes=(code,))


def _memory() -> float:
    """The most memory that this process had since its program began, MiB (`ru_maxrss` knows its parent's, too)."""
    [line] = (line for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if "VmHWM" in line)
    return int(line.split()[1]) / 1024
