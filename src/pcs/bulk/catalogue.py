"""A Parquet file of products to one of codes, by several processes. The trap: a run that is ended after hours; each
block's answers are a file of their own, put there whole, and the same command goes on with those that are missing.

Memory does not grow with the file: a block is read, answered and written, and the parts are joined one by one."""

from __future__ import annotations

import gc
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pcs.bulk.batches import Classifier, methods_of
from pcs.schedules.library import Library

BLOCK = 1_000  # products: some ten seconds of one core, which is what an end in the middle loses
_AHEAD = 3  # blocks read for each process that answers


class CatalogueError(ValueError):
    """A run that cannot begin; the message is a sentence for the terminal."""


@dataclass(frozen=True, slots=True)
class RunTally:
    """How many rows a run's files hold: those that were answered, and the bad ones that are apart."""

    good: int
    bad: int


@dataclass(frozen=True)
class Run:
    """One input and what comes of it: `output`, beside it the rows that could not be answered, and until the end a
    folder of parts."""

    source: Path
    output: Path
    classifier: Classifier

    @property
    def rejected(self) -> Path:
        """The file of the rows that cannot be read, each with what is wrong in `error`."""
        return self.output.with_name(f"{self.output.stem}.errors.parquet")

    @property
    def parts(self) -> Path:
        """Where each block's answers lie until all are there."""
        return self.output.with_name(f"{self.output.name}.parts")

    def begin(self) -> None:
        """Make the folder of parts, or find that of the same run. Raises CatalogueError where it is another's."""
        seen = self.source.stat()
        about = {
            "input": [str(self.source.absolute()), seen.st_size, seen.st_mtime_ns],
            "schedule": [self.classifier.schedule, *Library(self.classifier.data_dir).state(self.classifier.schedule)],
            "version": version("pcs"),
            "review_below": self.classifier.review_below,
            "block": BLOCK,
        }
        self.parts.mkdir(exist_ok=True)
        kept = self.parts / "run.json"
        if not kept.exists():
            _put(kept, lambda path: path.write_text(json.dumps(about)))
        elif json.loads(kept.read_bytes()) != about:
            msg = (
                f"{self.parts} holds parts of another run: its products, schedule or options were others. "
                "Remove that folder, or name another output"
            )
            raise CatalogueError(msg)

    def part(self, number: int) -> Path:
        """The file of one block's answers."""
        return self.parts / f"{number:08}.parquet"


def run(asked: Run, jobs: int, progress: Callable[[int, int], None]) -> RunTally:
    """Answer every product; `progress` is told how many of how many rows are done.

    Raises CatalogueError, SpreadsheetError where no column gives the name, and pyarrow.ArrowInvalid where the input is
    no Parquet file.
    """
    with pq.ParquetFile(asked.source) as products:
        blocks = begun(asked, products)
        _answer_missing(asked, products, jobs, progress)
        return join(asked, products.schema_arrow, blocks)


def begun(asked: Run, products: pq.ParquetFile) -> int:
    """Begin a run, or go on with it; in how many blocks its products are. Raises CatalogueError, SpreadsheetError."""
    asked.classifier(pa.RecordBatch.from_pylist([], schema=products.schema_arrow))
    asked.begin()
    rows: int = products.metadata.num_rows
    return math.ceil(rows / BLOCK)


def _answer_missing(asked: Run, products: pq.ParquetFile, jobs: int, progress: Callable[[int, int], None]) -> None:
    total, done = products.metadata.num_rows, 0
    pool = _opened(asked.classifier, jobs)
    waiting: dict[Future[None], int] = {}
    try:
        for number, block in blocks_of(products, range(math.ceil(total / BLOCK))):
            if asked.part(number).exists():
                done += len(block)
            else:
                waiting[pool.submit(answer, asked, number, block)] = len(block)
            while len(waiting) >= _AHEAD * jobs:
                done += _finished(waiting)
            progress(done, total)
        while waiting:
            done += _finished(waiting)
            progress(done, total)
    finally:
        pool.shutdown(cancel_futures=True)


def _opened(classifier: Classifier, jobs: int) -> ProcessPoolExecutor:
    """Processes that answer. On Linux the engine is opened once and they begin as copies of this process, which share
    its memory until they write to it; elsewhere each opens its own."""
    start = "fork" if sys.platform == "linux" else "spawn"
    if start == "fork":
        methods_of(classifier.data_dir, classifier.cache_dir).current(classifier.schedule)
        gc.collect()
        gc.freeze()  # what is collected is written to, and then no longer shared
    pool = ProcessPoolExecutor(jobs, mp_context=get_context(start), initializer=_end_with_parent)
    pool.submit(os.getpid).result()  # before anything else here begins a thread
    return pool


def _end_with_parent() -> None:
    """End this process when the one that asks has been killed: its answers would be nobody's."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _finished(waiting: dict[Future[None], int]) -> int:
    """Wait for one or more and forget them; how many rows they had. Raises what one of them raised."""
    ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for one in ended:
        one.result()
    return sum(waiting.pop(one) for one in ended)


def blocks_of(products: pq.ParquetFile, wanted: range) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Blocks of products that follow one another, all of one size but the last, whatever the file's row groups are; row
    groups that hold none of them are not read."""
    groups, skip = _groups(products, wanted)
    left: list[pa.RecordBatch] = []
    number = wanted.start
    for batch in products.iter_batches(batch_size=BLOCK, row_groups=groups) if groups else ():
        left.append(batch.slice(skip))
        skip = max(0, skip - len(batch))
        while sum(map(len, left)) >= BLOCK:
            whole = pa.concat_batches(left)
            yield number, whole.slice(0, BLOCK)
            left, number = [whole.slice(BLOCK)], number + 1
            if number == wanted.stop:
                return
    rest = pa.concat_batches(left) if left else None
    if rest is not None and len(rest):
        yield number, rest


def _groups(products: pq.ParquetFile, wanted: range) -> tuple[list[int], int]:
    """The row groups that hold these blocks, and how many rows of the first are before them."""
    first, last, start = wanted.start * BLOCK, wanted.stop * BLOCK, 0
    groups, skip = list[int](), 0
    for group in range(products.num_row_groups):
        end = start + products.metadata.row_group(group).num_rows
        if start < last and end > first:
            skip = skip if groups else max(0, first - start)
            groups.append(group)
        start = end
    return groups, skip


def answer(asked: Run, number: int, block: pa.RecordBatch) -> None:
    """Answer a block, and put its part there whole."""
    answers = asked.classifier(block, first_row=number * BLOCK + 1)
    _put(asked.part(number), lambda path: pq.write_table(pa.Table.from_batches([answers]), path))


def join(asked: Run, products: pa.Schema, blocks: int) -> RunTally:
    """Both files from the parts, in the products' order, and the parts removed."""
    schema, place = asked.classifier.schema(products), asked.classifier.revision_column(products)
    good, bad = _unfinished(asked.output), _unfinished(asked.rejected)
    answered = rejected = 0
    with pq.ParquetWriter(good, schema) as answers, pq.ParquetWriter(bad, schema) as errors:
        for number in range(blocks):
            table = pq.read_table(asked.part(number))
            sound = pc.is_valid(table.column(place))
            answers.write_table(table.filter(sound))
            errors.write_table(table.filter(pc.invert(sound)))
            answered, rejected = answered + pc.sum(sound).as_py(), rejected + len(table) - pc.sum(sound).as_py()
    bad.replace(asked.rejected)
    good.replace(asked.output)
    shutil.rmtree(asked.parts)
    return RunTally(answered, rejected)


def _put(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file in one step: it is there whole, or not at all."""
    making = _unfinished(path)
    write(making)
    making.replace(path)


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")
