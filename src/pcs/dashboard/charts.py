"""Charts drawn on the server. The trap: a chart that only eyes can read; each has its numbers in a title, a label and a
table beside it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pcs.base.plurals import counted

_LEFT, _BOTTOM, _TOP = 44, 30, 8
_WIDEST = 46


@dataclass(frozen=True, slots=True)
class Column:
    """One day: how many ended well, how many failed, how many are under way."""

    date: dt.date
    completed: int
    failed: int
    waiting: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.completed + self.failed + self.waiting

    @property
    def words(self) -> str:
        """What a pointer or a reader of the screen is told."""
        return f"{self.date:%d %b}: {self.completed} completed, {self.failed} failed, {self.waiting} in progress"


def daily_chart(columns: Sequence[Column], *, width: int = 880, height: int = 240) -> Markup:
    """Stacked columns, one a day."""
    top = _ceiling(max((column.total for column in columns), default=0))
    inner = height - _BOTTOM - _TOP
    step = (width - _LEFT) / max(1, len(columns))
    scale = inner / top
    parts = [_grid(top, scale, (width, height))]
    for place, column in enumerate(columns):
        parts.append(_column(column, (_LEFT + place * step, step), scale, height - _BOTTOM))
        if place % math.ceil(len(columns) / 7) == 0:
            label = Markup('<text class="axis" x="{:.1f}" y="{}" text-anchor="middle">{}</text>')
            parts.append(label.format(_LEFT + (place + 0.5) * step, height - 6, f"{column.date:%d %b}"))
    summary = f"{counted(sum(column.total for column in columns), 'classification')} in {len(columns)} days"
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        width, height, summary, Markup("").join(parts)
    )


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share, 0 to 1, with the ends between which it lies; `words` tell all of it."""

    label: str
    share: float
    lower: float
    upper: float
    words: str


def share_chart(bars: Sequence[ShareBar], summary: str, *, goal: float | None = None) -> Markup:
    """One column a share, the span in which the true one lies as a line through its top, and a line at the goal."""
    width, height = 880, 240
    floor, scale = height - _BOTTOM, height - _BOTTOM - _TOP
    step = (width - _LEFT) / max(1, len(bars))
    parts = [_percentages(scale, (width, height))]
    for place, bar in enumerate(bars):
        parts.append(_share(bar, _LEFT + (place + 0.5) * step, min(step * 0.5, _WIDEST * 1.5), (floor, scale)))
    if goal is not None:
        line = Markup('<line class="goal" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>')
        parts.append(line.format(_LEFT, width, floor - goal * scale, floor - goal * scale))
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        width, height, summary, Markup("").join(parts)
    )


def _percentages(scale: float, size: tuple[int, int]) -> Markup:
    width, height = size
    lines: list[Markup] = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = height - _BOTTOM - share * scale
        line = Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(_LEFT, width, y, y)
        text = Markup('<text class="axis" x="{}" y="{:.1f}" text-anchor="end">{}</text>')
        lines += [line, text.format(_LEFT - 8, y + 4, f"{share:.0%}" if share % 0.5 == 0 else "")]
    return Markup("").join(lines)


def _share(bar: ShareBar, middle: float, wide: float, place: tuple[float, float]) -> Markup:
    floor, scale = place
    tall = max(1.5, bar.share * scale)
    low, high = floor - bar.lower * scale, floor - bar.upper * scale
    column = Markup('<rect class="bar-good" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1.5"/>')
    span = Markup('<path class="span" d="M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}M{:.1f} {:.1f}H{:.1f}"/>')
    label = Markup('<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>')
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        bar.words,
        column.format(middle - wide / 2, floor - tall, wide, tall),
        span.format(middle, low, high, middle - 5, low, middle + 5, middle - 5, high, middle + 5),
        label.format(middle, floor + 24, bar.label),
    )


def _grid(top: int, scale: float, size: tuple[int, int]) -> Markup:
    width, height = size
    lines: list[Markup] = []
    for share in (0, 0.5, 1):
        y = height - _BOTTOM - top * share * scale
        line = Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(_LEFT, width, y, y)
        text = Markup('<text class="axis" x="{}" y="{:.1f}" text-anchor="end">{}</text>')
        lines += [line, text.format(_LEFT - 8, y + 4, f"{top * share:,.0f}" if top > 1 or share != 0.5 else "")]
    return Markup("").join(lines)


def _column(column: Column, place: tuple[float, float], scale: float, floor: float) -> Markup:
    left, step = place
    parts = [Markup("<g><title>{}</title>").format(column.words)]
    whole = Markup('<rect class="hit" x="{:.1f}" y="{}" width="{:.1f}" height="{:.1f}"/>')
    parts.append(whole.format(left, _TOP, step, floor - _TOP))
    y = floor
    for kind, number in (("good", column.completed), ("bad", column.failed), ("idle", column.waiting)):
        if number:
            tall = max(1.5, number * scale)
            y -= tall
            bar = Markup('<rect class="bar-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="1.5"/>')
            wide = min(step * 0.68, _WIDEST)
            parts.append(bar.format(kind, left + (step - wide) / 2, y, wide, tall))
    parts.append(Markup("</g>"))
    return Markup("").join(parts)


def _ceiling(largest: int) -> int:
    """A round number at or above the largest value.

    >>> _ceiling(0), _ceiling(7), _ceiling(13), _ceiling(83_000)
    (4, 8, 20, 100000)
    """
    if largest <= 4:
        return 4
    size: int = 10 ** int(math.log10(largest))
    return next(round(size * factor) for factor in (1, 2, 4, 5, 8, 10, 20) if size * factor >= largest)
