"""Whether a schedule is whole. The trap: a revision that lacks a heading answers as readily as a good one, so a
schedule is refused, with a sentence for each fault, before it can be promoted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pcs.base.plurals import counted
from pcs.base.text import listed
from pcs.tariff.harmonized_system import headings, hs_edition
from pcs.tariff.schedule import Node, Schedule

LEGAL_PROVISIONS = frozenset({"98", "99"})
_TOLERANCE = 0.02  # of the last revision's lines: the largest revision seen (2025 Basic to 2026) changed 0.6 %
_TOLERANCE_OF_EDITIONS = 0.10  # between two editions of the Harmonized System
_NEW_EDITION = 0.03  # of the headings (1,228) and known subheadings (37) a later edition may have given up
_NAMED_AT_MOST = 5
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]+|#\d+);")
# One subheading that trade declares daily from most sections: none of them may be missing from any national schedule.
_KNOWN = (
    "020130 030214 080390 100199 150920 170199 220421 240220 270900 300490 330300 390120 401110 420221 440711 481910 "
    "490199 520100 610910 620342 640399 701310 710812 720839 761010 820551 841810 847130 851713 870323 880240 901890 "
    "910211 940161 950300 960810 970121"
).split()

Check = Callable[[Schedule], Iterator[str]]


class IncompleteScheduleError(Exception):
    """A schedule that must not be used; `problems` says why, a sentence each."""

    def __init__(self, schedule: Schedule, problems: list[str]) -> None:
        self.problems = problems
        name = f"{schedule.revision.schedule} {schedule.revision.edition}"
        super().__init__(f"{name} is refused. " + " ".join(problems))


def problems_of(schedule: Schedule, last: Schedule | None = None) -> list[str]:
    """What is wrong with a schedule, a sentence each; nothing for one that may be used. `last` is the one before."""
    found = [problem for check in _CHECKS for problem in check(schedule)]
    if last is not None:
        found.extend(_size_problems(schedule, last))
    return found


def require_complete(schedule: Schedule, last: Schedule | None = None) -> None:
    """Raises IncompleteScheduleError unless the schedule may be used."""
    if problems := problems_of(schedule, last):
        raise IncompleteScheduleError(schedule, problems)


def _missing_headings(schedule: Schedule) -> Iterator[str]:
    missing = [heading for heading in headings() if heading not in schedule]
    if len(missing) > _given_up(schedule, len(headings())):
        yield _sentence(
            missing, "heading of the Harmonized System is missing", "headings of the Harmonized System are missing"
        )


def _given_up(schedule: Schedule, codes: int) -> int:
    """How many of the codes kept here, which are those of the HS 2022, a schedule need not have."""
    later = schedule.revision.hs_edition > hs_edition("")
    return math.ceil(_NEW_EDITION * codes) if later else 0


def _missing_known_codes(schedule: Schedule) -> Iterator[str]:
    missing = [code for code in _KNOWN if code not in schedule]
    if len(missing) > _given_up(schedule, len(_KNOWN)):
        yield _sentence(missing, "well-known subheading is missing", "well-known subheadings are missing")


def _duplicates(schedule: Schedule) -> Iterator[str]:
    counts = Counter(node.code for node in schedule.nodes if node.code)
    twice = [code for code, count in counts.items() if count > 1]
    if twice:
        yield _sentence(twice, "code is given more than once", "codes are given more than once")


def _orphans(schedule: Schedule) -> Iterator[str]:
    """Every coded row stands below its heading, and below no other code than its own beginnings."""
    orphans = [
        str(node.code) for node in schedule.nodes if _is_classifiable(node) and not _stands_right(schedule, node)
    ]
    if orphans:
        yield _sentence(orphans, "code is not below its own heading", "codes are not below their own headings")


def _barren(schedule: Schedule) -> Iterator[str]:
    """Every branch ends in a line that may be declared."""
    barren = [
        str(node.code or f"group {node.text!r}")
        for node in schedule.nodes
        if not node.children and not node.declarable and not _is_legal_provision(schedule, node)
    ]
    if barren:
        yield _sentence(barren, "branch has no declarable line", "branches have no declarable line")


def _texts(schedule: Schedule) -> Iterator[str]:
    empty = [str(node.code or f"row {node.index + 1}") for node in schedule.nodes if not node.text.strip()]
    if empty:
        yield _sentence(empty, "row has no text", "rows have no text")
    marked = [str(node.code or f"row {node.index + 1}") for node in schedule.nodes if _MARKUP.search(node.text)]
    if marked:
        yield _sentence(marked, "text holds mark-up", "texts hold mark-up")


def _lengths(schedule: Schedule) -> Iterator[str]:
    lengths = schedule.revision.schedule.profile.lengths
    wrong = [line.code or "" for line in schedule.lines if len(line.code or "") not in lengths]
    if wrong:
        yield _sentence(wrong, "line has a wrong number of digits", "lines have a wrong number of digits")


def _size_problems(schedule: Schedule, last: Schedule) -> Iterator[str]:
    now, before = len(schedule.lines), len(last.lines)
    same_edition = schedule.revision.hs_edition == last.revision.hs_edition
    tolerance = _TOLERANCE if same_edition else _TOLERANCE_OF_EDITIONS
    if abs(now - before) > tolerance * before:
        yield (
            f"It has {counted(now, 'line')} where {last.revision.edition} has {before:,}: "
            f"more than {tolerance:.0%} apart, so one of them is not whole."
        )


_CHECKS: tuple[Check, ...] = (
    _missing_headings,
    _missing_known_codes,
    _duplicates,
    _orphans,
    _barren,
    _texts,
    _lengths,
)


def _is_classifiable(node: Node) -> bool:
    return node.code is not None and node.code[:2] not in LEGAL_PROVISIONS


def _is_legal_provision(schedule: Schedule, node: Node) -> bool:
    """Whether a node belongs to chapter 98 or 99, where groups may stand alone."""
    codes = [step.code for step in schedule.path(node) if step.code]
    codes.extend(below.code for below in schedule.nodes[node.index : node.index + 50] if below.code)
    return bool(codes) and codes[0][:2] in LEGAL_PROVISIONS


def _stands_right(schedule: Schedule, node: Node) -> bool:
    above = [step.code for step in schedule.path(node) if step.code]
    expected = [node.code[:digits] for digits in (4, 6) if node.code and digits <= len(node.code)]
    return all(str(node.code).startswith(code) for code in above) and all(code in above for code in expected)


def _sentence(items: Sequence[str], one: str, many: str) -> str:
    """How many, what is wrong with them, and the first few by name."""
    return f"{counted(len(items), one, many)}: {listed(items, _NAMED_AT_MOST)}."
