"""The order of words: what a language says after its noun English says before it ("couteau de cuisine", "stół
drewniany"). The trap: what only holds ("boîte de thon"); there the goods are what it holds, in English too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pcs.engine.reading.head import HOLDS
from pcs.tariff.starter.lexicon.rows import LINK

_NOUNS = frozenset({"goods", "part", "material", "unit", "unknown"})
SIGN, UNKNOWN = "sign", "unknown"
_LONGEST_PHRASE = 100  # characters; beyond it nothing more is put before a noun
_DESCRIBES = frozenset({"material", "making", "state", "property", "user", "use"})
_FOLLOWS = ("for ", "in ", "with ", "of ", "by ", "on ", "to ", "from ", "fit for ", "suitable for ", "made of ")
_DENIALS = ("not ", "without ")  # before a noun they would deny that it is one


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or a phrase in English with its role, and what was written; a sign stands between phrases. `tail` is what
    follows a noun in English too ("for men"), whatever comes before the noun."""

    english: str
    role: str
    written: str = ""
    tail: str = ""

    @property
    def whole(self) -> str:
        """The phrase with what follows its noun."""
        return f"{self.english} {self.tail}".strip()


OF, WITH = "of", "with"

JOINS: Mapping[str, Mapping[str, str]] = {
    "fr": {**dict.fromkeys(("de", "d", "du", "des", "en"), OF), **dict.fromkeys(("à", "au", "aux"), WITH)},
    "es": {**dict.fromkeys(("de", "del", "en"), OF), **dict.fromkeys(("a", "al"), WITH)},
    "it": {
        **dict.fromkeys(
            ("di", "d", "del", "dello", "della", "dell", "dei", "degli", "delle", "in", "da", "dal", "dalla"), OF
        ),
        **dict.fromkeys(("a", "al", "allo", "alla", "all", "ai", "agli", "alle", "ad"), WITH),
    },
    "pl": {**dict.fromkeys(("z", "ze"), WITH), **dict.fromkeys(("do", "od", "na"), OF)},
}
"""Words that join two nouns of which English puts the second first, by language: always, or (WITH) but for parts and
goods, which the first has."""


def in_english_order(pieces: Iterable[Piece], language: str) -> list[Piece]:
    """The pieces of one sentence in the order that English gives them."""
    joins = JOINS.get(language)
    told = [piece for piece in pieces if piece.english or piece.written in (joins or ())]
    return told if joins is None else _joined(_described(told, joins), joins)


def _described(pieces: Sequence[Piece], joins: Mapping[str, str]) -> list[Piece]:
    """With what describes a noun before it, not after."""
    found = list[Piece]()
    for piece in pieces:
        last = found[-1] if found else None
        describes = piece.role in _DESCRIBES and piece.written not in joins
        describes = describes and not piece.english.startswith(_DENIALS)
        if last is not None and describes and last.role != "unit" and _is_noun(last):
            if piece.english.startswith(_FOLLOWS):
                found[-1] = replace(last, tail=f"{last.tail} {piece.english}".strip())
            else:
                found[-1] = replace(last, english=f"{piece.english} {last.english}")
        else:
            found.append(piece)
    return found


def _joined(pieces: Sequence[Piece], joins: Mapping[str, str]) -> list[Piece]:
    """With "noun of noun" as English says it, and joining words that join nothing as their own English."""
    found = list[Piece]()
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        how = joins.get(piece.written) if piece.role == LINK else None
        if how is None or after is None or not found or not _is_noun(found[-1]) or after.role in {LINK, SIGN}:
            found.append(piece if how is None else Piece(piece.english or how, LINK, piece.written))
            place += 1
            continue
        before = found.pop()
        found += _one_noun(before, how, after)
        place += 2
    return found


def _is_noun(piece: Piece) -> bool:
    return piece.role in _NOUNS and len(piece.english) <= _LONGEST_PHRASE


def _one_noun(before: Piece, how: str, after: Piece) -> list[Piece]:
    if how == WITH and after.role in {"part", "goods"}:
        return [before, Piece(WITH, LINK), after]
    holds = before.role == "unit" or before.english.rsplit(maxsplit=1)[-1] in HOLDS
    if holds and after.role != "material":
        return [before, Piece(OF, LINK), after]
    tail = f"{before.tail} {after.tail}".strip()
    return [replace(before, english=f"{after.english} {before.english}", tail=tail)]
