"""Goods that two headings claim: General Rules 3 and 4. The trap: a set is not settled by its longest word; each of its
components is asked for its own heading, and what none of them decides goes to the last heading in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcs.engine.legal.rules import Rule
from pcs.engine.ranking.ranker import Query, RankedHeading
from pcs.engine.text import plain, words
from pcs.tariff.code import Code

_CLAIMS = 0.5  # a runner-up with half of the best heading's probability has a claim of its own
_EQUAL = 0.9  # components this near in probability do not decide
_UNNAMED = 0.2  # under this probability, with no word of any provision said, the goods are only akin to something
_MOST_COMPONENTS = 6
_LONGEST = 200  # characters in which components are looked for

_SET = re.compile(r"\b(?:sets?|kits?|bundles?|combos?|packs?|assortments?|hampers?)\b")
_LIST = re.compile(
    r"\s{0,9}(?:,|;|\+|&|\band\b|\bplus\b|\bwith\b|\bincluding\b|\bcomprising\b|\bconsisting of\b|:)\s{0,9}"
)
_COUNT = re.compile(r"^\W*\d+\s*(?:x|pcs?|pieces?|piece)?\s*")

HeadingOf = Callable[[str], tuple[Code, float] | None]


@dataclass(frozen=True)
class Settled:
    """The headings after the contest, the winner first, and the rule that decided between two, if one did."""

    ranked: tuple[RankedHeading, ...]
    rule: Rule | None = None


def settle(text: str, ranked: Sequence[RankedHeading], query: Query, heading_of: HeadingOf) -> Settled:
    """Settle a contest between the best heading and its runner-up; without one, leave the order as it is."""
    best = ranked[0]
    if _unnamed(best, query):
        akin = best.heading.code
        finding = f"No heading names goods in these terms; they are classified with the goods most akin, in {akin}."
        return Settled(tuple(ranked), Rule("4", finding))
    rival = next((found for found in ranked[1:2] if found.probability >= _CLAIMS * best.probability), None)
    if parts := components(text):
        return _settle_set(parts, ranked, rival, heading_of)
    if rival is not None:
        ours, theirs = (_covered(found, query) for found in (best, rival))
        if ours > theirs:
            finding = (
                f"Headings {best.heading.code.dotted} and {rival.heading.code.dotted} could both apply; the first is "
                f"the more specific: its terms match {ours:.0%} of the description, those of the second {theirs:.0%}."
            )
            return Settled(tuple(ranked), Rule("3(a)", finding))
    return Settled(tuple(ranked))


def components(text: str) -> tuple[str, ...]:
    """What a set is said to hold, two components or more; none where no set is spoken of or nothing is listed.

    >>> components("Gift set: ceramic mug, tea towel and 3 candles")
    ('ceramic mug', 'tea towel', 'candles')
    """
    said = plain(text[:_LONGEST]).strip()
    match = _SET.search(said)
    if match is None:
        return ()
    after = [_COUNT.sub("", part).strip(" .") for part in _LIST.split(said[match.end() :])]
    found = tuple(part for part in dict.fromkeys(after) if words(part))[:_MOST_COMPONENTS]
    return found if len(found) > 1 else ()


def _settle_set(
    parts: Sequence[str], ranked: Sequence[RankedHeading], rival: RankedHeading | None, heading_of: HeadingOf
) -> Settled:
    best = ranked[0]
    own = {part: found for part in parts if (found := heading_of(part)) is not None}
    ours = [(sure, part) for part, (code, sure) in own.items() if code == best.heading.code]
    theirs = [sure for code, sure in own.values() if rival is not None and code == rival.heading.code]
    if not ours:
        return Settled(tuple(ranked))
    sure, part = max(ours)
    if rival is None or not theirs or min(sure, max(theirs)) < _EQUAL * max(sure, *theirs):
        finding = f"Of the set's components ({', '.join(own)}) the {part} gives it its essential character."
        return Settled(tuple(ranked), Rule("3(b)", finding))
    if rival.probability < _EQUAL * best.probability:
        return Settled(tuple(ranked), Rule("3(b)", f"The {part} gives the set its essential character."))
    first, last = sorted((best, rival), key=lambda found: found.heading.code)
    finding = (
        f"Headings {first.heading.code.dotted} and {last.heading.code.dotted} equally merit consideration by the "
        "set's components; the last in numerical order applies."
    )
    order = (last, *(found for found in ranked if found is not last))
    return Settled(order, Rule("3(c)", finding))


def _covered(found: RankedHeading, query: Query) -> float:
    return float(np.max(query.overlap.covered[found.heading.start : found.heading.stop]))


def _unnamed(best: RankedHeading, query: Query) -> bool:
    """Whether no provision names the goods in any word of theirs, and the best heading is a weak guess."""
    return best.probability < _UNNAMED and not query.overlap.covered.any()
