"""A product in the English that the engine reads: sentence by sentence, longest phrase first, each word in the sense
that its sentence tells, in English order; what no lexicon has, such as a brand, stays as it is.

The trap: one English for a name that is a word of several languages; each reading of it is whole, and all are
compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from pcs.base.languages import language_names
from pcs.engine.languages.compounds import LINKS, LOSSES, Splitter
from pcs.engine.languages.detection import ENGLISH, Detection
from pcs.engine.languages.letters import english_number, folded, tokens
from pcs.engine.languages.lexicon import Lexicon, Senses
from pcs.engine.languages.others import foreign_script, other_language
from pcs.engine.languages.phrases import SIGN, UNKNOWN, Piece, in_english_order
from pcs.engine.languages.senses import Chooser
from pcs.engine.product import Product
from pcs.tariff.starter.lexicon.rows import LINK, PROPERTY, READ

_BETWEEN = re.compile(r"((?<=[.;:!?])\s{1,9}|\n\s{0,9}|(?<=\s)[-\u2013|/]\s{1,9})")
_AROUND = 30  # words before and after a form that may tell its sense
_AT_ONCE = 8  # products whose readings are kept: who asks for one schedule asks for the other
_UNITS = frozenset("lgmvhkx")  # letters that stand for one after a number; others are small words there, such as "e"
_IN_FORMS = frozenset("-.%")  # signs that forms have
_NEAR = 4  # words between which a joining word may stand
_NO_SPACE_BEFORE = re.compile(r" (?=[.,;:!?%)\]])|(?<=[(\[]) ")


@dataclass(frozen=True, slots=True)
class InEnglish:
    """A product as the engine reads it, and the language that most of it was in; `unread` names a language in which
    it is and that is not read."""

    product: Product
    language: str = ENGLISH
    unread: str | None = None


class Languages:
    """The lexicons of all languages that are read, `known` by their ISO 639-1 names. `commonness` tells how often the
    pack's English says a word."""

    def __init__(self, known: Mapping[str, Lexicon], commonness: Callable[[str], float]) -> None:
        splitters = {language: Splitter(known[language]) for language in LINKS}
        chooser = Chooser(commonness)
        self._detection = Detection(known, splitters, commonness)
        self._renderings = {
            language: _Rendering(lexicon, splitters.get(language), chooser) for language, lexicon in known.items()
        }
        self.readings = lru_cache(maxsize=_AT_ONCE)(self._readings)

    def _readings(self, product: Product) -> tuple[InEnglish, ...]:
        """The product in English, the likeliest reading first: more than one where a word or two are several languages
        at once. Linear in the length of what was said."""
        if product.language in READ:
            return (self._in_one(product, product.language),)
        if product.language:
            return (InEnglish(product, product.language, language_names().get(product.language, product.language)),)
        if unread := foreign_script(product.text):
            return (InEnglish(product, "und", unread),)
        if other := other_language(product.text, self._detection.knows):
            return (InEnglish(product, "und", other),)
        if not product.description:
            open_to = self._detection.open_to(product.name)
            return tuple(self._in_one(product, language) for language in open_to)
        return (InEnglish(product) if self._detection.is_english(product.text) else self._by_sentence(product),)

    def _in_one(self, product: Product, language: str) -> InEnglish:
        if language == ENGLISH:
            return InEnglish(product)
        rendered = self._renderings[language].of
        name, description = (
            "".join(map(rendered, _BETWEEN.split(text))) for text in (product.name, product.description)
        )
        return InEnglish(replace(product, name=name, description=description), language)

    def _by_sentence(self, product: Product) -> InEnglish:
        whole = self._detection.points(product.text)
        found = list[str]()
        texts = []
        for text in (product.name, product.description):
            pieces = []
            for sentence in _BETWEEN.split(text):
                language = self._detection.language(sentence, whole) if sentence.strip() else ENGLISH
                found += [language] * len(sentence.split())
                pieces.append(sentence if language == ENGLISH else self._renderings[language].of(sentence))
            texts.append("".join(pieces))
        return InEnglish(replace(product, name=texts[0], description=texts[1]), _most(found))


class _Rendering:
    """How sentences of one language are put into English."""

    def __init__(self, lexicon: Lexicon, splitter: Splitter | None, chooser: Chooser) -> None:
        self._lexicon, self._splitter, self._chooser = lexicon, splitter, chooser
        self._losses = LOSSES.get(lexicon.language, {})

    def of(self, sentence: str) -> str:
        """The sentence in English; what has no letter and no number, as it is."""
        if not any(map(str.isalnum, sentence)):
            return sentence
        said = [token for token in tokens(sentence) if not token.isspace()]
        pieces = in_english_order(self._pieces(said), self._lexicon.language)
        return _NO_SPACE_BEFORE.sub("", " ".join(piece.whole for piece in pieces if piece.english))

    def _pieces(self, said: Sequence[str]) -> list[Piece]:
        others = tuple(map(folded, said))
        units = list(self._units(said, others))
        found = list[Piece]()
        for place, unit in enumerate(units):
            if isinstance(unit, Piece):
                found.append(unit)
                continue
            near = [*_last_word(found[-_NEAR:]), *_next_words(units[place + 1 : place + 1 + _NEAR])]
            sense = self._chooser.choose(unit.senses, unit.others, unit.before, near)
            found.append(Piece(sense.english, sense.role, unit.written))
        return found

    def _units(self, said: Sequence[str], others: Sequence[str]) -> Iterator[Piece | _Form]:
        place = 0
        while place < len(said):
            size, senses = (1, ()) if _is_unit(said, place) else self._longest(said, place)
            around = others[max(place - _AROUND, 0) : place + _AROUND]
            if senses:
                before = said[place - 1].lower() if place else ""
                yield _Form(" ".join(said[place : place + size]).lower(), senses, around, before)
            else:
                yield from self._unlisted(said[place], around)
            place += size

    def _longest(self, said: Sequence[str], place: int) -> tuple[int, Senses]:
        """How many words from here are a form, and its senses."""
        if not said[place][0].isalpha():
            return 1, ()
        ahead = said[place : place + self._lexicon.longest]
        for size in range(len(list(takewhile(_may_stand_in_a_form, ahead))), 0, -1):
            if senses := self._lexicon.of(" ".join(said[place : place + size]).lower()):
                return size, senses
        return 1, ()

    def _unlisted(self, token: str, others: Sequence[str]) -> Iterator[Piece]:
        if not token[0].isalpha():
            yield Piece(english_number(token), SIGN)
            return
        parts = [part for part in token.lower().split("-") if part]
        found = self._split(token.lower().replace("-", ""), others)
        if found is None and len(parts) > 1:
            found = [piece for part in parts for piece in self._part(part, others)]
        yield from found or [Piece(token, UNKNOWN, token.lower())]

    def _part(self, part: str, others: Sequence[str]) -> list[Piece]:
        """A part of a word with hyphens."""
        if senses := self._lexicon.of(part):
            sense = self._chooser.choose(senses, others)
            return [Piece(sense.english, sense.role, part)]
        return self._split(part, others) or [Piece(part, UNKNOWN, part)]

    def _split(self, word: str, others: Sequence[str]) -> list[Piece] | None:
        """A compound as one piece; None where it is not one."""
        if self._splitter is None:
            return None
        for ending, loss in self._losses.items():
            if word.endswith(ending) and (what := self._denied(word.removesuffix(ending).removesuffix("s"), others)):
                return [Piece(loss.format(what), PROPERTY, word)]
        members = self._splitter.split(word)
        if not members:
            return None
        around = [*others, *(folded(member) for member, _ in members)]
        told = list[str]()
        for place, (member, senses) in enumerate(members):
            near = [*told[-1:], *(sense.english for _, after in members[place + 1 : place + 2] for sense in after)]
            told.append(self._chooser.choose(senses, around, near=near).english if senses else member)
        head = members[-1][1]
        role = next((sense.role for sense in head if sense.english == told[-1]), UNKNOWN)
        return [Piece(" ".join(told), role, word)]

    def _denied(self, word: str, others: Sequence[str]) -> str:
        senses = self._lexicon.of(word)
        return self._chooser.choose(senses, others).english if senses else ""


@dataclass(frozen=True, slots=True)
class _Form:
    """A form in a sentence with its senses, the words around it, folded, and the one before it."""

    written: str
    senses: Senses
    others: Sequence[str]
    before: str


def _may_stand_in_a_form(token: str) -> bool:
    """Whether a form of several words may go on with this; none goes on over a comma."""
    return token[0].isalnum() or token in _IN_FORMS


def _is_unit(said: Sequence[str], place: int) -> bool:
    """Whether a letter is the unit of the number before it or stands between two: "1 l" is no article, "450 °C" no
    elided word, and in "80 x 72" nothing is for 72."""
    if len(said[place]) != 1 or not place:
        return False
    return said[place - 1] == "°" or (said[place].lower() in _UNITS and said[place - 1][-1].isdigit())


def _most(found: Sequence[str]) -> str:
    """The language that stands most often, the first of equals; English where there is none."""
    return max(dict.fromkeys(found), key=found.count, default=ENGLISH)


def _last_word(found: Sequence[Piece]) -> list[str]:
    """The English of the nearest word of goods before; none beyond a sign."""
    for piece in reversed(found):
        if piece.role == SIGN:
            break
        if piece.role != LINK and piece.english:
            return [piece.english]
    return []


def _next_words(units: Sequence[Piece | _Form]) -> list[str]:
    """What the nearest word of goods after may be in English; nothing beyond a sign."""
    for unit in units:
        if isinstance(unit, Piece):
            return [] if unit.role == SIGN else [unit.english]
        if told := [sense.english for sense in unit.senses if sense.role != LINK and sense.english]:
            return told
    return []
