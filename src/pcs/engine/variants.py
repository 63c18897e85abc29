"""Variants: goods whose words differ in size, colour or number alone, and the fact by which their codes may differ.

The trap: a size that does decide (a pipe of 300 mm and one of 500 mm, black tea and green tea). What differs between
two variants is therefore held against the words in which their lines differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pcs.engine.reading.quantities import DIMENSIONS, Quantity, quantities
from pcs.engine.text import LONGEST_TEXT, plain
from pcs.tariff.schedule import PATH_SEPARATOR

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019.,/\u00d7-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_COLOURS = frozenset(
    "black white red blue green yellow orange purple pink brown grey gray beige navy turquoise teal maroon burgundy "
    "magenta cyan indigo khaki crimson scarlet violet fuchsia multicolor multicolour multicolored multicoloured".split()
)
_SHADES = frozenset("light dark pale bright deep neon pastel off royal sky dusty".split())
_SIZES = frozenset("xxs xs s m l xl xxl xxxl xxxxl small medium large".split())
_SIZE_WORDS = frozenset(
    "size sizes gr grosse taille talla taglia maat colour color colours colors eu us uk no nr pcs pc pack packs set of "
    "x".split()
)
_UNITS = frozenset(
    "mm cm m km in inch inches ft feet g kg mg lb lbs oz ml cl dl l ltr liter liters litre litres w kw v mah ah gb tb "
    "mb pcs pc piece pieces pack packs set sets pair pairs x".split()
)
VARYING_ATTRIBUTES = frozenset("size sizes colour color colours colors number quantity pack pack_size variant".split())
"""Names of attributes that say of which variant goods are."""


@dataclass(frozen=True, slots=True)
class Worded:
    """What goods are called without their traits, and these: sizes, colours, numbers, in the order said."""

    form: str
    traits: tuple[str, ...]


@dataclass(frozen=True)
class Coded:
    """Goods in their own words, and the official words, from the heading down, of the code that they got."""

    text: str
    description: str

    @cached_property
    def worded(self) -> Worded:
        """The goods without their traits, and these."""
        return worded(self.text)


@lru_cache(maxsize=256)
def worded(text: str) -> Worded:
    """Goods without size, colour and number. Takes linear time.

    >>> worded("Men's T-shirt, navy blue, size M") == worded("Men's T-shirt, red, size M")
    False
    >>> worded("Men's T-shirt, navy blue, size M").form
    "men's t shirt"
    >>> worded("Steel pipe 406 mm x 6 m").form, worded("Pack of 3 socks, EU 39-42").form, worded("LED light").form
    ('steel pipe', 'socks', 'led light')
    """
    tokens = [part for token in _TOKEN.findall(plain(text[:LONGEST_TEXT])) for part in _parts(token)]
    roles = list(_varying(tokens))
    return Worded(
        " ".join(token for token, varies in zip(tokens, roles, strict=True) if not varies),
        tuple(token for token, varies in zip(tokens, roles, strict=True) if varies),
    )


def _parts(token: str) -> Iterable[str]:
    """A word with a digit in it is one number (a model's, a size's); others are told apart by their hyphens."""
    return (token,) if any(map(str.isdigit, token)) else _PART.findall(token)


def _varying(tokens: list[str]) -> Iterator[bool]:
    """Of each word whether it tells variants apart, by itself or beside a number or a colour."""
    after_number = False
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        number = any(map(str.isdigit, token))
        beside = after_number and token in _UNITS
        introduces = token in _SIZE_WORDS and (_tells(following) or following in _SIZE_WORDS)
        shade = token in _SHADES and following in _COLOURS
        yield number or beside or introduces or shade or token in _COLOURS or token in _SIZES
        after_number = number or (beside and token in {"x", "pack", "packs", "set"})


def _tells(token: str) -> bool:
    return any(map(str.isdigit, token)) or token in _SIZES or token in _COLOURS


def deciding_fact(one: Coded, other: Coded) -> str | None:
    """What sets two variants apart of which the words of their lines speak, in words; None where there is nothing.

    >>> pipes = ("Tubes of iron > Exceeding 406.4 mm in diameter", "Tubes of iron > Other")
    >>> deciding_fact(Coded("Pipe 500 mm", pipes[0]), Coded("Pipe 300 mm", pipes[1]))
    '500 mm and 300 mm, where the tariff says “Exceeding 406.4 mm in diameter”'
    >>> deciding_fact(Coded("Pipe 500 mm", pipes[0]), Coded("Pipe 450 mm", pipes[1])) is None
    True
    """
    steps = [*_differing(one.description, other.description), *_differing(other.description, one.description)]
    for step in steps:
        told = _by_quantity(one.text, other.text, step) or _by_word(one.worded, other.worded, step)
        if told:
            return f"{told}, where the tariff says “{step}”"
    return None


def _differing(one: str, other: str) -> list[str]:
    """The steps of a path that the other does not share."""
    shared = set(other.split(PATH_SEPARATOR))
    return [step for step in one.split(PATH_SEPARATOR) if step not in shared]


def _by_quantity(one: str, other: str, step: str) -> str | None:
    """Two measures of one dimension, of which one lies within what a step says and the other does not."""
    for limit in quantities(step):
        mine, theirs = (_of_dimension(text, limit.dimension) for text in (one, other))
        told = [each for each in mine if _within(each, limit)], [each for each in theirs if _within(each, limit)]
        if mine and theirs and bool(told[0]) != bool(told[1]):
            return f"{_said(one, (told[0] or mine)[0])} and {_said(other, (told[1] or theirs)[0])}"
    return None


def _of_dimension(text: str, dimension: str) -> list[Quantity]:
    assert dimension in DIMENSIONS
    return [each for each in quantities(text) if each.dimension == dimension]


def _within(said: Quantity, limit: Quantity) -> bool:
    return said.within(limit)


def _said(text: str, quantity: Quantity) -> str:
    return plain(text)[quantity.start : quantity.end].strip()


def _by_word(one: Worded, other: Worded, step: str) -> str | None:
    """A colour or a number that only one has, and that a step names."""
    named = {part for token in _TOKEN.findall(plain(step)) for part in _parts(token)} - _SIZE_WORDS - _UNITS
    mine = [trait for trait in one.traits if trait not in other.traits]
    theirs = [trait for trait in other.traits if trait not in one.traits]
    if not named.intersection((*mine, *theirs)):
        return None
    return f"{' '.join(mine) or 'nothing'} and {' '.join(theirs) or 'nothing'}"
