"""What a text denies: "not electric", "without frame", "sugar-free", "other than of leather". The trap: a word after
"not" that denies nothing ("not more than 2 kg", "whether or not printed", "non-stick", "No. 5"), and a scope that runs
on into what is affirmed; it ends at the comma, the next preposition or the coordinated noun."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pcs.engine.reading.substances import FAMILIES
from pcs.engine.text import MOST_WORDS, is_telling, plain, raw_words, stem

DENIED = "!"  # before the stem of a word that is denied
BOUNDARY = "/"  # between two phrases

_AT_ONCE = 64
_MOST_SCOPE = 3  # words that one negation reaches, and as many again for each coordinated noun
_TOKEN = re.compile(r"[a-z]+|[0-9]+(?:[.,][0-9]+)*|\n|[^\sa-z0-9]")
_BREAKS = re.compile(r"[,;:|()\n]|\b(?:with|for|in|and|or|from|plus|by)\b")
# "used tyres" are second-hand, what is "used for cutting" may be new.
_USED = re.compile(r"^\s{0,9}used(?=$| (?!(?:for|in|to|as|by|on|with|when|at|only|mainly|from|under)\b)[a-z0-9])")
# Words that questions have another word for, as its stem; of goods they say the same.
ALIKE = {
    "wooden": "wood",
    "woollen": "wool",
    "woolen": "wool",
    "silken": "silk",
    "television": "tv",
    "televisions": "tv",
}
_TELLING = frozenset("hot high new piece pieces".split())
_NEGATORS = frozenset(
    "not no cannot without non except excluding excludes excl neither nor never lacking minus w/o".split()
)
_WIDE = frozenset("without except excluding excludes excl neither nor lacking".split())  # "and" goes on with these
# Passed over right after the negator: "not made of", "not in the form of", "without any".
_PASSED = frozenset(
    "of made from in for with containing having being the a an any its to be been put up form yet further otherwise "
    "added suitable intended designed itself been fitted equipped provided including".split()
)
_ENDS = frozenset(
    "with for of in on at by from as is are was were be to than which that it its this these has have having but "
    "and or nor while when if only made used use can may will also weighing measuring whether per including "
    "contains containing plus under over into without not no".split()
)
_JOINS = frozenset("or nor and".split())
# What goods are without is named by these alone: "no added sugar orange squash" is of orange.
_WHOLE = frozenset(
    "sugar sugars salt alcohol caffeine gluten lactose dairy pulp grain grains nicotine perfume fragrance msg "
    "preservative preservatives sweetener sweeteners sweetners additives parabens sulfates sulphates silicone "
    "battery batteries".split()
)
# What follows "not", "no" or "non" in words that deny nothing of what the goods are.
_DENIES_NOTHING = frozenset(
    "exceeding more less over under above below greater smaller later earlier fewer only just limited elsewhere "
    "specified included include includes including necessarily applicable available least longer exceed exceeds "
    "matter problem worries doubt need needs required minimum maximum one other others "
    "included supplied yet known suitable recommended intended "
    # said as one word with "non" or "no"
    "woven wovens stick slip skid return iron show contact sew tie touch invasive pilling fading".split()
)
_FREE = re.compile(
    r"\b([a-z]{3,})(?: |-)free\b(?! (?:shipping|delivery|gift|gifts|size|returns?|post|standing|range|"
    r"style|samples?|of|from|to|with)\b)"
)
_FREE_OF_NOTHING = frozenset(
    "hands hand duty tax care toll get for and the wrinkle cruelty risk worry hassle stress royalty trouble rent one "
    "feel completely absolutely totally all fat maintenance".split()
)
_NEXT_WORD = re.compile(r"\s{1,4}[a-z]{3,}")
_FREE_OF = re.compile(r"\bfree (?:of|from)\b")
_UN = re.compile(r"un([a-z]{3,}(?:ed|en|ht|wn|orn))")
_UN_WORDS = frozenset(
    "united unified unspecified unlisted undersized untitled unlimited unleaded uniformed unwanted "
    "unbranded untied uncured unseen".split()
)
_TRACE = re.compile(
    r"\b(?:not|no|cannot|without|non|except|exclud|neither|nor|never|lacking|minus|w/o|other\s+than|free|un[a-z]|[a-z]{1,40}less)"
)
_LESS = re.compile(r"(sleeve|bone|seed|skin|strap|collar|hood|seam|frame|lid|pit|stone)less")


@dataclass(frozen=True, slots=True)
class Denial:
    """A denied stretch of a plain text: from where its negation begins to its end; `what` is what it denies, `bound`
    whether the two make one word ("non-alcoholic", "sugar-free"), which names goods as any other word does; what is
    free of a material is not named by it ("leather-free")."""

    start: int
    end: int
    what: str
    bound: bool = False


@lru_cache(maxsize=_AT_ONCE)
def denials(text: str) -> tuple[Denial, ...]:
    """What a text denies, in order and apart from each other. Positions are those of `plain(text)`.

    >>> [denial.what for denial in denials("toothbrush, not electric, without case or stand, not over 1 kg")]
    ['electric', 'case or stand']
    """
    if not may_deny(text):
        return ()
    said = plain(text)
    tokens = list(_TOKEN.finditer(said))
    found, place = list[Denial](), 0
    while place < len(tokens):
        denial, place = _denial(said, tokens, place)
        if denial is not None:
            found.append(denial)
    return _apart([*found, *_free(said)])


def may_deny(text: str) -> bool:
    """Whether a text has any trace of a denial; most have none, and need not be looked at closely."""
    return _TRACE.search(plain(text)) is not None


def affirmed(text: str) -> str:
    """The text in plain letters without what it denies; where nothing is denied, the text as it was.

    >>> affirmed("Toothbrush, not electric")
    'toothbrush,  '
    """
    spans = [span for span in denials(text) if not span.bound]
    if not spans:
        return text
    said, kept, place = plain(text), list[str](), 0
    for span in spans:
        kept.append(said[place : span.start])
        place = span.end
    return " ".join([*kept, said[place:]])


def signed_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, those denied with DENIED before them.

    >>> signed_words("coffee, not decaffeinated")
    ('coffe', '!decaffein')
    """
    return tuple(word for word in signed_phrases(text) if word != BOUNDARY)


@lru_cache(maxsize=_AT_ONCE)
def signed_phrases(text: str) -> tuple[str, ...]:
    """The same with BOUNDARY between phrases: no name goes on over a comma or a preposition.

    >>> signed_phrases("hacksaw with blade")
    ('hacksaw', '/', 'blade')
    """
    said, place, found = plain(text), 0, list[str]()
    for span in denials(text):
        found += _phrases(said[place : span.start])
        found += (opposite(_signed(word)) for word in _telling(span.what))
        place = span.end
    found += _phrases(said[place:])
    return tuple(found[:MOST_WORDS])


def _telling(said: str) -> Iterator[str]:
    """The words that carry meaning in a phrase; a few that shops say of everything decide there ("hot rolled")."""
    return (word for word in raw_words(said) if word in _TELLING or is_telling(word))


def _phrases(said: str) -> Iterator[str]:
    for place, phrase in enumerate(_BREAKS.split(said)):
        if place:
            yield BOUNDARY
        yield from map(_signed, _telling(_USED.sub("second hand", phrase) if "used" in phrase else phrase))


def opposite(signed: str) -> str:
    """The same stem, denied where it was affirmed and affirmed where it was denied."""
    return signed[1:] if signed.startswith(DENIED) else DENIED + signed


def _signed(word: str) -> str:
    if word.startswith("un") and word not in _UN_WORDS and (match := _UN.fullmatch(word)):
        return DENIED + stem(match[1])
    if word.endswith("less") and (match := _LESS.fullmatch(word)):
        return DENIED + stem(match[1])
    return ALIKE.get(word) or stem(word)


def _denial(said: str, tokens: list[re.Match[str]], place: int) -> tuple[Denial | None, int]:
    """The denial that begins at this token, and the token after it."""
    word = tokens[place].group()
    first = _after_negator(tokens, place, word)
    if first is None:
        return None, place + 1
    most = 1 if word == "non" or (word == "not" and first == place + 1) else _MOST_SCOPE
    end = _scope_end(tokens, first, most, wide=word in _WIDE)
    if end == first:
        return None, place + 1
    start, stop = tokens[first].start(), tokens[end - 1].end()
    return Denial(tokens[place].start(), stop, said[start:stop], bound=word == "non"), end


def _after_negator(tokens: list[re.Match[str]], place: int, word: str) -> int | None:
    """Where what is denied begins, None where nothing is."""
    first = place + 1
    if word == "other":
        if [match.group() for match in tokens[first : first + 1]] != ["than"]:
            return None
        first = place + 2
    elif word not in _NEGATORS or _either_way(tokens, place) or _is_name_of(tokens, place):
        return None
    following = [match.group() for match in tokens[first : first + 1]]
    if following == ["-"] and word in {"non", "no"}:
        first += 1
    while first < len(tokens) and tokens[first].group() in _PASSED:
        first += 1
    if first >= len(tokens):
        return None
    head = tokens[first].group()
    return None if not head.isalpha() or head in _DENIES_NOTHING else first


def _either_way(tokens: list[re.Match[str]], place: int) -> bool:
    """Whether it is "or not", "or without", which denies nothing."""
    return place > 0 and tokens[place - 1].group() == "or" and tokens[place].group() in {"not", "without"}


def _is_name_of(tokens: list[re.Match[str]], place: int) -> bool:
    """Whether it is the "minus" of "pH minus", which is a preparation."""
    return place > 0 and (tokens[place - 1].group(), tokens[place].group()) == ("ph", "minus")


def _scope_end(tokens: list[re.Match[str]], first: int, most: int, *, wide: bool) -> int:
    """The token after the last denied one, of at most so many words and as many for each that is joined to them."""
    place, left = first, most
    while place < len(tokens):
        word = tokens[place].group()
        if word in _JOINS and place > first and _joined(tokens, place, wide=wide):
            left = most
        elif not left or word in _ENDS or not (word.isalpha() or word == "-"):
            break
        else:
            left = 0 if word in _WHOLE else left - word.isalpha()
        place += 1
    return place


def _joined(tokens: list[re.Match[str]], place: int, *, wide: bool) -> bool:
    """Whether the word after a conjunction is denied too."""
    following = tokens[place + 1].group() if place + 1 < len(tokens) else ""
    if not following.isalpha() or following in _ENDS:
        return False
    return tokens[place].group() != "and" or wide


def _free(said: str) -> list[Denial]:
    found = [
        Denial(match.start(), match.end(), match[1], bound=(stem(match[1]),) not in FAMILIES)
        for match in _FREE.finditer(said)
        if match[1] not in _FREE_OF_NOTHING
    ]
    for match in _FREE_OF.finditer(said):
        rest = _NEXT_WORD.match(said, match.end())
        if rest:
            found.append(Denial(match.start(), rest.end(), rest.group().strip()))
    return found


def _apart(found: list[Denial]) -> tuple[Denial, ...]:
    """In order, without any that overlaps one before it."""
    ordered = sorted(found, key=lambda denial: (denial.start, -denial.end))
    overlapping = {later for earlier, later in pairwise(ordered) if later.start < earlier.end}
    return tuple(denial for denial in ordered if denial not in overlapping)
