"""A run that is spread over the processes of somebody's cluster, which has the products, the answers' folder and the
data folder under the same paths on every machine. The trap: a cluster that repeats what a lost machine had begun; a
block's answers are put there whole, the same whoever writes them, and what is there is not made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import pyarrow.parquet as pq

from pcs.bulk.catalogue import BLOCK, Run, RunTally, answer, begun, blocks_of, join

_UNIT = 8  # blocks of one task: reading up to where they begin costs little beside answering them
_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Unit:
    """Some blocks of a run that one task answers, sent to whoever does."""

    asked: Run
    blocks: range

    def __call__(self) -> None:
        """Answer those that are missing."""
        with pq.ParquetFile(self.asked.source) as products:
            for number, block in blocks_of(products, self.blocks):
                if not self.asked.part(number).exists():
                    answer(self.asked, number, block)


Cluster = Callable[[Sequence[Unit]], None]
"""Does every unit, somewhere, and comes back when all are done."""


def run_on(cluster: Cluster, asked: Run, progress: Callable[[int, int], None]) -> RunTally:
    """Answer every product on a cluster; as `catalogue.run`, which raises the same, and whatever the cluster raises."""
    with pq.ParquetFile(asked.source) as products:
        blocks, total = begun(asked, products), products.metadata.num_rows
        units = [Unit(asked, range(first, min(first + _UNIT, blocks))) for first in range(0, blocks, _UNIT)]
        missing = [unit for unit in units if not all(asked.part(number).exists() for number in unit.blocks)]
        with ThreadPoolExecutor(1) as waiting:
            work = waiting.submit(lambda: cluster(missing) if missing else None)
            while wait([work], _LOOK_SECONDS).not_done:
                progress(min(total, BLOCK * sum(1 for _ in asked.parts.glob("*.parquet"))), total)
            work.result()
        return join(asked, products.schema_arrow, blocks)
