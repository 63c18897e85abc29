"""Whether promises hold: half of a set's cases are reviewed, the other half is taken above the threshold they bear.

`python -m benchmarks.promises CASES...` prints, for each set and promise, in how many of the random splits what was
taken was right as often as promised, how much was taken and how right that was. Ends with 1 where a promise is kept in
fewer than nine of ten splits."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from pcs.engine.classify import classify
from pcs.evaluation.cases import read_cases
from pcs.evaluation.promise import Promise, Reviewed, kept
from pcs.evaluation.run import run
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods

_SPLITS = 100
_PROMISES = (0.95, 0.9, 0.8, 0.7, 0.6)
_LEAST = 0.9


@dataclass(frozen=True, slots=True)
class Split:
    """How one split went: the share of the other half that was taken, and how much of that was right, if any was."""

    taken: float
    right: float | None


def answers(path: Path, methods: Methods, digits: int) -> list[Reviewed]:
    """What is answered to each case, as a person would review it; goods without an answer are taken by nobody."""
    outcomes = run(read_cases(path), lambda case: classify(case.product, methods.current(case.schedule)))
    return [
        Reviewed(sure, found.is_right(digits))
        for found in outcomes
        if found.result is not None and (sure := found.result.confidence_at(digits)) is not None
    ]


def splits(found: Sequence[Reviewed], promise: Promise) -> Iterator[Split]:
    """Each split: the threshold of one half, held against the other."""
    for seed in range(_SPLITS):
        drawn = random.Random(seed).sample(found, len(found))
        half = len(drawn) // 2
        threshold = kept(promise, drawn[:half]).threshold
        taken = [one.right for one in drawn[half:] if threshold is not None and one.confidence >= threshold]
        yield Split(len(taken) / (len(drawn) - half), mean(taken) if taken else None)


def main(files: Sequence[str]) -> bool:
    """Print the table; whether every promise is kept in nine of ten splits."""
    methods = Methods(Library(Path(os.environ.get("PCS_DATA_DIR", ".pcs/data"))))
    print("| set | promised | splits in which it held | splits with a threshold | taken | right of those |")
    print("|---|---|---|---|---|---|")
    holds = True
    for path in map(Path, files):
        found = answers(path, methods, Promise().digits)
        for wanted in _PROMISES:
            each = list(splits(found, Promise(wanted)))
            held = sum(one.right is None or one.right >= wanted for one in each)
            rights = [one.right for one in each if one.right is not None]
            said = f"{mean(rights):.1%}" if rights else "-"
            taken = mean(one.taken for one in each)
            print(f"| {path.stem} | {wanted:.0%} | {held} of {_SPLITS} | {len(rights)} | {taken:.1%} | {said} |")
            holds = holds and held >= _LEAST * _SPLITS
    return holds


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
