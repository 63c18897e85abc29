"""Which language a text is in: each sentence by itself, since a German description may follow an English name.

A word counts for each language that knows it, the less the more of them do; the small words of a language count twice.
The trap: names that are words of several languages at once ("slip", "pan"); those are left open, and whole readings of
them are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pcs.engine.languages.compounds import Splitter
from pcs.engine.languages.letters import folded, tokens
from pcs.engine.languages.lexicon import Lexicon

ENGLISH = "en"
_LEADS = 1.5  # by which another language must lead English, in which most texts are
_NEAR = 0.75  # of the best one's points: as likely, where little is said
_WHOLE = 0.5  # weight of the whole text beside a sentence's own words
_OPEN = 2  # words; in a longer text they tell the language
_COMPOUND = 8  # letters from which a word may be one of several
_LETTERS = {
    "de": "äöüß",
    "fr": "éèêëçàâîïôûùœ",
    "nl": "ëïéè",
    "es": "ñáéíóú",
    "it": "àèéìòù",
    "pl": "ąćęłńóśźż",
}
_MOST_KNOWN = 1 << 14  # words whose languages are remembered
_ENGLISH_LINKS = frozenset(
    "the a an of and or for with from in on to is are by as at be it its this that which used not without made other "
    "one two each such than into your our you we has have can will".split()
)
_WORD = re.compile(r"[^\W\d_]")

Points = Mapping[str, float]


class Detection:
    """Tells the language of a text by the lexicons and by what is a word of the pack's English."""

    def __init__(
        self, lexicons: Mapping[str, Lexicon], splitters: Mapping[str, Splitter], is_english: Callable[[str], bool]
    ) -> None:
        self._lexicons, self._splitters, self._is_english = lexicons, splitters, is_english
        self._known: dict[str, Points] = {}

    def points(self, text: str) -> dict[str, float]:
        """What speaks for each language, English first."""
        found = dict.fromkeys((ENGLISH, *self._lexicons), 0.0)
        for word in words(text):
            for language, points in self._of(word).items():
                found[language] += points
        return found

    def language(self, text: str, whole: Points | None = None) -> str:
        """The language of a sentence, with the points of the text that it is from."""
        points = self.points(text)
        if whole:
            points = {language: own + _WHOLE * whole[language] for language, own in points.items()}
        return best(points)

    def open_to(self, text: str) -> list[str]:
        """The languages that a text of a word or two may be in, the likeliest first; of a longer one the one it is
        in."""
        points = self.points(text)
        likeliest = best(points)
        if len(words(text)) > _OPEN or not points[likeliest]:
            return [likeliest]
        others = (each for each in points if each != likeliest and points[each] >= _NEAR * points[likeliest])
        return [likeliest, *sorted(others, key=lambda each: -points[each])]

    def knows(self, word: str) -> bool:
        """Whether any language that is read knows a word."""
        return any(self._of(word).values())

    def _of(self, word: str) -> Points:
        found = self._known.get(word)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[word] = self._judged(word)
        return found

    def _judged(self, word: str) -> Points:
        lower, flat = word.lower(), folded(word)
        claims = {language: claim for language, lexicon in self._lexicons.items() if (claim := _claim(lexicon, lower))}
        if flat in _ENGLISH_LINKS:
            claims[ENGLISH] = 2.0
        elif lower.isascii() and all(map(self._is_english, flat.split("-"))):
            claims[ENGLISH] = 1.0
        if ENGLISH not in claims:
            for language, splitter in self._splitters.items():
                if language not in claims and len(lower) >= _COMPOUND and splitter.split(lower):
                    claims[language] = 1.0
        if not claims:
            claims = {language: 1.0 for language, letters in _LETTERS.items() if not set(letters).isdisjoint(lower)}
        return {language: claim / len(claims) ** 0.5 for language, claim in claims.items()}


def words(text: str) -> list[str]:
    """The words of a text, as written, of two letters or more."""
    return [token for token in tokens(text) if len(token) > 1 and _WORD.match(token)]


def best(points: Points) -> str:
    """The language with the most points; another than English must lead it clearly."""
    found = max(points, key=lambda language: (points[language], language == ENGLISH))
    return found if found != ENGLISH and points[found] > _LEADS * points[ENGLISH] else ENGLISH


def _claim(lexicon: Lexicon, lower: str) -> float:
    if lower in lexicon.closed:
        return 2.0
    return 1.0 if any(lexicon.of(part) for part in lower.split("-") if part) else 0.0


def most(found: Sequence[str]) -> str:
    """The language that stands most often, the first of equals; English where there is none."""
    return max(dict.fromkeys(found), key=found.count, default=ENGLISH)
