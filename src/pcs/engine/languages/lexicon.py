"""The words of one language: from what is written to the senses it may have. Exact letters come before stems, stems
before letters without accents. The trap: a stem that two words share ("Küchen", "Kuchen"); of those the form that
begins most like the word is meant."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import Stemmer  # PyStemmer: Snowball's own in C

from pcs.base.same import Same
from pcs.engine.languages.letters import folded, tokens
from pcs.engine.languages.polish import nouns_described, nouns_softened
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.tariff.starter.lexicon.rows import LINK, PROPERTY, LexiconRow, read_lexicon

STEMMERS = {"de": "german", "fr": "french", "nl": "dutch", "es": "spanish", "it": "italian", "pl": "polish"}
_LEAST_STEMMED = 4  # letters; a shorter word is itself
_REMEMBERED = 1 << 11  # words of each language
_APOSTROPHES = ("'", "\u2019")
_DONE = re.compile(r"ée?s?$")
_THINGS = {"goods", "part", "unit", "user"}
_ENDINGS = {
    "es": {"", "s", "es", "a", "as", "o", "os", "e"},
    "it": {"", "a", "e", "i", "o", "he", "hi", "ia", "ie", "io", "co"},
}
_SINGULARS = {
    "it": (
        *(("che", "ca"), ("ghe", "ga"), ("chi", "co"), ("ghi", "go"), ("ce", "cia"), ("ge", "gia")),
        *(("e", "a"), ("i", "o"), ("i", "e"), ("i", "io")),
    ),
    "es": (("ces", "z"), ("ones", "ón"), ("es", ""), ("s", "")),
}
_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"))


@dataclass(frozen=True, slots=True)
class Sense:
    """What a form may mean: the pack's English (empty: nothing of goods), its role, by which beginnings of words in
    the sentence or straight before it is known, and whether the form is the usual one for it."""

    english: str
    role: str
    near: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    usual: bool = False

    @property
    def bound(self) -> bool:
        """Whether it is meant only beside certain words."""
        return bool(self.near or self.before)

    def meant(self, others: Sequence[str], before: str) -> bool:
        """Whether the words of the sentence, folded, tell that this is meant."""
        return before in self.before or any(word.startswith(self.near) for word in others if self.near)


Senses = tuple[Sense, ...]


class PlainSenses(dict[tuple[str, str, bool], Senses]):
    """The one sense of a form that is bound to no other word, by its row's English and role and whether it is usual."""

    def __missing__(self, key: tuple[str, str, bool]) -> Senses:
        english, role, usual = key
        found = self[key] = (Sense(english.removeprefix("-"), role, usual=usual),)
        return found


class Lexicon:
    """One language's forms, of up to `longest` words each.

    Forms and stems are kept as vocabularies: dictionaries of as many strings take five times the room. `same` holds
    senses once, `plain` those that are bound to no other word: a row has the same for its forms in all languages.
    """

    def __init__(self, language: str, rows: Iterable[LexiconRow], same: Same, plain: PlainSenses) -> None:
        self.language = language
        self._stemmer = Stemmer.Stemmer(STEMMERS[language], 0)
        exact: dict[str, Senses] = {}
        stems: dict[str, list[str]] = {}
        closed = set[str]()
        for row in rows:
            for place, form in enumerate(row.forms[language]):
                key = " ".join(words_of(form.written))
                senses = plain[row.english, row.role, not place]
                if form.near or form.before:
                    senses = (replace(senses[0], near=form.near, before=form.before),)
                exact[key] = same[(*exact[key], *senses)] if key in exact else senses
                if row.role == LINK:
                    closed.add(form.written.lower())
                elif key not in (alike := stems.setdefault(self._key(key), [])):
                    alike.append(key)
        self.closed = frozenset(closed)
        self.longest = max((key.count(" ") + 1 for key in exact), default=1)
        self._forms, self._senses = Vocabulary.of(list(exact)), list(exact.values())
        self._stems = Vocabulary.of(list(stems))
        self._ends = np.cumsum([0, *map(len, stems.values())]).astype(np.int32)
        places = {form: place for place, form in enumerate(exact)}
        self._alike = np.array([places[form] for forms in stems.values() for form in forms], dtype=np.int32)
        self.of = lru_cache(maxsize=_REMEMBERED)(self._of)

    def exact(self, written: str) -> Senses:
        """The senses of a form as it stands in the lexicon, in lower case."""
        place = self._forms.find(written)
        return () if place is None else self._senses[place]

    def _of(self, written: str) -> Senses:
        """The senses of a word, or of several with a space between them, in lower case; none where it is not known."""
        if found := self.exact(written):
            return (*found, *self._bound_singular(written, found))
        if singular := self._singular(written):
            return singular
        if nearest := self._stemmed(written):
            return nearest
        if found := self.exact(written.removesuffix("s")):  # "tissus": some plurals the stemmer leaves as they are
            return found
        for plain, umlaut in _UMLAUTS if self.language == "de" else ():
            if plain in written and (found := self.exact(written.replace(plain, umlaut))):
                return found
        return self._of_noun(written) if self.language == "pl" else ()

    def _of_noun(self, written: str) -> Senses:
        """The senses of the noun that an adjective is made of, as what describes; or of one whose end is softened."""
        for noun in nouns_described(written):
            if found := self.exact(noun):
                return tuple(replace(sense, role=PROPERTY) for sense in found)
        return next((found for noun in nouns_softened(written) if (found := self.exact(noun))), ())

    def _key(self, written: str) -> str:
        return " ".join(map(self._stem, written.split()))

    def _stem(self, word: str) -> str:
        if len(word) < _LEAST_STEMMED:
            return folded(word)
        done = "+" if self.language == "fr" and _DONE.search(word) else ""  # "moulé" is no "moule"
        return folded(str(self._stemmer.stemWord(word))) + done

    def _of_stem(self, written: str) -> list[str]:
        """The forms that have the stem of what is written."""
        place = self._stems.find(self._key(written))
        if place is None:
            return []
        return [self._forms.term(form) for form in self._alike[self._ends[place] : self._ends[place + 1]].tolist()]

    def _bound_singular(self, written: str, found: Senses) -> Senses:
        """The senses of a plural's singular that are bound to other words: "fils" is yarn, beside copper wire."""
        if len(written) < _LEAST_STEMMED or " " in written or found[0].role == LINK:
            return ()
        singular = (form for form in self._of_stem(written) if written.startswith(form))
        return tuple(sense for form in singular for sense in self.exact(form) if sense.bound and sense not in found)

    def _singular(self, written: str) -> Senses:
        """The senses of the words whose plural may be written so."""
        if len(written) < _LEAST_STEMMED:
            return ()
        ends = (pair for pair in _SINGULARS.get(self.language, ()) if written.endswith(pair[0]))
        found = (sense for many, one in ends for sense in self.exact(written.removesuffix(many) + one))
        return tuple(dict.fromkeys(sense for sense in found if sense.role != LINK))

    def _stemmed(self, written: str) -> Senses:
        if " " not in written and len(written) < _LEAST_STEMMED:
            return ()
        forms = self._of_stem(written)
        most = max((_alike(form, written) for form in forms), default=0)
        near = [form for form in forms if _alike(form, written) == most]
        senses = [sense for form in near for sense in self.exact(form) if self._may_mean(written, form, sense)]
        return tuple(dict.fromkeys(senses))

    def _may_mean(self, written: str, form: str, sense: Sense) -> bool:
        """Whether a word that shares a form's stem may have its sense: a thing is meant by its plural, not by every
        word that is made of it ("libre" is no "librería")."""
        if sense.role == LINK:
            return False
        if self.language not in _ENDINGS or (sense.role not in _THINGS and " " not in written):
            return True
        pairs = zip(folded(form).split(), folded(written).split(), strict=True)
        return all(_inflected(one, other, _ENDINGS[self.language]) for one, other in pairs)


def _inflected(one: str, other: str, ends: Container[str]) -> bool:
    """Whether two words differ in these endings alone."""
    begun = _alike(one, other)
    return one[begun:] in ends and other[begun:] in ends


def _alike(one: str, other: str) -> int:
    """How many letters two words begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def words_of(written: str) -> list[str]:
    """The words of a form in lower case, elided ones apart and without their apostrophe.

    >>> words_of("Huile d'olive")
    ['huile', 'd', 'olive']
    """
    lower = written.lower()
    if lower.isalpha():  # most are one word
        return [lower]
    return [token for token in tokens(lower) if not token.isspace() and token not in _APOSTROPHES]


@cache
def lexicons() -> Mapping[str, Lexicon]:
    """The lexicon that ships with the package, of each language that is read by its ISO 639-1 name; made once a
    process."""
    rows = read_lexicon()
    same, plain = Same(), PlainSenses()
    return {language: Lexicon(language, rows, same, plain) for language in STEMMERS}
