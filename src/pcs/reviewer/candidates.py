"""Which headings come into question, by the engine's own ranking, and a search by it. The trap: the engine's answer
names lines of one or two headings; an assessment that sees no others can only agree."""

from __future__ import annotations

from collections.abc import Iterator

from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.ranking.ranker import best_headings, rank, read
from pcs.reviewer.law import Law
from pcs.tariff.code import Code

_MOST = 10
_WITH_LINES = 4  # headings of which a search names the likeliest line


def evidence_of(product: Product, law: Law, method: Method) -> tuple[Law, tuple[Code, ...]]:
    """What an assessment of a product may look at: the law, searched by the method, and the likeliest headings."""
    return law.ranked_by(lambda text: list(_places(Product(text), method))), headings_for(product, method)


def headings_for(product: Product, method: Method) -> tuple[Code, ...]:
    """The most probable headings, best first."""
    english = method.in_english(product)[0].product
    best = best_headings(read(english, method), method, most=_MOST)
    return tuple(method.headings[place].code for place, _ in best)


def _places(product: Product, method: Method) -> Iterator[Code]:
    """Headings, the likeliest first, and after each of the first its likeliest line."""
    query = read(method.in_english(product)[0].product, method)
    lines = {found.heading.code: found.heading.codes[found.place] for found in rank(query, method, most=_WITH_LINES)}
    for place, _ in best_headings(query, method, most=_MOST):
        heading = method.headings[place].code
        yield heading
        if heading in lines:
            yield lines[heading]
