"""One cleaning of text for everything that is compared: training, index and query. The trap: two cleanings that differ
by a hair make words that never meet."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import Stemmer  # PyStemmer: Snowball's own in C, kept by its authors; threads may share it, unlike that in Python

from pcs.base.text import normalized

LONGEST_TEXT = 10_000  # characters; the interface's limit on a description
MOST_WORDS = 400  # more than any description needs; bounds the time of a hostile one
LONGEST_WORD = 40  # letters; beyond it a word is a hash or an attack

_WORDS = 1 << 16  # whose stems are remembered, in 15 MB
_AT_ONCE = 32  # texts of one analysis, each of which is read several times

_TAGS = re.compile(r"<[^<>]{0,200}>")
_VULGAR = re.compile("(?<=\\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_JOINED = re.compile(r"\b([a-z])[ \-](shirt|strap|bolt|bar|nut|joint|clamp|cable|ring)(s?)\b")
_WORD = re.compile(r"[a-z]+[0-9]*[a-z]*|[0-9]{1,20}[a-z]+")
_COUNTRY = (
    r"(?:the )?(?:china|vietnam|taiwan|thailand|india|indonesia|mexico|canada|japan|(?:south )?korea|hong kong|italy"
    r"|germany|france|spain|pakistan|bangladesh|sri lanka|cambodia|philippines|malaysia|brazil|netherlands|israel"
    r"|united kingdom|great britain|england|(?:an )?unspecified country)"
)
# What officers write around the goods, and where these come from: it decides no code, and "china" may be porcelain.
_SAID_BY_OFFICERS = re.compile(
    r"\b(?:request for (?:a |an )?(?:binding )?ruling|(?:tariff )?classification|country of origin(?: marking)?"
    r"|usmca|nafta|determination|further review|eligibility|tariff shift|preferential (?:tariff )?treatment"
    r"|(?:affirmation|reconsideration|revocation|modification|status|applicability) of|protest|section (?:301|232)"
    r"|united states.mexico.canada (?:trade )?agreement|free trade agreement|(?:ny|hq|hrl) [a-z]?\d{5,6}"
    r"|19 cfr [\d.]+(?:\([a-z\d]+\))*"
    rf"|(?:from|(?:made|produced|manufactured|assembled) in) {_COUNTRY}(?:,? (?:or|and) {_COUNTRY})*)\b"
)
# A word of each of these, and of what _JOINED joins: a text without any is left as it is, which most are.
_CLEANED = frozenset(
    "request classification country usmca nafta determination further eligibility shift preferential affirmation "
    "reconsideration revocation modification status applicability protest section agreement ny hq hrl cfr china "
    "vietnam taiwan thailand india indonesia mexico canada japan korea kong italy germany france spain pakistan "
    "bangladesh lanka cambodia philippines malaysia brazil netherlands israel kingdom britain england "
    "unspecified".split()
) | {f"{word}{s}" for word in "shirt strap bolt bar nut joint clamp cable ring".split() for s in ("", "s")}
_FOR_WHAT = r"\b(?:for|compatible with|fits|fit for|suitable for|designed for)\b[^,.;|()\n]*"
_FOR = re.compile(_FOR_WHAT)
_PURPOSE = re.compile(
    rf"{_FOR_WHAT}"
    r"|\b(?:with|in) (?:\w+ ){0,3}(?:case|pouch|sheath|holster|carrying bag|storage bag|gift box)\b"
    r"|\b(?:packed|packaged|put up|bottled|canned|sold|supplied) in\b[^,.;|()\n]*"
)
# Stems of nouns that say nothing by themselves: what a machine or a kit is for says what it is.
_SAYS_NOTHING = frozenset(
    "machin machineri devic apparatus applianc instrument equip plant unit system assembl mechan element instal line "
    "tool kit prepar materi".split()
)
_STOP = frozenset(
    "a an the of and or for with without in on at to from by as is are be this that these those it its not but if "
    "such like other others than into per incl including etc also which whose who has have having can may used use "
    "their they there been being was were will your you our we more most all any each one new hot free pcs pc piece "
    "pieces lot style fashion quality high item product products goods article articles made "
    # what praises or advertises, and says nothing of what the goods are
    "collection edition limited exclusive official genuine authentic premium luxury deluxe signature essentials "
    "bestseller trending fashionable trendy stylish elegant beautiful cute lovely amazing popular wholesale "
    "dropshipping oem customized customised personalized personalised branded latest upgraded newest".split()
)
_VOWELS = frozenset("aeiouy")
_STEMMER = Stemmer.Stemmer("english", 0)  # keeps no words of its own: `stem` does


@lru_cache(maxsize=_AT_ONCE)
def plain(text: str) -> str:
    """Lower case, compatibility forms folded, accents and mark-up removed.

    >>> plain("<b>Crème</b> BRÛLÉE")
    ' creme  brulee'
    """
    shorter = text[:LONGEST_TEXT]
    if "<" in shorter:
        shorter = _TAGS.sub(" ", shorter)
    if shorter.isascii():
        return shorter.lower()
    shorter = shorter.replace("ß", "ss")
    apart = _VULGAR.sub(" ", shorter)  # 1½ is not 11/2
    decomposed = normalized(apart, "NFKD")[: 2 * LONGEST_TEXT]  # one sign may stand for a sentence
    return "".join(character for character in decomposed if not unicodedata.combining(character)).lower()


@lru_cache(maxsize=_WORDS)
def stem(word: str) -> str:
    """The stem of one plain word; words of three letters or fewer and words with digits stay."""
    if len(word) < 4 or not word.isalpha():
        return sys.intern(word)
    return sys.intern(str(_STEMMER.stemWord(word)))


def words(text: str) -> list[str]:
    """The stems that carry meaning, in order, at most MOST_WORDS of them.

    >>> words("Men's cotton T-Shirts, 2 pcs")
    ['men', 'cotton', 'tshirt']
    """
    return list(_stems(text))


@lru_cache(maxsize=_AT_ONCE)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in telling_words(text))


def telling_words(text: str) -> list[str]:
    """The plain words that carry meaning, in order, as they were said."""
    return [word for word in raw_words(text) if is_telling(word)]


def is_telling(word: str) -> bool:
    """Whether a plain word carries meaning."""
    return len(word) > 1 and word not in _STOP


@lru_cache(maxsize=_AT_ONCE)
def raw_words(text: str) -> tuple[str, ...]:
    """The plain words in order, stop words included, officers' formulas left out, at most MOST_WORDS."""
    spaced = " ".join(plain(text).split())
    found = _WORD.findall(spaced)
    if not _CLEANED.isdisjoint(found):
        found = _WORD.findall(_SAID_BY_OFFICERS.sub(" ", _JOINED.sub(r"\1\2\3", spaced)))
    return tuple(word[:LONGEST_WORD] for word in found[:MOST_WORDS])


@lru_cache(maxsize=_AT_ONCE)
def without_purpose(text: str) -> str:
    """The text without what the goods are for and what they come in, since "ear pads for headphones" are no headphones
    and a "flute with case" is no case.

    Where nothing else is left, or what is left ends in a word like "machine", the text as it was.

    >>> without_purpose("Ear pads for Bluetooth headphones, black")
    'ear pads , black'
    >>> without_purpose("Machine for peeling shrimps")
    'machine for peeling shrimps'
    """
    kept = _PURPOSE.sub("", plain(text))
    return kept if words(kept) and not says_nothing(kept) else plain(text)


def says_nothing(phrase: str) -> bool:
    """Whether a phrase ends in a noun that says nothing by itself: a machine, an apparatus, a kit."""
    return not _SAYS_NOTHING.isdisjoint(words(phrase)[-1:])


@lru_cache(maxsize=_AT_ONCE)
def purposes(text: str) -> tuple[str, ...]:
    """What the goods are said to be for, each with the word that begins it.

    >>> purposes("Ear pads for Bluetooth headphones, black")
    ('for bluetooth headphones',)
    """
    return tuple(match.group() for match in _FOR.finditer(plain(text)))


def goods_words(name: str, description: str) -> set[str]:
    """The stems of what may say what goods are: all but what they are for and what they come in.

    >>> goods_words("stuff", "for my cousin")
    {'stuff'}
    """
    return {*words(without_purpose(name)), *words(_PURPOSE.sub(" ", plain(description)))}


def skeleton(word: str) -> str | None:
    """The first letter and the consonants after it, doubles once: what shop systems leave of a word.

    >>> skeleton("conditioner"), skeleton("cndtnr")
    ('cndtnr', 'cndtnr')
    """
    if len(word) < 3 or not word.isalpha():
        return None
    kept = [word[0]]
    for letter in word[1:]:
        if letter not in _VOWELS and letter != kept[-1]:
            kept.append(letter)
    return "".join(kept) if len(kept) > 1 else None


def word_terms(text: str) -> list[str]:
    """Stems and pairs of neighbouring stems."""
    stems = words(text)
    return stems + [f"{first}_{second}" for first, second in pairwise(stems)]


def skeletons(word: str) -> tuple[str, ...]:
    """The skeleton of one plain word, where it has one."""
    kept = skeleton(word)
    return () if kept is None else (kept,)


def letter_runs(word: str) -> tuple[str, ...]:
    """Runs of three to five letters of one word and its two edges: they meet misspelt and compound words."""
    return tuple(_each_run(f" {word} "))


def _each_run(edged: str) -> Iterator[str]:
    for length in (3, 4, 5):
        for start in range(len(edged) - length + 1):
            yield edged[start : start + length]
