"""The words of one language: from what is written to the senses it may have. Exact letters come before stems, stems
before letters without accents. The trap: a stem that two words share ("Küchen", "Kuchen"); of those the form that
begins most like the word is meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import Stemmer  # PyStemmer: Snowball's own in C

from pcs.engine.languages.letters import folded, tokens
from pcs.tariff.starter.lexicon.rows import Form, LexiconRow

STEMMERS = {"de": "german", "fr": "french", "nl": "dutch", "es": "spanish", "it": "italian", "pl": "polish"}
_LEAST_STEMMED = 4  # letters; a shorter word is itself
_REMEMBERED = 1 << 13  # words of each language
_APOSTROPHES = ("'", "\u2019")
_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"))


@dataclass(frozen=True, slots=True)
class Sense:
    """What a form may mean: the pack's English (empty: nothing of goods), its role, and by which beginnings of words in
    the sentence or straight before it is known."""

    english: str
    role: str
    near: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def bound(self) -> bool:
        """Whether it is meant only beside certain words."""
        return bool(self.near or self.before)

    def meant(self, others: Sequence[str], before: str) -> bool:
        """Whether the words of the sentence, folded, tell that this is meant."""
        return before in self.before or any(word.startswith(self.near) for word in others if self.near)


Senses = tuple[Sense, ...]


class Lexicon:
    """One language's forms, of up to `longest` words each."""

    def __init__(self, language: str, rows: Iterable[LexiconRow]) -> None:
        self.language = language
        self._stemmer = Stemmer.Stemmer(STEMMERS[language], 0)
        self._exact: dict[str, Senses] = {}
        self._stems: dict[str, tuple[tuple[str, Sense], ...]] = {}
        closed = set[str]()
        self.longest = 1
        for row in rows:
            for form in row.forms[language]:
                self._add(form, row)
                if row.role == "link":
                    closed.add(form.written.lower())
        self.closed = frozenset(closed)
        self.of = lru_cache(maxsize=_REMEMBERED)(self._of)

    def _add(self, form: Form, row: LexiconRow) -> None:
        words = words_of(form.written)
        sense = Sense(row.english.removeprefix("-"), row.role, form.near, form.before)
        self.longest = max(self.longest, len(words))
        key = " ".join(words)
        self._exact[key] = (*self._exact.get(key, ()), sense)
        if row.role != "link":
            stems = self._key(words)
            self._stems[stems] = (*self._stems.get(stems, ()), (key, sense))

    def _key(self, words: Sequence[str]) -> str:
        return " ".join(folded(self._stem(word)) for word in words)

    def _stem(self, word: str) -> str:
        return str(self._stemmer.stemWord(word)) if len(word) >= _LEAST_STEMMED else word

    def exact(self, written: str) -> Senses:
        """The senses of a form as it stands in the lexicon, in lower case."""
        return self._exact.get(written, ())

    def _of(self, written: str) -> Senses:
        """The senses of a word, or of several with a space between them, in lower case; none where it is not known."""
        if found := self._exact.get(written):
            return (*found, *self._bound_singular(written, found))
        if nearest := self._stemmed(written):
            return nearest
        for plain, umlaut in _UMLAUTS if self.language == "de" else ():
            if plain in written and (found := self._exact.get(written.replace(plain, umlaut))):
                return found
        return ()

    def _bound_singular(self, written: str, found: Senses) -> Senses:
        """The senses of a plural's singular that are bound to other words: "fils" is yarn, beside copper wire."""
        if len(written) < _LEAST_STEMMED or " " in written or found[0].role == "link":
            return ()
        alike = self._stems.get(self._key([written]), ())
        return tuple(
            sense
            for form, sense in alike
            if sense.bound and sense not in found and _alike(form, written) >= len(form) - 1
        )

    def _stemmed(self, written: str) -> Senses:
        words = written.split()
        if len(words) == 1 and len(written) < _LEAST_STEMMED:
            return ()
        found = self._stems.get(self._key(words), ())
        if len(found) < 2:
            return tuple(sense for _, sense in found)
        alike = {form: _alike(form, written) for form, _ in found}
        most = max(alike.values())
        return tuple(sense for form, sense in found if alike[form] == most)


def _alike(one: str, other: str) -> int:
    """How many letters two words begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def words_of(written: str) -> list[str]:
    """The words of a form in lower case, elided ones apart and without their apostrophe.

    >>> words_of("Huile d'olive")
    ['huile', 'd', 'olive']
    """
    return [token for token in tokens(written.lower()) if not token.isspace() and token not in _APOSTROPHES]


def lexicons(rows: Sequence[LexiconRow]) -> Mapping[str, Lexicon]:
    """The lexicon of each language that is read, by its ISO 639-1 name."""
    return {language: Lexicon(language, rows) for language in STEMMERS}
