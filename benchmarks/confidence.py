"""The fifteen numbers of engine/ranking/levels.py and the least probability of a likely heading, fitted on labelled
cases: `python -m benchmarks.confidence CASES.jsonl ...`. PCS_DATA_DIR names the data folder with the schedules.

The trap: one kind of text that has many cases and speaks for all; each file weighs the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from scipy.optimize import minimize

from pcs.base.settings import Settings
from pcs.engine.classify import classify
from pcs.engine.method import Method
from pcs.engine.ranking.doubt import certainty_of
from pcs.engine.ranking.levels import Certainty
from pcs.engine.ranking.ranker import Query, best_headings, rank, read
from pcs.evaluation.cases import Case, read_cases
from pcs.evaluation.outcome import CaseOutcome
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods

Floats = npt.NDArray[np.float64]

_HOLDS = 0.9  # share of the goods whose set of likely codes should hold the right one
_RIDGE = 1e-3
_MOST = 40


def fitted(evidence: Floats, right: Floats, weights: Floats) -> Floats:
    """Constant and weights of the logistic regression of what is right, shape (columns + 1,)."""
    columns = np.column_stack([np.ones(len(evidence)), evidence])

    def loss(found: Floats) -> tuple[float, Floats]:
        likely = 1 / (1 + np.exp(-(columns @ found)))
        told = right * np.log(likely + 1e-12) + (1 - right) * np.log(1 - likely + 1e-12)
        bound = np.r_[0, found[1:]]
        return float(_RIDGE * bound @ bound - weights @ told), 2 * _RIDGE * bound - columns.T @ (
            weights * (right - likely)
        )

    result: Floats = minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x
    return result


def least(shares: Sequence[Sequence[float]]) -> float:
    """The probability from which on codes hold the right one for nine of ten goods, each file weighing the same.

    Source: Sadinle, Lei and Wasserman, "Least ambiguous set-valued classifiers", 2019.
    """
    probabilities = np.concatenate([np.array(share) for share in shares])
    weights = np.concatenate([np.full(len(share), 1 / max(len(share), 1)) for share in shares])
    order = np.argsort(-probabilities)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(probabilities[order][np.searchsorted(reached, _HOLDS)])


class _Asked:
    """What one file's cases gave: the evidence and what is right of each level, and the right heading's probability."""

    def __init__(self) -> None:
        self.evidence: tuple[list[tuple[float, ...]], ...] = ([], [], [])
        self.right: list[tuple[bool, bool, bool]] = []
        self.headings: list[float] = []

    def add(self, case: Case, method: Method) -> None:
        """Ask one case."""
        determination = classify(case.product, method)
        result = determination.result
        if result is None:
            return
        query = read(case.product, method)
        self._likely(case, query, method)
        sure = _certainty(query, method, result.code.heading)
        if sure is None:
            return
        columns = sure.for_heading(), sure.for_subheading(), sure.for_line(sure.line)
        for kept, found in zip(self.evidence, columns, strict=True):
            kept.append(found)
        outcome = CaseOutcome(case, determination, milliseconds=0.0)
        self.right.append((outcome.is_right(4), outcome.is_right(6), outcome.is_exact))

    def _likely(self, case: Case, query: Query, method: Method) -> None:
        headings = {method.headings[place].code: share for place, share in best_headings(query, method, most=_MOST)}
        self.headings.append(headings.get(case.code.heading, 0.0))


def _certainty(query: Query, method: Method, heading: str) -> Certainty | None:
    return next((certainty_of(found) for found in rank(query, method) if found.heading.code == heading), None)


def _asked(files: Iterable[str], methods: Methods) -> Iterator[_Asked]:
    for file in files:
        found = _Asked()
        for case in track(read_cases(Path(file)), description=Path(file).stem, console=Console(stderr=True)):
            found.add(case, methods.current(case.schedule))
        yield found


def main(files: Sequence[str]) -> None:
    """Print the numbers as they stand in the module."""
    asked = list(_asked(files, Methods(Library(Settings.from_environment(os.environ).data_dir))))
    weights = np.concatenate([np.full(len(each.right), 1 / max(len(each.right), 1)) for each in asked])
    for level, name in enumerate(("_HEADING", "_SUBHEADING", "_LINE")):
        evidence = np.array([row for each in asked for row in each.evidence[level]])
        right = np.array([row[level] for each in asked for row in each.right], dtype=float)
        print(f"{name} = {tuple(round(float(value), 3) for value in fitted(evidence, right, weights))}")
    print(f"LIKELY = {least([each.headings for each in asked]):.2g}")


if __name__ == "__main__":
    main(sys.argv[1:])
