"""Composition by shares: goods of several fibres count as made of the one that predominates by weight (Section XI note
2(A)). The trap: a share of something else, such as 20 % off; only shares of fibres are read, and only where two or more
are given."""

from __future__ import annotations

import re

from pcs.engine.text import plain

_FIBRES = (
    "cotton|polyester|polyamide|nylon|acrylic|modacrylic|polypropylene|elastane|spandex|lycra|viscose|rayon|modal|"
    "lyocell|tencel|cupro|acetate|triacetate|bamboo|wool|merino|lambswool|cashmere|mohair|alpaca|angora|silk|linen|flax|"
    "hemp|ramie|jute|metallic|lurex|polyurethane"
)
_SHARE = rf"(?P<before>\d{{1,3}}(?:[.,]\d+)?) ?% ?(?:[a-z]+ )?(?P<named>{_FIBRES})\b"
_TURNED = rf"\b(?P<first>{_FIBRES}):? ?(?P<after>\d{{1,3}}(?:[.,]\d+)?) ?%"
_ANY = re.compile(rf"{_SHARE}|{_TURNED}")
_LEFT_OVER = re.compile(r"(?:\s{0,9}(?:,|/|&|\+|\band\b|\bwith\b)){1,9}\s{0,9}(?=[,.;)\n]|$)")


def predominant(text: str) -> str:
    """The text without the fibres that do not predominate, where two or more shares are given; else as it was.

    >>> predominant("shirt, 60% cotton 40% polyester")
    'shirt, 60% cotton '
    """
    said = plain(text)
    found = list(_ANY.finditer(said))
    names = {match["named"] or match["first"] for match in found}
    if len(found) < 2 or len(names) < 2:
        return text
    most = max(_share(match) for match in found)
    kept = next(match for match in found if _share(match) == most)
    for match in reversed(found):
        if match is not kept and (match["named"] or match["first"]) != (kept["named"] or kept["first"]):
            said = said[: match.start()] + said[match.end() :]
    return _LEFT_OVER.sub("", said)


def _share(match: re.Match[str]) -> float:
    return float((match["before"] or match["after"]).replace(",", "."))
