"""The shop's side of the knowledge pack: brands, shop words and goods as tills print them. The trap: a brand is no
article; it hints at headings and never at a line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

from pcs.tariff.code import Code
from pcs.tariff.starter.pack import PackError

_HEADING = re.compile(r"@(\d{4})(?: .*)?")
_ENTRY = re.compile(r"([bwg]): *(.*)")
FILE = "brands.txt"
LISTS = {"b": ",", "w": ",", "g": "|"}
"""The lines that are lists, and what stands between their items."""


@dataclass(frozen=True, slots=True)
class ShopKnowledge:
    """What shops say for goods of one heading."""

    heading: Code
    brands: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    goods: tuple[str, ...] = ()


def read_brands(lines: Iterable[str], *, name: str) -> tuple[ShopKnowledge, ...]:
    """Read the file of brands; `name` is what errors call it. Raises PackError."""
    found: dict[Code, dict[str, list[str]]] = {}
    heading: Code | None = None
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line or line.startswith(("#", "//")):
            continue
        if opened := _HEADING.fullmatch(line):
            heading = Code.parse(opened[1])
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None or heading is None:
            msg = f"{name}, line {number}: a line reads `@HHHH title`, or `b:`, `w:`, `g:` below one: {line[:80]!r}"
            raise PackError(msg)
        kept = found.setdefault(heading, {kind: [] for kind in LISTS})[entry[1]]
        kept.extend(part for piece in entry[2].split(LISTS[entry[1]]) if (part := piece.strip()))
    return tuple(ShopKnowledge(code, *(tuple(kept[kind]) for kind in LISTS)) for code, kept in sorted(found.items()))


def shop_knowledge() -> tuple[ShopKnowledge, ...]:
    """What ships with the package. Raises PackError."""
    file = resources.files(__package__) / FILE
    return read_brands(file.read_text(encoding="utf-8").splitlines(), name=file.name)
