"""The General Rules of Interpretation that the goods call for, in legal order. The trap: citing a rule that decided
nothing; a rule is named only where the description shows what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pcs.engine.text import plain
from pcs.tariff.schedule import Node


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that applies: its number, and what it says of these goods."""

    number: str
    finding: str


_INCOMPLETE = re.compile(
    r"\b(unassembled|disassembled|flat[ -]?pack\w*|incomplete|unfinished|knocked[ -]down|ckd|skd)\b"
)
_SET = re.compile(
    r"\b(gift|starter|tool|travel|grooming|manicure|craft|combo|value)?[ -]?(set|kit)\b(?! of (?:screws|nails))"
)
_COMPOSITE = re.compile(r"\b(?:made of|consisting of|composed of|combined with|\d{1,2} ?%)\b")
_CASED = re.compile(r"\b(?:with|in|and)(?: \w+){0,3} (?:case|box|pouch|sheath|carrying case)\b")


def rules_for(text: str, path: tuple[Node, ...]) -> tuple[Rule, ...]:
    """The rules for goods described so whose line has this path, in legal order; 1 and 6 always decide."""
    said = plain(text)
    found = [Rule("1", "The terms of the heading and the notes decide first.")]
    if match := _INCOMPLETE.search(said):
        found.append(
            Rule("2(a)", f"The goods are {match.group().strip()}; they are classified as the complete article.")
        )
    if len(_COMPOSITE.findall(said)) > 1:
        found.append(
            Rule("2(b)", "More than one material is named; a reference to a material includes mixtures of it.")
        )
    if match := _SET.search(said):
        found.append(
            Rule(
                "3(b)",
                f'Put up as a "{match.group().strip()}", the whole follows the part that gives it its character.',
            )
        )
    if match := _CASED.search(said):
        found.append(Rule("5(a)", f'A fitted container ("{match.group().strip()}") is classified with what it holds.'))
    if any(step.is_residual for step in path):
        found.append(
            Rule("6", "Below the heading, named provisions of the same level were compared before the residual.")
        )
    else:
        found.append(Rule("6", "Below the heading, provisions of the same level were compared."))
    return tuple(found)
