"""Which headings come into question, by the engine's own ranking, and a search by it. The trap: the engine's answer
names lines of one or two headings; an assessment that sees no others can only agree."""

from __future__ import annotations

from functools import partial

from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.ranking.ranker import best_headings, read
from pcs.engine.searching import likely_places
from pcs.reviewer.law import Law
from pcs.tariff.code import Code

_MOST = 10


def evidence_of(product: Product, law: Law, method: Method) -> tuple[Law, tuple[Code, ...]]:
    """What an assessment of a product may look at: the law, searched by the method, and the likeliest headings."""
    return law.ranked_by(partial(likely_places, method=method)), headings_for(product, method)


def headings_for(product: Product, method: Method) -> tuple[Code, ...]:
    """The most probable headings, best first."""
    english = method.in_english(product)[0].product
    best = best_headings(read(english, method), method, most=_MOST)
    return tuple(method.headings[place].code for place, _ in best)
