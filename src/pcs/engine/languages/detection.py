"""Which language a text is in: each sentence by itself, since a German description may follow an English name.

A word counts for each language that knows it, the less the more of them do; the small words of a language count twice.
The trap: names that are words of several languages at once ("slip", "pan"); those are left open, and whole readings of
them are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from pcs.base.same import Same
from pcs.engine.languages.compounds import Splitter
from pcs.engine.languages.letters import folded, tokens
from pcs.engine.languages.lexicon import Lexicon
from pcs.engine.text import is_telling

ENGLISH = "en"
_LEADS = 1.5  # by which another language must lead English, in which most texts are
_NEAR = 0.75  # of the best one's points: as likely, where little is said
_WHOLE = 0.25  # weight of the whole text beside a sentence's own words
_CLOSED = 2.0  # what a small word counts
_STEM = 0.6  # what a word counts of which only the stem is known
_EVERYDAY = (100, 450)  # how often the pack says a word that is a small word of one other language, of several
_SURE = 0.6
_ENGLISH = ((40, 1.0), (10, _SURE), (1, 0.3))  # how often the pack says a word, and English's claim to it
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
_MOST_KNOWN = 1 << 15  # words whose languages are remembered
_AT_ONCE = 4  # texts: the whole of a product is looked at for each question about its language
_ENGLISH_LINKS = frozenset(
    "the a an of and or for with from in on to is are by as at be it its this that which used not without made other "
    "one two each such than into your our you we has have can will".split()
)
_UNITS = frozenset("mm cm dm km mg kg ml cl dl kw ah mah hz ghz mb gb tb".split())
_WORD = re.compile(r"[^\W\d_]")

Points = Mapping[str, float]
Claims = tuple[tuple[str, float], ...]
"""What a word says for each language that has it."""


class Detection:
    """Tells the language of a text by the lexicons and by what is a word of the pack's English."""

    def __init__(
        self, lexicons: Mapping[str, Lexicon], splitters: Mapping[str, Splitter], commonness: Callable[[str], float]
    ) -> None:
        self._lexicons, self._splitters, self._commonness = lexicons, splitters, commonness
        self._known: dict[str, Claims] = {}
        self._english = lru_cache(maxsize=_MOST_KNOWN)(self._claim_of_english)
        self._same = Same()  # most words are English alone

    def points(self, text: str) -> dict[str, float]:
        """What speaks for each language, English first."""
        found = dict.fromkeys((ENGLISH, *self._lexicons), 0.0)
        goods = set[str]()
        for word in words(text):
            for language, points in self._of(word):
                found[language] += points
                if word.lower() not in (_ENGLISH_LINKS if language == ENGLISH else self._lexicons[language].closed):
                    goods.add(language)
        if ENGLISH in goods:  # whose goods are English is not in another language for a small word
            found = {language: points if language in goods else 0.0 for language, points in found.items()}
        return found

    def language(self, text: str, whole: Points | None = None) -> str:
        """The language of a sentence, with the points of the text that it is from."""
        points = self.points(text)
        if whole:
            points = {language: own + _WHOLE * whole[language] for language, own in points.items()}
        return best(points)

    def open_to(self, text: str) -> list[str]:
        """The languages that a text of a word or two may be in, the likeliest first, English among them where it has
        one of the words or no other has one for sure; of a longer text, or of one whose every word is English, the one
        it is in."""
        if self.is_english(text):
            return [ENGLISH]
        said, points = words(text), self.points(text)
        likeliest = best(points)
        if len(said) > _OPEN or not points[likeliest]:
            return [likeliest]
        maybe_english = points[ENGLISH] > points[likeliest] / 3 or points[likeliest] < 1
        near = [
            each for each in points if points[each] >= _NEAR * points[likeliest] or (each == ENGLISH and maybe_english)
        ]
        return sorted(near, key=lambda each: (each != likeliest, -points[each]))

    def is_english(self, text: str) -> bool:
        """Whether every word is one of the pack's English."""
        return text.isascii() and all(self._english(word) >= _SURE for word in words(text))

    def knows(self, word: str) -> bool:
        """Whether a language that is read has a word, letter by letter."""
        lower = word.lower()
        return self._english(word) >= _SURE or any(lexicon.exact(lower) for lexicon in self._lexicons.values())

    def _of(self, word: str) -> Claims:
        found = self._known.get(word)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
                self._same.clear()
            found = self._known[word] = self._same[self._judged(word)]
        return found

    def _judged(self, word: str) -> Claims:
        lower = word.lower()
        claims = {language: claim for language, lexicon in self._lexicons.items() if (claim := _claim(lexicon, lower))}
        if english := self._english_beside(word, claims):
            claims = {language: min(claim, 1.0) if english < _CLOSED else claim for language, claim in claims.items()}
            claims[ENGLISH] = english
        if claims.get(ENGLISH, 0.0) < _SURE:
            for language, splitter in self._splitters.items():
                members = splitter.split(lower) if language not in claims and len(lower) >= _COMPOUND else ()
                if members:
                    exact = all(self._lexicons[language].exact(member) for member, _ in members)
                    claims[language] = 1.0 if exact else _STEM
        if not claims:
            claims = {language: 1.0 for language, letters in _LETTERS.items() if not set(letters).isdisjoint(lower)}
        return tuple((language, claim / len(claims) ** 0.5) for language, claim in claims.items())

    def _english_beside(self, word: str, claims: Points) -> float:
        """English's claim to a word that other languages claim: none to their small words, but for a word of goods that
        the pack says every day ("car", "die"), and none to a word with accents."""
        english, small = self._english(word), sum(claim == _CLOSED for claim in claims.values())
        if claims and not word.isascii():
            return 0.0
        everyday = small == 0 or english == _CLOSED or self._least(word.lower()) >= _EVERYDAY[small > 1]
        return english if everyday else 0.0

    def _claim_of_english(self, word: str) -> float:
        """English's claim to a word."""
        flat = folded(word)
        if flat in _ENGLISH_LINKS:
            return _CLOSED
        if not is_telling(flat):
            return 1.0
        least = self._least(flat)
        return next((claim for often, claim in _ENGLISH if least >= often), 0.0)

    def _least(self, lower: str) -> float:
        """How often the pack says a word, or of one with hyphens the rarest part; single letters say nothing."""
        return min((self._commonness(part) for part in lower.split("-") if len(part) > 1), default=0.0)


@lru_cache(maxsize=_AT_ONCE)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, as written, of two letters or more; units are of no language."""
    said = (token for token in tokens(text) if len(token) > 1 and _WORD.match(token))
    return tuple(token for token in said if token.lower() not in _UNITS)


def best(points: Points) -> str:
    """The language with the most points; another than English must lead it clearly."""
    found = max(points, key=lambda language: (points[language], language == ENGLISH))
    return found if found != ENGLISH and points[found] > _LEADS * points[ENGLISH] else ENGLISH


def _claim(lexicon: Lexicon, lower: str) -> float:
    if lower in lexicon.closed:
        return _CLOSED
    if lexicon.exact(lower):
        return 1.0
    if "-" not in lower:
        return _STEM if lexicon.inflected(lower) else 0.0
    parts = [part for part in lower.split("-") if len(part) > 1]
    return _STEM if parts and all(map(lexicon.of, parts)) else 0.0
