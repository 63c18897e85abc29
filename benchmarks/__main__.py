"""`make bench`: every benchmark in one run, as one Markdown table; ends with 1 where a limit is missed.

`python -m benchmarks requests work` runs some of them."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.measure import measure
from benchmarks.table import Figure, markdown

PARTS = (
    "requests",
    "work",
    "queued",
    "stored",
    "dashboard",
    "engine",
    "catalogues",
    "filed",
    "decided",
    "law",
    "outdated",
    "request_log",
    "waiting",
    "uploads",
)


def run(parts: list[str]) -> list[Figure]:
    """The figures of these parts, in the order given, each measured in a process of its own: what one leaves behind
    (threads, memory, a processor it keeps to) is no other's."""
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}.")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as a worker has: threads that wait take the cores
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as alone:
        return [figure for part in parts for figure in alone.submit(measure, part).result()]


if __name__ == "__main__":
    figures = run(sys.argv[1:] or list(PARTS))
    print(markdown(figures))
    sys.exit(0 if all(figure.holds for figure in figures) else 1)
