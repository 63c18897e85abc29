"""The provisions that the footnotes of a line point to ("See 9903.88.15."), as pointers. The trap: a provision told as
if it surely applied; each says why it is told, and what of it has to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pcs.base.countries import EUROPEAN_UNION, country_name
from pcs.base.text import listed
from pcs.tariff.provisions import Entry, Pointer, Reach, pointers, reach_of
from pcs.tariff.schedule import Duty, Footnote, Node, Schedule

_NAMED_AT_MOST = 6


@dataclass(frozen=True, slots=True)
class AdditionalDuty:
    """A provision that a footnote of the line points to: its number, words and rate as published, why it is told, and
    where the pointer stands. `rate` is empty where the provision gives none."""

    provision: str
    text: str
    rate: str
    why: str
    source: str


def additional_duties(schedule: Schedule, node: Node, entry: Entry, column: int | None) -> Iterator[AdditionalDuty]:
    """The provisions that the footnotes of a line, and of what stands above it, point to in the same revision.

    Left out is what surely speaks of other countries, or of other days of entry.
    """
    told: set[Pointer] = set()
    for step, footnote, pointer in _pointers(schedule, node):
        if pointer not in told:
            told.add(pointer)
            yield from _told(schedule, pointer, entry, column, _source(schedule, step, footnote))


def _told(
    schedule: Schedule, pointer: Pointer, entry: Entry, column: int | None, source: str
) -> Iterator[AdditionalDuty]:
    provision = schedule.get(pointer.first)
    if provision is None:
        yield AdditionalDuty(pointer.name, "", "", "The revision has no such provision: it may be over.", source)
        return
    text = _text(schedule, provision, pointer)
    reach = reach_of(text)
    if not reach.leaves_out(entry):
        rate = _rate(schedule.duty(provision), column) if pointer.is_one else ""
        yield AdditionalDuty(pointer.name, text, rate, _why(text, reach, entry), source)


def _pointers(schedule: Schedule, node: Node) -> Iterator[tuple[Node, Footnote, Pointer]]:
    for step in schedule.path(node):
        for footnote in step.footnotes:
            for pointer in pointers(footnote.text):
                yield step, footnote, pointer


def _text(schedule: Schedule, provision: Node, pointer: Pointer) -> str:
    """The words of a provision with those above it; of a range, the words that stand above all of it."""
    last = schedule.get(pointer.last) or provision
    shared = [one for one, other in zip(schedule.path(provision), schedule.path(last), strict=False) if one is other]
    return schedule.description(shared[-1]) if shared else ""


def _rate(duty: Duty | None, column: int | None) -> str:
    """The rate of the country's column; where that is empty, the one that is there."""
    if duty is None:
        return ""
    rates = (duty.other, duty.general) if column == 2 else (duty.general, duty.other)
    return next(filter(None, rates), "")


def _source(schedule: Schedule, step: Node, footnote: Footnote) -> str:
    place = f" to {step.code.dotted}" if step.code else ""
    return f"{schedule.revision.schedule} {schedule.revision.name}, footnote{place}: {footnote.text}"


def _why(text: str, reach: Reach, entry: Entry) -> str:
    said = [_of_countries(reach, entry), _of_days(reach, entry)]
    if reach.ended:
        said.append("The publisher notes that it is suspended or has ended.")
    if "except" in text.lower():
        said.append("It has exceptions.")
    return " ".join(filter(None, said))


def _of_countries(reach: Reach, entry: Entry) -> str:
    if not reach.countries_sure:
        return "May apply: whose goods it means has to be read in its text."
    if not reach.countries:
        return "May apply: it names no country of origin."
    if entry.country is None:
        return f"May apply: it names {_names(reach.countries)}, and the country of origin is not given."
    return f"It names {country_name(entry.country)}, the country of origin."


def _names(countries: frozenset[str]) -> str:
    if countries == EUROPEAN_UNION:
        return "the European Union"
    return listed(sorted(map(country_name, countries)), _NAMED_AT_MOST)


def _of_days(reach: Reach, entry: Entry) -> str:
    if not reach.days_sure:
        return "May apply: the dates in its text have to be read."
    if reach.since is None:
        return ""
    until = f" to {reach.until:%-d %B %Y}" if reach.until else ""
    asked = f"; {entry.day:%-d %B %Y} is the day of entry taken" if entry.day else ""
    return f"It is for entries from {reach.since:%-d %B %Y}{until}{asked}."
