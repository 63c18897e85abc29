"""What goods are made of, by the part that is of it: outer, lining, sole, blade, lid, packing. The trap: a handbag of
leather with a cotton lining is not of leather and cotton; what a part is of is said of that part alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from pcs.engine.reading.polarity import affirmed
from pcs.engine.reading.substances import FAMILIES, LONGEST, SYNONYMS, is_kind_of
from pcs.engine.text import plain, stem

MAIN = "main"
_AT_ONCE = 64

# Word -> slot. What is outermost is what goods are of: "outer" answers for the goods, as the goods' own material does.
_SLOTS = {
    **dict.fromkeys("outer outside exterior shell face surface body outershell".split(), "outer"),
    **dict.fromkeys("upper uppers vamp".split(), "upper"),
    **dict.fromkeys("sole soles outsole outsoles".split(), "sole"),
    **dict.fromkeys("lining lined liner inner inside interior linings insole insoles".split(), "lining"),
    **dict.fromkeys("filling filled stuffing stuffed fill padding padded".split(), "filling"),
    **dict.fromkeys("frame frames framed".split(), "frame"),
    **dict.fromkeys("blade blades".split(), "blade"),
    **dict.fromkeys("handle handles grip grips handled".split(), "handle"),
    **dict.fromkeys("lid lids cap caps stopper".split(), "lid"),
    **dict.fromkeys("back backing backed base".split(), "backing"),
    **dict.fromkeys("strap straps band".split(), "strap"),
    **dict.fromkeys("trim trims trimmed trimming decoration decorated collar cuffs".split(), "trim"),
    **dict.fromkeys("coating coated covering covered laminated plated".split(), "coating"),
    **dict.fromkeys("legs leg feet stand".split(), "legs"),
    **dict.fromkeys("top tabletop".split(), "top"),
    **dict.fromkeys("zipper zip zippers buckle buttons button clasp hardware".split(), "fastening"),
}
PACKING = "packing"
_PACKING = frozenset(
    "case box carton pouch bottle jar packing packaging pack sleeve tin can sachet bag polybag wrapper drum".split()
)
SLOTS = frozenset(_SLOTS.values()) | {MAIN, PACKING}
_JOINS = frozenset("and or & / +".split())
_SAID_OF = frozenset("of is are in made from with by".split())  # "outer surface of leather", "lined with cotton"
_BETWEEN = frozenset("surface material materials fabric shell part the a an made".split())  # passed over between them
_NO_NOUN = _SAID_OF | _JOINS
_THE_WHOLE = 95.0  # percent: sellers round
_MOST = 40  # materials that are read; each is compared with the others of its part
_FORGOTTEN = 3  # words after which a part is no longer spoken of
_MOSTLY = frozenset("mostly mainly predominantly primarily chiefly principally".split())
_SOME = frozenset("some little trace traces touch".split())
_TOKEN = re.compile(r"[a-z]+(?:'s)?|\d{1,3}(?:[.,]\d+)? ?%|[:,;.()\n/|+&-]")
_CLAUSE = frozenset(":,;.()\n|")
_STOPS = frozenset(";.\n|()")


@dataclass(frozen=True, slots=True)
class Material:
    """A material: its family and its own stems, the part it is of, its share in percent where it was said, and where
    its name stands in the affirmed plain text; `lesser` where another was said to predominate."""

    family: str
    stems: tuple[str, ...]
    slot: str = MAIN
    share: float | None = None
    lesser: bool = False
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class _Found:
    """A material while its slot is looked for; positions are those of its first and after its last token."""

    family: str
    stems: tuple[str, ...]
    first: int
    after: int
    slot: str | None = None
    share: float | None = None
    mostly: bool = False
    some: bool = False


@lru_cache(maxsize=_AT_ONCE)
def materials(text: str) -> tuple[Material, ...]:
    """The materials that a text affirms, in order, each with its slot.

    >>> [(m.family, m.slot) for m in materials("handbag, outer surface of cow leather, cotton lining")]
    [('leather', 'outer'), ('cotton', 'lining')]
    """
    matches = list(_TOKEN.finditer(plain(affirmed(text))))
    tokens = [match.group() for match in matches]
    found = list(islice(_named(tokens), _MOST))
    _by_what_comes_after(tokens, found)
    _by_what_comes_before(tokens, found)
    _by_with(tokens, found)
    _shares(tokens, found)
    return _settled(found, matches)


def share_of(found: Iterable[Material], substance: str) -> float | None:
    """The percentage that a material is of goods whose composition is told; 0 where others are the whole of it, None
    where it cannot be known.

    >>> share_of(materials("socks, 80% wool 15% nylon 5% elastane"), "elastane")
    5.0
    """
    names = SYNONYMS.get(substance, {substance})
    stems = {tuple(stem(word) for word in name.split()) for name in names}
    told = [each for each in found if each.share is not None and each.slot in {MAIN, "outer", "upper"}]
    ours = [each for each in told if each.stems in stems or is_kind_of(each.family, substance)]
    if ours:
        return sum(each.share or 0.0 for each in ours)
    known = any(name in FAMILIES for name in stems)
    return 0.0 if known and sum(each.share or 0.0 for each in told) >= _THE_WHOLE else None


def _named(tokens: list[str]) -> Iterator[_Found]:
    stems = [stem(token) for token in tokens]
    place = 0
    while place < len(tokens):
        for length in range(min(LONGEST, len(tokens) - place), 0, -1):
            name = tuple(stems[place : place + length])
            if name in FAMILIES:
                yield _Found(FAMILIES[name], name, place, place + length)
                place += length
                break
        else:
            place += 1


@dataclass(slots=True)
class _Spoken:
    """The part that is spoken of, whether what follows says what it is of, and how many words have passed since."""

    slot: str | None = None
    ready: bool = False
    passed: int = 0

    def meet(self, word: str) -> None:
        """Take the next word that names no material."""
        if word in _SLOTS:
            self.slot, self.ready, self.passed = _SLOTS[word], word.endswith("ed"), 0
        elif word in _STOPS:
            self.slot, self.ready = None, False
        elif word == ":" or word in _SAID_OF:
            self.ready = self.slot is not None and (word != "with" or self.ready)
        elif word.isalpha() and word not in _BETWEEN:
            self.passed += 1
            self.ready = self.ready and self.passed < _FORGOTTEN


def _by_what_comes_before(tokens: list[str], found: list[_Found]) -> None:
    """Give slots by "uppers of leather", "outer: wool", "lined with cotton": a slot holds to the end of its clause."""
    names = {material.first: material for material in found}
    inside = {place for material in found for place in range(material.first, material.after)}
    spoken = _Spoken()
    for place, word in enumerate(tokens):
        if place in names and spoken.ready and names[place].slot is None:
            names[place].slot = spoken.slot
        elif word == "," and not _alone(tokens, names.get(place + 1)):
            spoken = _Spoken()
        elif place not in inside:
            spoken.meet(word)


def _alone(tokens: list[str], material: _Found | None) -> bool:
    """Whether a material stands in a list, with no noun after it that it could be of."""
    if material is None:
        return False
    after = tokens[material.after : material.after + 1]
    return not after or not after[0].isalpha() or after[0] in _JOINS


def _by_what_comes_after(tokens: list[str], found: list[_Found]) -> None:
    """Give slots by "cotton lining", "stainless steel blade": the slot's word follows, at most one word between."""
    for material in found:
        if material.slot is None:
            for place in range(material.after, min(material.after + 2, len(tokens))):
                if not tokens[place].isalpha() or tokens[place] in _SAID_OF or tokens[place] in _JOINS:
                    break
                if tokens[place] in _SLOTS:
                    material.slot = _SLOTS[tokens[place]]
                    break


def _by_with(tokens: list[str], found: list[_Found]) -> None:
    """Give slots by "with leather patch", "in a cardboard box": a material before another noun after "with" is of that
    noun, and after "in" of the packing."""
    begun = ""
    names = {material.first: material for material in found}
    for place, token in enumerate(tokens):
        if token in {"with", "in"}:
            begun = token
        elif token in _CLAUSE:
            begun = ""
        elif place in names and begun and names[place].slot is None:
            after = names[place].after
            following = tokens[after] if after < len(tokens) else ","
            if begun == "in" and following in _PACKING:
                names[place].slot = PACKING
            elif begun == "with" and following.isalpha() and following not in _NO_NOUN:
                names[place].slot = stem(following)


def _shares(tokens: list[str], found: list[_Found]) -> None:
    for material in found:
        around = tokens[max(material.first - 2, 0) : material.first]
        around = around[max((n + 1 for n, token in enumerate(around) if token in _CLAUSE), default=0) :]
        share = next((token for token in reversed(around) if token.endswith("%")), None)
        behind = tokens[material.after : material.after + 2]
        if share is None and (not behind or behind[0] not in _CLAUSE - {":"}):
            share = next((token for token in behind if token.endswith("%")), None)
            after = tokens[material.after + 2 : material.after + 3] if share in behind[1:] else behind[1:2]
            if share and after and any(other.first == material.after + 1 for other in found):
                share = None  # "cotton 40% polyester 60%" gives each its own
        material.share = float(share.rstrip(" %").replace(",", ".")) if share else None
        material.mostly = any(token in _MOSTLY for token in around)
        material.some = any(token in _SOME for token in around)


def _settled(found: list[_Found], matches: list[re.Match[str]]) -> tuple[Material, ...]:
    """Each with its slot; where shares or "mostly" say which of a slot predominates, the others are lesser."""
    settled = []
    for material in found:
        slot = material.slot or MAIN
        rivals = [other for other in found if (other.slot or MAIN) == slot and other is not material]
        lesser = material.some or any(other.mostly for other in rivals if not material.mostly)
        if material.share is not None:
            ours = _sum(material, [material, *rivals])
            lesser |= any(_sum(other, [material, *rivals]) > ours for other in rivals)
        start, end = matches[material.first].start(), matches[material.after - 1].end()
        settled.append(Material(material.family, material.stems, slot, material.share, lesser, start, end))
    return tuple(settled)


def _sum(material: _Found, among: list[_Found]) -> float:
    """The share of all that is of the same family: fibres of one kind are added (Section XI, Subheading note 2(B))."""
    return sum(other.share or 0.0 for other in among if is_kind_of(other.family, material.family))
