"""The path through the tariff as a picture. The trap: text in SVG does not wrap; it is broken here by an estimate of
its width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from pcs.dashboard.pages import dotted, percent, title
from pcs.engine.result import Alternative, Level, Result

_LETTER, _CAPITAL = 6.9, 9.2  # average widths at 13 px, measured with the widest font of our style sheet
_LINE = 18
_GAP = 12
_PADDING = 10


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the picture; `parent` is the place of the box that it hangs from."""

    depth: int
    code: str
    words: str
    confidence: float | None
    kind: str
    parent: int | None


@dataclass(slots=True)
class _Drawing:
    width: int
    parts: list[Markup] = field(default_factory=list)
    bottom: float = 1.0
    places: list[tuple[float, float]] = field(default_factory=list)


def path_picture(result: Result, *, width: int) -> Markup:
    """An SVG of the way down to the answer, with the alternatives where they leave it."""
    boxes = _boxes(result.hierarchy, result.alternatives)
    drawing = _Drawing(width)
    for box in boxes:
        _draw(drawing, box, indent=26 if width > 500 else 12)
    return Markup(
        '<svg class="tree" viewBox="0 0 {} {}" width="{}" role="img" lang="{}" aria-label="{}">{}</svg>',
    ).format(
        width,
        round(drawing.bottom) + 1,
        width,
        result.description_language,
        _label(boxes),
        Markup("").join(drawing.parts),
    )


def _boxes(levels: Sequence[Level], alternatives: Sequence[Alternative]) -> list[Box]:
    last = len(levels) - 1
    boxes = [
        Box(
            depth=place,
            code=level.code or "",
            words=title(level.description),
            confidence=level.confidence,
            kind="answer" if place == last else "step",
            parent=place - 1 if place else None,
        )
        for place, level in enumerate(levels)
    ]
    path = list(boxes)
    others = sorted(((_leaves(path, each.code), each) for each in alternatives), key=lambda pair: -pair[0])
    for parent, each in others:
        words = title(each.description.rpartition(" > ")[2])
        hangs = parent if parent >= 0 else None
        boxes.append(Box(parent + 1, each.code, words, each.confidence, "alternative", hangs))
    return boxes


def _leaves(path: Sequence[Box], code: str) -> int:
    """The deepest box of the path that another code lies below; -1 where there is none."""
    shared = [place for place, box in enumerate(path[:-1]) if box.code and code.startswith(box.code)]
    return max(shared, default=-1)


def _draw(drawing: _Drawing, box: Box, *, indent: int) -> None:
    left = box.depth * indent + 1
    width = drawing.width - left - 1
    lines = textwrap.wrap(box.words, int((width - 2 * _PADDING) / _width(box.words))) or [""]
    top = drawing.bottom + (_GAP if drawing.places else 0)
    height = _PADDING + (_LINE if box.code else 0) + len(lines) * _LINE + _PADDING - 4
    if box.parent is not None:
        drawing.parts.append(_branch(drawing.places[box.parent], (left, top + 18), box.kind))
    drawing.parts.append(
        Markup('<g class="tree-{}"><rect x="{}" y="{:.1f}" width="{}" height="{}" rx="8"/>').format(
            box.kind, left, top, width, height
        ),
    )
    drawing.parts.append(_texts(box, lines, (left, top, width)))
    drawing.parts.append(Markup("</g>"))
    drawing.places.append((left + indent / 2, top + height))
    drawing.bottom = top + height


def _width(words: str) -> float:
    capitals = sum(letter.isupper() for letter in words) / max(len(words), 1)
    return _LETTER + (_CAPITAL - _LETTER) * capitals


def _branch(start: tuple[float, float], end: tuple[float, float], kind: str) -> Markup:
    return Markup('<path class="tree-branch tree-branch-{}" d="M{:.1f} {:.1f}V{:.1f}H{:.1f}"/>').format(
        kind, start[0], start[1], end[1], end[0]
    )


def _texts(box: Box, lines: Sequence[str], place: tuple[float, float, float]) -> Markup:
    left, top, width = place
    x, y = left + _PADDING, top + _PADDING + 12
    parts: list[Markup] = []
    if box.code:
        parts.append(Markup('<text class="tree-code" x="{}" y="{:.1f}">{}</text>').format(x, y, dotted(box.code)))
    if box.confidence is not None:
        share = Markup('<text class="tree-share" x="{}" y="{:.1f}" text-anchor="end">{}</text>')
        parts.append(share.format(left + width - _PADDING, y, percent(box.confidence)))
    y += _LINE if box.code else 0
    parts.extend(
        Markup('<text x="{}" y="{:.1f}">{}</text>').format(x, y + number * _LINE, line)
        for number, line in enumerate(lines)
    )
    return Markup("").join(parts)


def _label(boxes: Sequence[Box]) -> str:
    path = ", then ".join(f"{dotted(box.code)} {box.words}".strip() for box in boxes if box.kind != "alternative")
    others = ", ".join(dotted(box.code) for box in boxes if box.kind == "alternative")
    return f"Path: {path}." + (f" Alternatives: {others}." if others else "")
