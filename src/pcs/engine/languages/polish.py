"""Polish makes an adjective of nearly every noun ("truskawka", "truskawkowy") and softens a noun's end behind "in" and
"on" ("czekolada", "w czekoladzie"). The trap: a noun guessed where there is none; a guess counts where the lexicon has
it as a form, and only for a word that is not known otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ADJECTIVE = re.compile(r"(.{3,})ow(?:y|a|e|ego|ej|emu|ym|ą|ych|ymi)")
_NOUN_ENDS = ("", "a", "o", "y", "e")
_LOST_E = re.compile(r"(.*[^aeiouyąęó])([ck])")  # "hamulc-owy" of "hamulec", "rynk-owy" of "rynek"
_SOFTENED = {
    "dzie": ("da", "d", "do"),
    "cie": ("ta", "t", "to"),
    "rze": ("ra", "r", "ro"),
    "dle": ("dło", "dła", "deł"),
    "le": ("ła", "ł", "ło"),
    "dze": ("ga",),
    "ce": ("ka",),
    "sze": ("cha",),
    "nie": ("na", "n", "no"),
    "sie": ("sa", "s", "so"),
    "zie": ("za", "z", "zo"),
    "wie": ("wa", "w", "wo"),
    "mie": ("ma", "m", "mo"),
    "bie": ("ba", "b", "bo"),
    "pie": ("pa", "p", "po"),
}
_LEAST = 3  # letters before what changes


def nouns_described(word: str) -> Iterator[str]:
    """The nouns that an adjective in lower case may be made of, the likeliest first.

    >>> "truskawka" in nouns_described("truskawkowy"), "hamulec" in nouns_described("hamulcowego")
    (True, True)
    """
    if found := _ADJECTIVE.fullmatch(word):
        yield from (found[1] + end for end in _NOUN_ENDS)
        if lost := _LOST_E.fullmatch(found[1]):
            yield f"{lost[1]}e{lost[2]}"


def nouns_softened(word: str) -> Iterator[str]:
    """The nouns that a word in lower case may be as they stand behind "w" and "na".

    >>> "czekolada" in nouns_softened("czekoladzie")
    True
    """
    for ending, nouns in _SOFTENED.items():
        if word.endswith(ending) and len(word) >= _LEAST + len(ending):
            yield from (word.removesuffix(ending) + end for end in nouns)
