"""One cleaning of text for everything that is compared: training, index and query. The trap: two cleanings that differ
by a hair make words that never meet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import snowballstemmer  # Snowball's own Python package: the reference stemmers, kept by their authors.

LONGEST_TEXT = 10_000  # characters; the interface's limit on a description
MOST_WORDS = 700  # more than any description needs; bounds the time of a hostile one

_TAGS = re.compile(r"<[^<>]{0,200}>")
_JOINED = re.compile(r"\b([a-z])[ \-]?(shirt|strap|bolt|bar|nut|joint|clamp|cable|ring)(s?)\b")
_WORD = re.compile(r"[a-z]+[0-9]*[a-z]*|[0-9]+[a-z]+")
_STOP = frozenset(
    "a an the of and or for with without in on at to from by as is are be this that these those it its not but if "
    "such like other others than into per incl including etc also which whose who has have having can may used use "
    "their they there been being was were will your you our we more most all any each one new hot free pcs pc piece pieces "
    "lot style fashion quality high item product products goods article articles made".split()
)
_STEMMER = snowballstemmer.stemmer("english")


def plain(text: str) -> str:
    """Lower case, compatibility forms folded, accents and mark-up removed.

    >>> plain("<b>Crème</b> BRÛLÉE")
    ' creme  brulee'
    """
    shorter = _TAGS.sub(" ", text[:LONGEST_TEXT])
    decomposed = unicodedata.normalize("NFKD", shorter.replace("ß", "ss"))
    return "".join(character for character in decomposed if not unicodedata.combining(character)).lower()


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of one plain word; words of three letters or fewer and words with digits stay."""
    if len(word) < 4 or not word.isalpha():
        return word
    return str(_STEMMER.stemWord(word))


def words(text: str) -> list[str]:
    """The stems that carry meaning, in order, at most MOST_WORDS of them.

    >>> words("Men's cotton T-Shirts, 2 pcs")
    ['men', 'cotton', 'tshirt']
    """
    joined = _JOINED.sub(r"\1\2\3", plain(text))
    return list(_take(MOST_WORDS, (stem(word) for word in _WORD.findall(joined) if _carries(word))))


def _carries(word: str) -> bool:
    return len(word) > 1 and word not in _STOP


def _take(most: int, items: Iterable[str]) -> Iterator[str]:
    for _, item in zip(range(most), items, strict=False):
        yield item
