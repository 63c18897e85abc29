"""Which headings come into question, by the engine's own ranking. The trap: the engine's answer names lines of one or
two headings; a review that sees no others can only agree."""

from __future__ import annotations

from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.ranking.ranker import heading_scores, read, shared_shares
from pcs.tariff.code import Code

_MOST = 10


def headings_for(product: Product, method: Method) -> tuple[Code, ...]:
    """The most probable headings, best first."""
    query = read(product, method)
    best = (-heading_scores(query, method, shared_shares(query, method))).argsort(kind="stable")[:_MOST]
    return tuple(method.headings[int(place)].code for place in best)
