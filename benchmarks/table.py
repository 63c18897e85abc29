"""The table that `make bench` prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure: `ratio` to its floor in the same run, `limit` what it must not exceed."""

    what: str
    value: float
    unit: str
    ratio: float | None = None
    limit: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it keeps its limit; a figure without one does."""
        return self.limit is None or self.value <= self.limit


def markdown(figures: Iterable[Figure]) -> str:
    """One row a figure."""
    rows = ["| what | value | to its floor | limit | |", "|---|---|---|---|---|"]
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.1f} x"
        limit = "" if figure.limit is None else f"{figure.limit:g} {figure.unit}"
        mark = "" if figure.limit is None else "holds" if figure.holds else "**missed**"
        rows.append(f"| {figure.what} | {figure.value:.2f} {figure.unit} | {ratio} | {limit} | {mark} |")
    return "\n".join(rows)
