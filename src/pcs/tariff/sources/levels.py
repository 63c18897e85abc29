"""The headings and subheadings that a publication leaves out. The trap: where a heading is not divided, publishers
print only its deepest row (4201 00 00), or a group without a code where the subheading belongs; whoever then asks for
4201 or 4201 00 must still be answered, without a word being said twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pcs.tariff.code import Code
from pcs.tariff.schedule import PublishedRow, parents_of

_DEPTHS_PER_INDENT = 4  # a row and the three codes that may be missing above it: 4, 6 and 8 digits
_LEGAL_PROVISIONS = ("98", "99")


@dataclass(frozen=True, slots=True)
class _Held:
    """What a row holds: the digits that it and all coded rows below it share, and how many coded rows those are."""

    digits: str
    rows: int


def with_all_levels(rows: Sequence[PublishedRow]) -> list[PublishedRow]:
    """The same rows with every heading, subheading and 8-digit code above a coded row present.

    A group without a code that holds exactly the rows of a missing code takes that code; otherwise an implied row is
    put in. Not so for a heading of several rows: publishers always print it, so one that is missing is a fault that the
    checks must see. Chapters 98 and 99 are left as they are: their numbers are not those of the Harmonized System.
    """
    held = _held(rows)
    missing = _missing(rows)
    adopted = _adopted(rows, held, missing)
    named = [replace(row, code=adopted[index]) if index in adopted else row for index, row in enumerate(rows)]
    absent = {code: count for code, count in missing.items() if code not in set(adopted.values())}
    return list(_emit(named, held, absent))


def _levels(digits: str) -> list[Code]:
    """The codes of 4, 6 and 8 digits that these digits begin with."""
    if digits.startswith(_LEGAL_PROVISIONS):
        return []
    return [Code(digits[:length]) for length in (4, 6, 8) if length <= len(digits)]


def _missing(rows: Sequence[PublishedRow]) -> Counter[Code]:
    """The codes that no row carries though rows below them do, with the number of rows below."""
    present = {row.code for row in rows if row.code}
    return Counter(level for row in rows if row.code for level in _levels(row.code) if level not in present)


def _held(rows: Sequence[PublishedRow]) -> list[_Held]:
    """What each row holds. A sub-chapter's title is no code, though it may hold one heading only."""
    parents = parents_of(rows)
    below: list[list[_Held]] = [[_Held(row.code, 1)] if row.code else [] for row in rows]
    for index in range(len(rows) - 1, -1, -1):
        below[index] = [_together(below[index])]
        parent = parents[index]
        if parent is not None and below[index][0].rows:
            below[parent] += below[index]
    titles = _titles(rows, parents)
    return [_Held("", found.rows) if index in titles else found for index, (found,) in enumerate(below)]


def _titles(rows: Sequence[PublishedRow], parents: Sequence[int | None]) -> set[int]:
    """Groups that stand above headings: nothing coded but a chapter is above them."""
    titles: set[int] = set()
    for index, row in enumerate(rows):
        parent = parents[index]
        under_chapter = parent is None or parent in titles or len(rows[parent].code or "heading") == 2
        if row.code is None and under_chapter:
            titles.add(index)
    return titles


def _together(parts: Sequence[_Held]) -> _Held:
    return _Held(_beginning([part.digits for part in parts]), sum(part.rows for part in parts))


def _beginning(codes: Sequence[str]) -> str:
    """The digits that all codes begin with: those that the first and the last in order share."""
    if not codes:
        return ""
    first, last = min(codes), max(codes)
    shared = next((place for place, digit in enumerate(first) if last[place : place + 1] != digit), len(first))
    return first[:shared]


def _adopted(rows: Sequence[PublishedRow], held: Sequence[_Held], missing: Counter[Code]) -> dict[int, Code]:
    """Which groups are really a missing code: the topmost that hold all of its rows and nothing else."""
    adopted: dict[int, Code] = {}
    taken: set[Code] = set()
    for index, row in enumerate(rows):
        if row.code is None:
            levels = [level for level in _levels(held[index].digits) if len(level) > 4]
            exact = [level for level in levels if missing[level] == held[index].rows and level not in taken]
            if exact:
                adopted[index] = exact[0]
                taken.add(exact[0])
    return adopted


def _emit(rows: Sequence[PublishedRow], held: Sequence[_Held], absent: dict[Code, int]) -> Iterator[PublishedRow]:
    """The rows with implied ones put in, each a step deeper than the one it stands under.

    A row printed with the indent of the row that its code belongs to (US 3004.50.50 after 3004.50) is put below it.
    """
    stands: list[tuple[int, Code]] = []  # codes that the current row may stand under, with their indent
    above: list[PublishedRow] = []
    for row, holds in zip(rows, held, strict=True):
        while above and above[-1].depth >= row.depth:
            above.pop()
        digits = row.code or holds.digits
        stands = [(depth, code) for depth, code in stands if depth <= row.depth and digits.startswith(code)]
        for level in _levels(digits):
            count = absent.get(level)
            alone = count == holds.rows
            if count is None or (len(level) == 4 and not alone):
                continue
            del absent[level]
            words = row if alone or not above else above[-1]
            yield _implied(level, words, depth=_depth(row, stands), duty_of=row)
            stands.append((row.depth, level))
        yield replace(row, depth=_depth(row, stands))
        above.append(row)
        if row.code:
            stands.append((row.depth, row.code))


def _depth(row: PublishedRow, stands: Sequence[tuple[int, Code]]) -> int:
    return row.depth * _DEPTHS_PER_INDENT + sum(depth == row.depth for depth, _ in stands)


def _implied(code: Code, words: PublishedRow, *, depth: int, duty_of: PublishedRow) -> PublishedRow:
    """A code without a row of its own: the words of the row that stands for it, and its rate if there is no other."""
    return PublishedRow(code, depth, words.text, duty=words.duty if words is duty_of else None, implied=True)
