"""What goods are packed in is classified with them (General Rule 5(b)): jam in glass jars goes to no heading of jars. The
trap: containers that are the goods; what is named before the packing must be something else."""

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
_STEMS = frozenset(
    stem(word)
    for word in "box boxes carton bag polybag blister pack packaging tin can jar bottle tube cup pouch sachet tub drum "
    "sack ampoule vial keg canister container lid cap label stopper".split()
)


def packing_in(said: str) -> str:
    """What the goods of a plain text are said to be packed in; empty where nothing is, or where a packing is the goods.

    >>> packing_in("jam in glass jar"), packing_in("hot sauce, 6 mini bottles"), packing_in("glass jars in a box")
    ('in glass jar', '6 mini bottles', '')
    """
    for pattern in (_IN, _COUNTED):
        for match in pattern.finditer(said):
            before = words(said[: match.start()])
            if before and _STEMS.isdisjoint(before):
                return match.group().strip()
    return ""
