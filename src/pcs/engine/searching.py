"""Where goods of a few words may be, by the engine's ranking. The trap: a ranking always has a first; of words that the
engine does not know it would be an accident, so there is none."""

from __future__ import annotations

from collections.abc import Iterator

from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.ranking.doubt import known_share
from pcs.engine.ranking.ranker import best_headings, rank, read
from pcs.tariff.code import Code

_HEADINGS = 10
_WITH_LINES = 4  # headings of which a search names the likeliest subheading and line


def likely_places(text: str, method: Method, *, worth: float = 0.0) -> list[Code]:
    """Codes where goods of a text may be: of the best headings the likeliest subheading and line, then other headings.

    Headings that are less likely than `worth` times the best are left out; of a text without a known word all are.
    """
    return list(dict.fromkeys(_places(Product(text), method, worth)))


def _places(product: Product, method: Method, worth: float) -> Iterator[Code]:
    query = read(method.in_english(product)[0].product, method)
    if not known_share(query, method):
        return
    best = best_headings(query, method, most=_HEADINGS)
    ranked = rank(query, method, best[:_WITH_LINES])
    lines = {found.heading.code: found.heading.codes[found.place] for found in ranked}
    for place, probability in best:
        heading = method.headings[place].code
        if probability < worth * best[0][1]:
            return
        yield from (lines[heading].subheading, lines[heading]) if heading in lines else (heading,)
