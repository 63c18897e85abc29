"""Catalogues in Parquet: processor time a product as the catalogue grows, what a block saves to one at a time, and what
further processes take of time and memory.

The trap: goods that repeat, which cost nothing; every row here has words of its own. `BENCH_ROWS` says how many rows
the largest has.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Event, Thread

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.cpu import children
from benchmarks.engine import products
from benchmarks.table import Figure
from pcs.bulk.batches import Classifier, methods_of
from pcs.bulk.catalogue import BLOCK, Run, run
from pcs.engine.classify import classify
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName

_ROWS = int(os.environ.get("BENCH_ROWS", "10000"))
_SMALLEST = 2_000
_PROCESSES = 8
_LOOK_SECONDS = 0.2


def figures() -> Iterator[Figure]:
    """The same words a row at each size, so that sizes are all that differs."""
    data_dir = Path(os.environ.get("PCS_DATA_DIR", ".pcs/data"))
    classifier = Classifier(data_dir, ScheduleName.US_HTS)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        words = apart.submit(_words, classifier).result()
        gained = apart.submit(_gained, classifier, words).result()
    yield Figure("a block of 1,024, to one product at a time", gained, "times", least=4)
    with tempfile.TemporaryDirectory(prefix="pcs-bench-") as folder:
        each = {}
        for rows in (_SMALLEST, _ROWS):
            asked = Run(_catalogue(Path(folder), words, rows), Path(folder) / f"codes-{rows}.parquet", classifier)
            began, before = time.perf_counter(), _processor()
            assert run(asked, 2, _unheard).good == rows
            each[rows] = (_processor() - before) / rows * 1000
            rate = rows / (time.perf_counter() - began)
            yield Figure(f"{rows:,} products of Parquet, two processes", rate, "a second")
            yield Figure(f"{rows:,} products of Parquet, processor time of each", each[rows], "ms")
        growth = each[_ROWS] / each[_SMALLEST]
        yield Figure(f"processor time of each of {_ROWS:,}, to that of {_SMALLEST:,}", growth, "times", limit=1.1)
        yield Figure("10 million products, processor time", each[_ROWS] * 10_000 / 3_600, "core-hours")
        asked = Run(_catalogue(Path(folder), words, 1), Path(folder) / "one.parquet", classifier)
        began = time.perf_counter()
        run(asked, 1, _unheard)
        yield Figure("a further process, from its start to its first answer", time.perf_counter() - began, "s", limit=1)
        asked = Run(_catalogue(Path(folder), words, BLOCK * _PROCESSES), Path(folder) / "eight.parquet", classifier)
        with _watched() as seen:
            run(asked, _PROCESSES, _unheard)
        yield Figure(f"memory of {_PROCESSES} processes together, at its highest", max(seen), "MiB", limit=1_500)


def _words(classifier: Classifier) -> list[list[str]]:
    """What sellers say of goods, a list of words each; beside it the engine is counted, if it was not yet.

    In a process of its own, so that the one that is measured has opened no engine, as `pcs classify` has none.
    """
    methods_of(classifier.data_dir, classifier.cache_dir).current(classifier.schedule)
    return [f"{one.name} {one.description}".split() for one in products()]


def _gained(classifier: Classifier, words: list[list[str]]) -> float:
    """How often a block goes into the time of as many products one at a time, the median of three turns."""
    method, found = methods_of(classifier.data_dir, classifier.cache_dir).current(classifier.schedule), []
    for turn in range(3):
        names = _names(words, 2 * BLOCK, turn)
        block = pa.RecordBatch.from_pydict({"name": names[BLOCK:]})
        began = time.perf_counter()
        for name in names[:BLOCK]:
            classify(Product(name), method)
        between = time.perf_counter()
        classifier(block)
        found.append((between - began) / (time.perf_counter() - between))
    return median(found)


def _catalogue(folder: Path, words: list[list[str]], rows: int) -> Path:
    path = folder / f"products-{rows}.parquet"
    pq.write_table(pa.table({"name": _names(words, rows, rows)}), path)
    return path


def _names(words: list[list[str]], rows: int, seed: int) -> list[str]:
    """Products of five to twenty-five words that sellers say of goods."""
    chosen = random.Random(seed)
    said = [chosen.choice(words)[:15] + chosen.choice(words)[:10] for _ in range(rows)]
    return [f"{' '.join(each)} {number}" for number, each in enumerate(said)]


def _processor() -> float:
    """Seconds of processor time of this process and of those that it has waited for."""
    taken = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in taken)


@contextlib.contextmanager
def _watched() -> Iterator[list[float]]:
    """Meanwhile, MiB of this process and all that it has started; what several share counts once."""
    seen, ended = [0.0], Event()

    def watch() -> None:
        while not ended.wait(_LOOK_SECONDS):
            seen.append(sum(map(_share, children(os.getpid()))))

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield seen
    finally:
        ended.set()
        watching.join()


def _share(pid: int) -> float:
    """A process's proportional set size, MiB; nothing of one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _unheard(_done: int, _total: int) -> None:
    """Progress that nobody looks at."""
