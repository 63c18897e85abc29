"""What goods are called: the noun and what it is joined with, however the name puts it ("Kettle, electric", "brush for
dogs", "passenger car, petrol engine 1,998 cm3"). The trap: a part, a use or a material that speaks louder than the
goods; what stands before the first comma or preposition says what they are."""

from __future__ import annotations

import re

from pcs.engine.reading.substances import FAMILIES, LONGEST
from pcs.engine.text import plain, says_nothing, stem, words

_SEGMENTS = re.compile(r"[,;:|\n()]+|\s-\s")
_MODIFIER = re.compile(r"[a-z]+(?:-[a-z]+)?(?:'s)?(?: (?:or|and) [a-z]+(?:'s)?)?")
_COUNTED = re.compile(r"(?<!\S)\d\S*")
_PREPOSITION = re.compile(r"(?<![\w-])(?:for|with|of|in|from|to|on|by|at|without|and|or|made|having|containing)\b")
_WITH = re.compile(r"(?<![\w-])(?:with|w/|incl|including|includes|plus|and)(?!\w)")  # what follows comes with the goods
_FOR = re.compile(r"\bfor (?:the |my |your |a |an |use (?:on|with|by) )?([a-z']+)(?: ([a-z']+))?")
# What only holds or counts: the goods are what follows "of".
HOLDS = frozenset(
    "set pair pack box bag piece packet bottle can jar roll sheet bunch lot kit carton case bundle tin tube sack bar "
    "kind type sort assortment range".split()
)
# Of these some are goods of their own, when what follows "of" is what they are made of: a "school bag of polyester".
_CONTAINERS = frozenset(map(stem, "bag box bottle can jar case carton tin tube sack".split()))
_HOLDS = frozenset(map(stem, HOLDS))
_HOW_MADE = frozenset(
    map(stem, "woven knitted corrugated recycled solid clear coated thin thick rigid transparent".split())
)
# For whom or what on the body: such a user is a part of the goods' own name (dog brush, doll clothes, hair brush).
_USERS = frozenset(
    words(
        "dog dogs cat cats pet pets horse horses puppy kitten bird birds fish aquarium cattle poultry rabbit hamster "
        "animal animals doll dolls toy toys baby babies infant infants child children kid kids toddler man men woman "
        "women lady ladies boy boys girl girls hair nail nails tooth teeth face skin foot feet hand hands eye eyes ear "
        "ears lip lips head beard toilet"
    )
)
_MOST_WORDS = 6  # of a name's first stretch that is a noun and its own words; a longer one is a seller's heap of words
_MOST_MODIFIERS = 3
_LONGEST_MATERIAL = 60  # characters


def head_of(name: str) -> str:
    """The goods' own words in the order of a plain English name; empty where the name tells none apart.

    >>> head_of("Kettle, electric, of stainless steel")
    'electric kettle'
    >>> head_of("brush for dogs"), head_of("Passenger car, petrol engine, 1,998 cm3")
    ('dogs brush', 'passenger car')
    """
    segments = [segment.strip() for segment in _SEGMENTS.split(plain(name)) if segment.strip()]
    if not segments:
        return ""
    noun = _noun(segments[0])
    if len(noun.split()) > _MOST_WORDS or says_nothing(segments[0]) or says_nothing(noun):
        return ""  # what a machine is for says what it is
    noun = " ".join(_COUNTED.sub(" ", noun).split())
    if not words(noun):
        return ""
    later = () if _WITH.search(segments[0]) else segments[1:]
    joined = [*_users(segments[0]), *(word for segment in later if (word := _modifier(segment)))]
    return " ".join([*joined[:_MOST_MODIFIERS], noun])


def _noun(segment: str) -> str:
    """The segment's own noun phrase: before its first preposition, or after "set of" and its like."""
    start = 0
    for match in _PREPOSITION.finditer(segment):
        before = segment[start : match.start()].strip()
        if match.group() == "and" and _is_one_name(before, segment[match.end() :]):
            continue
        if match.group() != "of" or (before and not _holds(before)):
            return before
        if _last(before) in _CONTAINERS and _is_material(segment[match.end() :]):
            return before
        start = match.end()
    left = segment[start:].strip()
    return "" if not left or _holds(left) else left


def _is_one_name(before: str, after: str) -> bool:
    """Whether what stands before and after "and" is one name whose noun comes last: "salt and pepper shakers"."""
    words_after = _PREPOSITION.split(after, maxsplit=1)[0].split()
    return bool(before) and len(words_after) >= 2 and len(before.split()) + 1 + len(words_after) <= _MOST_WORDS


def _holds(phrase: str) -> bool:
    return _last(phrase) in _HOLDS


def _last(phrase: str) -> str:
    """The stem of the last word; none of nothing."""
    return stem("".join(phrase.rsplit(maxsplit=1)[-1:]))


def _is_material(said: str) -> bool:
    """Whether nothing but materials, and how they are made, is named before the next preposition."""
    stems = words(_PREPOSITION.split(said, maxsplit=1)[0][:_LONGEST_MATERIAL])
    place = 0
    while place < len(stems):
        names = (size for size in range(LONGEST, 0, -1) if tuple(stems[place : place + size]) in FAMILIES)
        size = next(names, int(stems[place] in _HOW_MADE))
        if not size:
            return False
        place += size
    return not _HOW_MADE.issuperset(stems)


def _users(segment: str) -> list[str]:
    return [word for match in _FOR.finditer(segment) for word in match.groups() if word and stem(word) in _USERS]


def _modifier(segment: str) -> str:
    """A later segment that is one telling word or two that are joined: "electric", "women's or girls'"."""
    return segment if _MODIFIER.fullmatch(segment) and words(segment) else ""
