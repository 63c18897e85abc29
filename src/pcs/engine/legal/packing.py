"""What goods are packed in is classified with them (General Rule 5(b)): jam in glass jars goes to no heading of jars.
The trap: containers that are the goods; what is named before the packing must be something else."""

from __future__ import annotations

import re

from pcs.engine.text import stem, words

# Of leather, plastics, wood, paper, textiles, glass, iron, aluminium: what is made to hold other goods.
CONTAINERS = frozenset("3923 4202 4415 4416 4819 6305 7010 7309 7310 7311 7611 7612 7613".split())
PACKINGS = CONTAINERS - {"4202"}
"""Those of what goods are sold in."""

_HOLDS = (
    r"(?:box(?:es)?|cartons?|bags?|polybags?|blisters?(?: packs?)?|packs?|packaging|tins?|cans?|jars?|bottles?|tubes?"
    r"|cups?|pouch(?:es)?|sachets?|wrap|tubs?|drums?|sacks?|ampoules?|vials?|kegs?|canisters?)\b"
)
_IN = re.compile(rf"\b(?:(?:packed|packaged|put up|supplied|sold) )?in(?: \w+){{0,3}} {_HOLDS}")
_COUNTED = re.compile(rf"\b(?:set of )?\d{{1,4}}(?: ?x)?(?: (?:mini|small|large|glass|plastic|big))? {_HOLDS}")
_OUTRIGHT = re.compile(r"\b(?:packed|packaged|put up|supplied|sold|retail|gift|display|printed|individual)\b")
_STEMS = frozenset(
    stem(word)
    for word in "box boxes carton bag polybag blister pack packaging tin can jar bottle tube cup pouch sachet tub drum "
    "sack ampoule vial keg canister container lid cap label stopper".split()
)


def packing_in(said: str) -> str:
    """What the goods of a plain text are said to be packed in, themselves a packing or not; empty where nothing is.

    >>> packing_in("jam in glass jar"), packing_in("plastic box, packed in a box"), packing_in("glass jars in a rack")
    ('in glass jar', 'packed in a box', '')
    """
    outright = (match for match in _IN.finditer(said) if _OUTRIGHT.search(match.group()))
    found = _of_other_goods(said) or next(outright, None)
    return found.group().strip() if found else ""


def are_packed(said: str) -> bool:
    """Whether goods of a plain text that are no packing themselves are said to be in one.

    >>> are_packed("hot sauce, 6 mini bottles"), are_packed("glass jars in a box")
    (True, False)
    """
    return _of_other_goods(said) is not None


def _of_other_goods(said: str) -> re.Match[str] | None:
    """The packing of goods that are named before it; before a second one stands the first, which is a packing."""
    found = (match for pattern in (_IN, _COUNTED) if (match := pattern.search(said)))
    return next((match for match in found if _other_goods(said[: match.start()])), None)


def _other_goods(before: str) -> bool:
    """Whether what stands before a packing names goods, and none that hold others."""
    named = words(before)
    return bool(named) and _STEMS.isdisjoint(named)
