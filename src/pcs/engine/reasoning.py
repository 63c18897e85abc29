"""The reasoning in plain English, built from what the analysis found and nothing else. The trap: a fluent sentence
about something that did not happen; every sentence here needs its finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pcs.engine.facts import Answered
from pcs.engine.legal.exclusions import Excluded
from pcs.engine.legal.rules import Rule
from pcs.engine.product import Product
from pcs.engine.result import Alternative, CitedRuling, percent
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Node

_INNER_QUOTES = str.maketrans('"\u201c\u201d', "'\u2018\u2019")  # within quotes that are double
_MOST_QUOTED = 160  # characters of the product's own words


@dataclass(frozen=True)
class Findings:
    """What an analysis found: all that the reasoning may speak of."""

    product: Product
    revision: Revision
    path: tuple[Node, ...]
    shared: tuple[str, ...]
    facts: tuple[Answered, ...]
    rules: tuple[Rule, ...]
    excluded: tuple[Excluded, ...]
    parts: str | None
    alternatives: tuple[Alternative, ...]
    rulings: tuple[CitedRuling, ...]
    questions: tuple[str, ...]
    confidence: float
    heading_confidence: float


def reasoning(found: Findings) -> str:
    """80 to 250 words: the goods, the provisions level by level, the rules, the runner-up, the doubt, the revision."""
    return " ".join(_sentences(found))


def divergence(chosen: Sequence[Node], other: Sequence[Node]) -> str:
    """What separates another line from the chosen one: the first level at which their paths part."""
    for ours, theirs in zip(chosen, other, strict=False):
        if ours.index != theirs.index:
            return f'It would be "{_short(theirs.text)}" rather than "{_short(ours.text)}".'
    return "It lies on the same path."


def _sentences(found: Findings) -> Iterator[str]:
    line = found.path[-1]
    goods = found.product.name.strip()
    yield f'The goods are described as "{goods[:_MOST_QUOTED]}{"..." if len(goods) > _MOST_QUOTED else ""}".'
    yield from _levels(found)
    yield from (f"GRI {rule.number}: {rule.finding}" for rule in found.rules)
    yield from (excluded.finding for excluded in found.excluded)
    if found.parts:
        yield found.parts
    if found.alternatives:
        other = found.alternatives[0]
        yield f"The closest alternative is {other.code.dotted}. {other.separated_by}"
    yield from (f"Ruling {ruling.reference} covers similar goods: {ruling.subject}." for ruling in found.rulings[:2])
    if found.questions:
        yield f"Open, and could change the answer: {' '.join(found.questions[:2])}"
    yield (
        f"The confidence is {percent(found.heading_confidence)} for the heading and {percent(found.confidence)} for "
        f"the whole code {line.code.dotted if line.code else ''}, under revision {found.revision.name} of "
        f"{found.revision.schedule}."
    )


def _levels(found: Findings) -> Iterator[str]:
    coded = [node for node in found.path if node.code and len(node.code) >= 4]
    heading = coded[0]
    yield f'Heading {heading.code} covers "{_short(heading.text)}".'
    if found.shared:
        yield f"Matched terms: {', '.join(found.shared[:8])}."
    below = dict.fromkeys(
        node.text for node in found.path[found.path.index(heading) + 1 :] if node.text != heading.text
    )
    if below:
        steps = ", then ".join(f'"{_short(text)}"' for text in below)
        yield f"Below it, the path is {steps}."
    for fact in found.facts:
        if fact.contradicting:
            said = " and as ".join(fact.said[:2])
            yield f'The fact "{fact.question.name}" was stated as {said}, which lead to different codes.'
        elif fact.said:
            said = ", ".join(fact.said[:2])
            decides = f"it decides the subdivision of {fact.question.scope}"
            yield f'The fact "{fact.question.name}" was stated ({said}); {decides}.'


def _short(text: str, most: int = 110) -> str:
    plain = text.rstrip(" :;").translate(_INNER_QUOTES)
    return plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0] + " ..."
