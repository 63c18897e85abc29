"""The words of one language: from what is written to the senses it may have. Exact letters come before stems, stems
before letters without accents. The trap: a stem that two words share ("Küchen", "Kuchen"); of those the form that
begins most like the word is meant.

It is made once for each version of the pack and then lies in mapped arrays, as the vocabulary does: made at each
opening it took a third of that, and tens of megabytes in each process."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt
import Stemmer  # PyStemmer: Snowball's own in C

from pcs.engine.arrays import Arrays
from pcs.engine.languages.letters import folded, tokens
from pcs.engine.languages.polish import nouns_described, nouns_softened
from pcs.engine.retrieval.by_term import ByTerm
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.tariff.starter.lexicon.rows import LINK, PROPERTY, SAYS_NOTHING, LexiconRow, read_lexicon

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
_USUAL = "usual"
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


@dataclass(frozen=True, eq=False)
class Lexicon:
    """One language's forms, of up to `longest` words each, and its small words, which join others.

    `meant` is each form's place in `senses`, which holds each different one once, as `_written` writes it; `alike` are
    the places of the forms of each stem.
    """

    language: str
    forms: Vocabulary
    meant: npt.NDArray[np.int32]
    senses: Vocabulary
    alike: ByTerm
    links: Vocabulary
    longest: int

    @classmethod
    def from_rows(cls, language: str, rows: Iterable[LexiconRow]) -> Self:
        """What these rows say of a language."""
        meant: dict[str, str] = {}
        stems: dict[str, list[str]] = {}
        links = dict[str, None]()
        for row in rows:
            for place, form in enumerate(row.forms[language]):
                key = " ".join(words_of(form.written))
                said = Sense(row.english.removeprefix(SAYS_NOTHING), row.role, form.near, form.before, usual=not place)
                meant[key] = f"{meant[key]}\n{_written(said)}" if key in meant else _written(said)
                if row.role == LINK:
                    links[form.written.lower()] = None
                elif key not in (alike := stems.setdefault(_key(key, language), [])):
                    alike.append(key)
        places = {form: place for place, form in enumerate(meant)}
        senses = {written: place for place, written in enumerate(dict.fromkeys(meant.values()))}
        return cls(
            language=language,
            forms=Vocabulary.of(list(meant)),
            meant=np.array([senses[written] for written in meant.values()], dtype=np.int32),
            senses=Vocabulary.of(list(senses)),
            alike=ByTerm.of({stem: [places[form] for form in forms] for stem, forms in stems.items()}),
            links=Vocabulary.of(list(links)),
            longest=max((key.count(" ") + 1 for key in meant), default=1),
        )

    def arrays(self) -> Arrays:
        """As plain arrays, to be stored."""
        name = f"lexicon.{self.language}"
        return {
            **self.forms.arrays(f"{name}.forms"),
            **self.senses.arrays(f"{name}.senses"),
            **self.alike.arrays(f"{name}.alike"),
            **self.links.arrays(f"{name}.links"),
            f"{name}.meant": self.meant,
            f"{name}.longest": np.array([self.longest]),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, language: str) -> Self:
        """What `arrays()` stored of a language."""
        name = f"lexicon.{language}"
        return cls(
            language=language,
            forms=Vocabulary.from_arrays(arrays, f"{name}.forms"),
            meant=arrays[f"{name}.meant"],
            senses=Vocabulary.from_arrays(arrays, f"{name}.senses"),
            alike=ByTerm.from_arrays(arrays, f"{name}.alike"),
            links=Vocabulary.from_arrays(arrays, f"{name}.links"),
            longest=int(arrays[f"{name}.longest"][0]),
        )

    @cached_property
    def closed(self) -> frozenset[str]:
        """The small words, in lower case."""
        return frozenset(map(self.links.term, range(len(self.links))))

    @cached_property
    def of(self) -> Callable[[str], Senses]:
        """The senses of a word, or of several with a space between them, in lower case; none where it is not known. Of
        words that are said again and again they are remembered."""
        return lru_cache(maxsize=_REMEMBERED)(self._of)

    def exact(self, written: str) -> Senses:
        """The senses of a form as it stands in the lexicon, in lower case."""
        place = self.forms.find(written)
        return () if place is None else _senses(self.senses.term(int(self.meant[place])))

    def _of(self, written: str) -> Senses:
        """The senses of a word, or of several with a space between them, in lower case; none where it is not known."""
        if found := self.exact(written):
            return (*found, *self._bound_singular(written, found))
        return self.inflected(written)

    def inflected(self, written: str) -> Senses:
        """The senses of a word that does not stand in the lexicon as it is written; none where it is not known."""
        if singular := self._singular(written):
            return singular
        if nearest := self._stemmed(written):
            return nearest
        if written.endswith("s") and (found := self.exact(written.removesuffix("s"))):  # "tissus" has no other stem
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

    def _of_stem(self, written: str) -> list[str]:
        """The forms that have the stem of what is written."""
        return list(map(self.forms.term, self.alike.of_term(_key(written, self.language)).tolist()))

    def _bound_singular(self, written: str, found: Senses) -> Senses:
        """The senses of a plural's singular that are bound to other words: "fils" is yarn, beside copper wire."""
        if len(written) < _LEAST_STEMMED or " " in written or found[0].role == LINK:
            return ()
        singular = (form for form in self._of_stem(written) if written.startswith(form))
        return tuple(sense for form in singular for sense in self.exact(form) if sense.bound and sense not in found)

    def _singular(self, written: str) -> Senses:
        """The senses of the words whose plural may be written so."""
        if len(written) < _LEAST_STEMMED or self.language not in _SINGULARS:
            return ()
        ends = (pair for pair in _SINGULARS[self.language] if written.endswith(pair[0]))
        found = (sense for many, one in ends for sense in self.exact(written.removesuffix(many) + one))
        return tuple(dict.fromkeys(sense for sense in found if sense.role != LINK))

    def _stemmed(self, written: str) -> Senses:
        if " " not in written and len(written) < _LEAST_STEMMED:
            return ()
        if not (forms := self._of_stem(written)):
            return ()
        most = max(_alike(form, written) for form in forms)
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


def _written(sense: Sense) -> str:
    """A sense on one line, as `_senses` reads it."""
    usual = _USUAL if sense.usual else ""
    return "|".join((sense.english, sense.role, " ".join(sense.near), " ".join(sense.before), usual))


@lru_cache(maxsize=_REMEMBERED)
def _senses(written: str) -> Senses:
    """The senses that stand on these lines."""
    fields = (line.split("|") for line in written.split("\n"))
    return tuple(
        Sense(english, role, tuple(near.split()), tuple(before.split()), bool(usual))
        for english, role, near, before, usual in fields
    )


def _key(written: str, language: str) -> str:
    """The stems of a form's words."""
    if " " not in written:
        return _stem(written, language)
    return " ".join(_stem(word, language) for word in written.split())


def _stem(word: str, language: str) -> str:
    if len(word) < _LEAST_STEMMED:
        return folded(word)
    done = "+" if language == "fr" and _DONE.search(word) else ""  # "moulé" is no "moule"
    return folded(str(_stemmer(language).stemWord(word))) + done


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(STEMMERS[language], 0)


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
    """The lexicons that ship with the package, by the ISO 639-1 names of their languages; made once a process."""
    rows = read_lexicon()
    return {language: Lexicon.from_rows(language, rows) for language in STEMMERS}
