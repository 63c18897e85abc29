"""The General Rules of Interpretation that the goods call for, in legal order. The trap: citing a rule that decided
nothing; a rule is named only where the description shows what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pcs.engine.legal.composition import predominant
from pcs.engine.legal.packing import CONTAINERS, packing_in
from pcs.engine.product import Product
from pcs.engine.reading.polarity import affirmed
from pcs.engine.text import plain
from pcs.tariff.schedule import Node


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that applies: its number, and what it says of these goods."""

    number: str
    finding: str


_INCOMPLETE = re.compile(
    r"\b(unassembled|disassembled|flat[ -]?pack\w*|incomplete|unfinished|semi[ -]?finished|knocked[ -]down|ckd|skd"
    r"|blanks|to be assembled|for self[ -]assembly|without (?:engine|motor|wheels|saddle|movement))\b"
)
_CASED = re.compile(r"\b(?:with|in|and)(?: \w+){0,3} (?:case|pouch|sheath|scabbard|holster|etui)\b")


def rules_for(product: Product, path: tuple[Node, ...], contest: Rule | None = None) -> tuple[Rule, ...]:
    """The rules for goods whose line has this path, in legal order; 1 and 6 always decide, `contest` is
    the one of 3 and 4 that settled a contest between headings."""
    said = plain(affirmed(product.text))
    found = [Rule("1", "The terms of the heading and the notes decide first.")]
    if match := _INCOMPLETE.search(said):
        found.append(
            Rule("2(a)", f"The goods are {match.group().strip()}; they are classified as the complete article.")
        )
    if any(predominant(text) != text for text in (product.name, product.description)):
        finding = "Of the fibres named, the one that predominates by weight decides (Section XI note 2(A))."
        found.append(Rule("2(b)", finding))
    if contest:
        found.append(contest)
    if (match := _CASED.search(said)) and not _is_a_container(path):
        found.append(Rule("5(a)", f'A fitted container ("{match.group().strip()}") is classified with what it holds.'))
    if (packing := packing_in(said)) and not _is_a_container(path):
        found.append(Rule("5(b)", f'The packing ("{packing}") is classified with the goods.'))
    if any(step.is_residual for step in path):
        found.append(
            Rule("6", "Below the heading, named provisions of the same level were compared before the residual.")
        )
    else:
        found.append(Rule("6", "Below the heading, provisions of the same level were compared."))
    return tuple(found)


def _is_a_container(path: tuple[Node, ...]) -> bool:
    """Whether the goods went to a heading of containers: then the container is the goods."""
    return any(node.code and node.code[:4] in CONTAINERS for node in path)
