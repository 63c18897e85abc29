"""The engine on one core: time a classification against the floor of only reading its words, opening, memory."""

from __future__ import annotations

import os
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.progress import track

from benchmarks.table import Figure
from pcs.engine.classify import classify
from pcs.engine.product import Product
from pcs.engine.text import words
from pcs.schedules.methods import MethodShelf
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import read_pack

_PRODUCTS = 2_000


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
    started = time.perf_counter()
    shelf = MethodShelf(data_dir)
    methods = {name: shelf.current(name) for name in ScheduleName}
    yield Figure("open both schedules", time.perf_counter() - started, "s", limit=5)
    goods = products()
    floor = statistics.median(milliseconds(lambda product: words(product.text), goods, "reading words"))
    yield Figure("read a product's words (the floor)", floor, "ms")
    for name, method in methods.items():
        times = sorted(milliseconds(lambda product, method=method: classify(product, method), goods, str(name)))  # type: ignore[misc]
        median, late = statistics.median(times), times[int(len(times) * 0.99)]
        yield Figure(f"classify, {name}, median", median, "ms", ratio=median / floor, limit=15)
        yield Figure(f"classify, {name}, 99th percentile", late, "ms", ratio=late / floor, limit=60)
    yield Figure("memory at its highest", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MiB", limit=700)
