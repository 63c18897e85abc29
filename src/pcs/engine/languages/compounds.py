"""German and Dutch write "steel pot lid" as one word: it is split at words that the lexicon knows, the longest head
first. The trap: an ending that is a word too ("-bar", "-mittel", "-ende"); those are no heads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pcs.engine.languages.lexicon import Lexicon, Senses
from pcs.tariff.starter.lexicon.rows import LINK

LINKS = {"de": ("", "s", "n", "en", "es", "er", "e"), "nl": ("", "s", "en", "e", "n", "er")}
"""The letters that may stand between the members of a compound."""
_WITHOUT = "without {}"
LOSSES = {
    "de": {
        **dict.fromkeys(("frei", "freie", "freier", "freies", "freien", "freiem"), "{}-free"),
        **dict.fromkeys(("los", "lose", "loser", "loses", "losen", "losem"), _WITHOUT),
    },
    "nl": {**dict.fromkeys(("vrij", "vrije"), "{}-free"), **dict.fromkeys(("loos", "loze"), _WITHOUT)},
}
"""Endings that deny what stands before them, as English says it."""

_NO_HEADS = frozenset(
    "bar bare barer bares mittel ende enden end lich liche form artig artige haft weise fach mal malig teil teile "
    "lijk lijke heid baar bare soort stand".split()
)
_LEAST = 3  # letters of a member
_LEAST_WORD = 6
_LONG_HEAD = 7  # letters; a shorter one may be the end of some other word ("Stec-klinge" is no blade),
_LONG_FIRST = 6  # unless so many letters stand before it, and
_SHORT_HEAD = 4  # it is so long and a form as it stands
_LONGEST = 40  # letters; a longer word is no word
_MOST_MEMBERS = 4
_REMEMBERED = 1 << 11

Members = tuple[tuple[str, Senses], ...]


class Splitter:
    """Splits the compounds of one language."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._links = LINKS[lexicon.language]
        self.split = lru_cache(maxsize=_REMEMBERED)(self._split)

    def _split(self, word: str) -> Members:
        """The members of a compound in lower case, each with its senses, the head last; none where it is not one.

        A first member that nobody knows stays as it is, where it or the head is long.
        """
        if not _LEAST_WORD <= len(word) <= _LONGEST:
            return ()
        known: dict[tuple[str, int], Members] = {}
        if found := self._members(word, _MOST_MEMBERS, known):
            return found
        for cut in range(_LEAST + 1, len(word) - _SHORT_HEAD + 1):
            if head := self._sure_head(word[cut:], before=cut):
                return ((word[:cut], ()), (word[cut:], head))
        return ()

    def _members(self, word: str, most: int, known: dict[tuple[str, int], Members]) -> Members:
        """The fewest known members, of equals those with the longest head; each rest is looked at once."""
        if (word, most) not in known:
            splits = list(self._splits(word, most, known))
            known[word, most] = min(splits, key=lambda found: (len(found), -len(found[-1][0])), default=())
        return known[word, most]

    def _splits(self, word: str, most: int, known: dict[tuple[str, int], Members]) -> Iterator[Members]:
        for cut in range(_LEAST, len(word) - _LEAST + 1):
            head = self._head(word[cut:])
            if not head:
                continue
            if modifier := self._modifier(word[:cut]):
                yield (modifier, (word[cut:], head))
            elif most > 2:
                for link in self._links:
                    rest = word[:cut].removesuffix(link)
                    if word[:cut].endswith(link) and (before := self._members(rest, most - 1, known)):
                        yield (*before, (word[cut:], head))
                        break

    def _head(self, part: str) -> Senses:
        if part in _NO_HEADS:
            return ()
        return _of_goods(self._lexicon.of(part))

    def _sure_head(self, part: str, *, before: int) -> Senses:
        """A head behind so many letters that nobody knows."""
        if len(part) >= _LONG_HEAD:
            return self._head(part)
        sure = before >= _LONG_FIRST and self._lexicon.exact(part)
        return self._head(part) if sure else ()

    def _modifier(self, part: str) -> tuple[str, Senses] | None:
        """A first member: a known form, with linking letters after it or without its last ones."""
        for link in self._links:
            bare = part.removesuffix(link)
            if len(bare) < _LEAST or not part.endswith(link):
                continue
            for whole in (bare, f"{bare}e", f"{bare}en"):
                if senses := _of_goods(self._lexicon.exact(whole)):
                    return whole, senses
        senses = _of_goods(self._lexicon.of(part)) if len(part) > _LEAST + 1 else ()
        return (part, senses) if senses else None


def _of_goods(senses: Senses) -> Senses:
    """Those that say something of goods; articles and their like are no members."""
    return tuple(sense for sense in senses if sense.english and sense.role != LINK)
