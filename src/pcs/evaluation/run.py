"""Asks the engine every case, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from pcs.engine.determination import Determination
from pcs.evaluation.cases import Case
from pcs.evaluation.outcome import CaseOutcome


def run(cases: Iterable[Case], answer: Callable[[Case], Determination]) -> Iterator[CaseOutcome]:
    """Each case with its answer and the wall time it took."""
    for case in cases:
        started = time.perf_counter()
        determination = answer(case)
        yield CaseOutcome(case, determination, (time.perf_counter() - started) * 1000)
