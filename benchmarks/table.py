"""The table that `make bench` prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure: `ratio` to its floor in the same run, `limit` what it must not exceed, `least` what it must
    reach. A ratio's own bound is `least_ratio`."""

    what: str
    value: float
    unit: str
    ratio: float | None = None
    limit: float | None = None
    least: float | None = None
    least_ratio: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it keeps its bounds; a figure without one does."""
        return (
            (self.limit is None or self.value <= self.limit)
            and (self.least is None or self.value >= self.least)
            and (self.least_ratio is None or (self.ratio or 0.0) >= self.least_ratio)
        )

    @property
    def bound(self) -> str:
        """What it is held to, in words."""
        if self.least_ratio is not None:
            return f"at least {self.least_ratio:g} x"
        if self.least is not None:
            return f"at least {self.least:g} {self.unit}"
        return "" if self.limit is None else f"{self.limit:g} {self.unit}"


def markdown(figures: Iterable[Figure]) -> str:
    """One row a figure."""
    rows = ["| what | value | to its floor | limit | |", "|---|---|---|---|---|"]
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f} x"
        mark = "" if not figure.bound else "holds" if figure.holds else "**missed**"
        rows.append(f"| {figure.what} | {figure.value:.2f} {figure.unit} | {ratio} | {figure.bound} | {mark} |")
    return "\n".join(rows)
