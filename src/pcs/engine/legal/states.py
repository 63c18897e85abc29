"""The states of goods that the tariff puts apart: knitted or woven (notes 1 to chapters 61 and 62, the title of 60);
fresh, frozen, dried, smoked or salted (headings of chapters 2 to 8); drinks with alcohol or without (note 3 to chapter
22: of at most 0.5 % by volume they are none of headings 2203 to 2208). The trap: a knitted cuff of a woven jacket; only
what is said of the goods themselves, and only one state of a kind, tells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pcs.engine.reading.polarity import DENIED, signed_words
from pcs.engine.reading.slots import themselves
from pcs.engine.text import stem
from pcs.tariff.code import Code

_EITHER_WAY = re.compile(r"\bwhether or not\b[^,;:]*", re.IGNORECASE)
_PRESERVED = re.compile(r"\bpreserved\b", re.IGNORECASE)  # in any way
_OF_A_PART = re.compile(
    r"\b(?:knit(?:ted)?|crochet(?:ed)?|woven)[ -](?:rib(?:bed)? )?"
    r"(?:cuff|collar|hem|trim|lining|back|panel|insert|waistband|edg|wrist|label|patch|neck)\w*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """States of one kind, each as stems, and the text that may name one of them at all."""

    states: tuple[frozenset[str], ...]
    named: re.Pattern[str]

    def said(self, text: str) -> frozenset[int]:
        """The states that a text affirms."""
        return self._of(word for word in signed_words(text) if not word.startswith(DENIED))

    def asked(self, text: str) -> frozenset[int]:
        """The states that a provision takes goods in: those that it affirms, else all but those that it denies."""
        denied = self._of(word.removeprefix(DENIED) for word in signed_words(text) if word.startswith(DENIED))
        return self.said(text) or (frozenset(range(len(self.states))) - denied if denied else denied)

    def _of(self, words: Iterable[str]) -> frozenset[int]:
        said = frozenset(words)
        return frozenset(place for place, state in enumerate(self.states) if not said.isdisjoint(state))


def _stems(*states: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, state.split())) for state in states)


_FABRIC = _Kind(
    _stems("knit knitted crochet crocheted", "woven"),
    re.compile(r"\b(?:knit|crochet|woven)", re.IGNORECASE),
)
_KEPT = _Kind(
    _stems("fresh chilled", "frozen", "dried", "smoked", "salted brine"),
    re.compile(r"\b(?:fresh|chilled|frozen|dried|smoked|salted|brine)", re.IGNORECASE),
)
_KINDS = (_FABRIC, _KEPT)
_OF_ALCOHOL = frozenset("2203 2204 2205 2206 2208".split())
_NO_ALCOHOL = re.compile(
    r"\b(?:non[- ]?alcoholic|alcohol[- ]free|(?:no|zero|without) alcohol|de-?alcoholi[sz]ed|alcohol removed"
    r"|0(?:\.[0-5])? ?% ?(?:alcohol|abv|alc|vol)|(?:alcohol|abv|alc)\.? ?0(?:\.[0-5])? ?%)",
    re.IGNORECASE,
)
_OF_FABRIC, _OF_FOOD = ("60", "61", "62"), tuple(f"{chapter:02}" for chapter in range(2, 9))

State = tuple[int, int]
"""A kind of states and one of them, by their places."""
_WITH_ALCOHOL, _WITHOUT_ALCOHOL = (len(_KINDS), 0), (len(_KINDS), 1)


def states_of(text: str) -> frozenset[State]:
    """The states that goods are said to be in, at most one of a kind."""
    said = _OF_A_PART.sub(" ", themselves(text)) if any(kind.named.search(text) for kind in _KINDS) else ""
    told = ((place, kind.said(said)) for place, kind in enumerate(_KINDS) if kind.named.search(said))
    found = frozenset((place, state) for place, found in told if len(found) == 1 for state in found)
    return found | {_WITHOUT_ALCOHOL} if _NO_ALCOHOL.search(text) else found


def states_asked(code: Code, chapter_title: str, heading: str) -> frozenset[State]:
    """The states that a heading takes goods in; of a kind that it does not name it takes all, and none is given."""
    chapter = code[:2]
    if code in _OF_ALCOHOL:
        return frozenset({_WITH_ALCOHOL})
    if chapter in _OF_FABRIC:
        place, kind, said = 0, _FABRIC, chapter_title
    elif chapter in _OF_FOOD:
        place, kind, said = 1, _KEPT, heading
    else:
        return frozenset()
    open_to_all = _PRESERVED.search(heading) or any(map(kind.named.search, _EITHER_WAY.findall(heading)))
    return frozenset() if open_to_all else frozenset((place, state) for state in kind.asked(said))


def contradicted(asked: frozenset[State], said: frozenset[State]) -> bool:
    """Whether goods are said to be in a state in which a heading does not take them."""
    kinds = {kind for kind, _ in asked}
    return any(kind in kinds and (kind, state) not in asked for kind, state in said)
