"""What a provision says of countries and of dates, in prose. The trap: a country that is named to be left out, and a
date that is no day of entry; what is not plainly said is told as not sure, and nothing is left out for it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pcs.base.countries import countries_at
from pcs.tariff.code import Code

_NUMBER = r"99\d\d\.\d\d\.\d\d(?:\.?\d\d)?"
_POINTER = re.compile(rf"\b({_NUMBER})(?:\s*(?:-|\u2013|through|to)\s*({_NUMBER}))?(?!\d)")
_LEAVES_OUT = frozenset({"except", "excluding", "not", "than"})
_TEXTS = 512  # footnotes and provisions; many lines have the same
_CLAUSE = 10  # words before a country, in which one that leaves it out would stand
_LINKS = frozenset({"and", "or", "the", "of"})
_MOST_LINKS = 2  # between two countries: "or the", "and of"
_DAY = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2},\s+\d{4}"
_ENTRIES = re.compile(
    rf"\beffective with respect to entries,?\s+on or after\s+(?P<start>{_DAY})"
    rf"(?:,?\s+and\s+(?P<kind>before|through)\s+(?P<end>{_DAY}))?",
    re.IGNORECASE,
)
_ANY_DAY = re.compile(rf"\b{_DAY}", re.IGNORECASE)
_ENDED = re.compile(r"\[compiler.s note:[^\][]*\b(?:terminated|suspended|expired)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """Where goods come from (ISO 3166-1 alpha-2) and on which day they are entered; None is not known."""

    country: str | None = None
    day: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """Provisions that a footnote points to: one, where first and last are the same, or a range."""

    first: Code
    last: Code

    @property
    def is_one(self) -> bool:
        """Whether it is no range."""
        return self.first == self.last

    @property
    def name(self) -> str:
        """As it is printed."""
        return self.first.dotted if self.is_one else f"{self.first.dotted}-{self.last.dotted}"


@dataclass(frozen=True, slots=True)
class Reach:
    """Whose goods, entered when, a provision speaks of. Codes are ISO 3166-1 alpha-2; none where it names no country.

    `countries_sure` and `days_sure` are false where the words hold more than was understood; `ended` says that the
    publisher notes that it is suspended or over. `until` is the last day.
    """

    countries: frozenset[str] = frozenset()
    countries_sure: bool = True
    since: dt.date | None = None
    until: dt.date | None = None
    days_sure: bool = True
    ended: bool = False

    def leaves_out(self, entry: Entry) -> bool:
        """Whether it surely does not reach the goods."""
        country, day = entry.country, entry.day
        elsewhere = country is not None and self.countries_sure and country not in (self.countries or {country})
        early = day is not None and self.since is not None and day < self.since
        late = day is not None and self.until is not None and day > self.until
        return elsewhere or early or late


@lru_cache(maxsize=_TEXTS)
def pointers(text: str) -> tuple[Pointer, ...]:
    """The provisions of chapter 99 that a footnote names.

    >>> [each.name for each in pointers("See 9903.88.15, 9904.04.50-9904.05.01 and 9817.57.01.")]
    ['9903.88.15', '9904.04.50-9904.05.01']
    """
    found = ((Code.parse(pair[1]), Code.parse(pair[2] or pair[1])) for pair in _POINTER.finditer(text))
    return tuple(dict.fromkeys(Pointer(*pair) for pair in found))


@lru_cache(maxsize=_TEXTS)
def reach_of(text: str) -> Reach:
    """Whom and when the words of a provision reach. Takes linear time.

    >>> reach = reach_of("Effective with respect to entries on or after June 15, 2024 and through November 9, 2026, "
    ...                  "articles the product of China and Hong Kong, as provided for in U.S. note 20(vvv)")
    >>> sorted(reach.countries), str(reach.since), str(reach.until), reach.countries_sure and reach.days_sure
    (['CN', 'HK'], '2024-06-15', '2026-11-09', True)
    >>> reach_of("Except for products of Canada, articles of steel").countries_sure
    False
    """
    named = list(_named(text.split()))
    countries = frozenset[str]().union(*(each.countries for each in named if each.of_products))
    others = frozenset[str]().union(*(each.countries for each in named)) - countries
    left_out = any(each.left_out for each in named)
    since, until, days_sure = _days(text)
    sure = not left_out and others <= {"US"}
    return Reach(countries, sure, since, until, days_sure, ended=_ENDED.search(text) is not None)


@dataclass(frozen=True, slots=True)
class _Named:
    """Countries named after "of": whether as those of products, and whether to be left out."""

    countries: frozenset[str]
    of_products: bool
    left_out: bool


def _named(words: Sequence[str]) -> Iterator[_Named]:
    place = 0
    while place < len(words):
        place += 1
        if words[place - 1].lower() != "of":
            continue
        before = words[max(0, place - 1 - _CLAUSE) : place - 1]
        countries, place = _listed(words, place)
        if countries:
            of_products = bool(before) and before[-1].lower() in {"product", "products"}
            yield _Named(countries, of_products, of_products and _left_out(before))


def _left_out(before: Sequence[str]) -> bool:
    """Whether a clause that ends so leaves out what follows."""
    breaks = [place for place, word in enumerate(before) if word.endswith((",", ";"))]
    return any(word.lower() in _LEAVES_OUT for word in before[max(breaks, default=-1) + 1 :])


def _listed(words: Sequence[str], place: int) -> tuple[frozenset[str], int]:
    """The countries of a list that stands at a place, and the place after it."""
    countries: frozenset[str] = frozenset()
    links, end = 0, place
    while place < len(words) and links <= _MOST_LINKS:
        found, length = countries_at(words[place : place + 7])
        if not found and words[place].lower() not in _LINKS:
            break
        links = 0 if found else links + 1
        place += length or 1
        countries, end = countries | found, place if found else end
    return countries, end


def _days(text: str) -> tuple[dt.date | None, dt.date | None, bool]:
    """The first and the last day of entry, and whether that is all that the words say of days."""
    found = _ENTRIES.search(text)
    dates = len(_ANY_DAY.findall(text))
    if found is None:
        return None, None, not dates
    since, end = _day(found["start"]), found["end"] and _day(found["end"])
    until = end - dt.timedelta(days=1) if end and found["kind"].lower() == "before" else end
    if since is None or (end is None and found["end"]):
        return None, None, False
    return since, until or None, dates == 1 + bool(end)


def _day(text: str) -> dt.date | None:
    try:
        return dt.datetime.strptime(" ".join(text.split()), "%B %d, %Y").replace(tzinfo=dt.UTC).date()
    except ValueError:
        return None
