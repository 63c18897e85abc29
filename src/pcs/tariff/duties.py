"""What a revision itself says that goods pay: the line's own rates, the special programmes among them, and the
provisions that its footnotes point to. The trap: a total; each is told with its source, and nothing is added up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pcs.tariff.additional_duties import AdditionalDuty, additional_duties
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Duty, Node, Schedule

_SYMBOLS = re.compile(r"\(([^()]*)\)")
_PRINTED = 1 << 8  # columns of special rates; most lines have one of a few
_SYMBOL = re.compile(r"[A-Z]{1,2}[+*]?")


@dataclass(frozen=True, slots=True)
class SpecialRate:
    """A rate under a special programme. `countries` (ISO 3166-1 alpha-2) is empty where `note` lists them alone."""

    programme: str
    name: str
    rate: str
    countries: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Duties:
    """What a revision says of a line's duties. `column` is the one whose rate the country of origin pays, 1 or 2; None
    where the country is not known or the schedule has no columns."""

    duty: Duty
    column: int | None
    special: tuple[SpecialRate, ...]
    additional: tuple[AdditionalDuty, ...]


def duties_of(schedule: Schedule, node: Node, entry: Entry) -> Duties:
    """What a revision says of a line's duties. What it surely says of other countries or days is left out."""
    duty = schedule.duty(node) or Duty()
    column = _column(schedule.revision.schedule, entry)
    special = () if column == 2 else _special(duty.special, schedule.revision.schedule)
    if entry.country:
        special = tuple(rate for rate in special if not rate.countries or entry.country in rate.countries)
    return Duties(duty, column, special, tuple(additional_duties(schedule, node, entry, column)))


def _column(name: ScheduleName, entry: Entry) -> int | None:
    second = name.profile.column_two
    return None if not second or entry.country is None else 1 + (entry.country in second)


@lru_cache(maxsize=_PRINTED)
def _special(printed: str, name: ScheduleName) -> tuple[SpecialRate, ...]:
    """The special rates of a line, for whichever country."""
    return tuple(_rates(printed, name))


def _rates(printed: str, name: ScheduleName) -> Iterator[SpecialRate]:
    end = 0
    for found in _SYMBOLS.finditer(printed):
        rate, end = printed[end : found.start()].strip(), found.end()
        for symbol in _SYMBOL.findall(found[1]):
            programme = name.profile.programmes.get(symbol)
            called, countries, note = (
                (programme.name, programme.countries, programme.note) if programme else ("", (), "")
            )
            yield SpecialRate(symbol, called, rate, tuple(sorted(countries)), note)
