"""Goods that two headings claim: General Rules 3 and 4. The trap: a set is not settled by its longest word; each of its
components is asked for its own heading, and what none of them decides goes to the last heading in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pcs.engine.legal.rules import Rule
from pcs.engine.ranking.ranker import Query, RankedHeading
from pcs.engine.text import plain, words
from pcs.tariff.code import Code

_CLAIMS = 0.5  # a runner-up with half of the best heading's probability has a claim of its own
_EQUAL = 0.9  # headings of components this near in probability have equal claims
_MORE = 0.05  # share of what was said by which one heading's terms must meet more than another's to be more specific
_FAR_MORE = 0.5  # by which a runner-up's terms must; less than that, and the order was right more often than not
_UNNAMED = 0.2  # under this probability, with no word of any provision said, the goods are only akin to something
_LIKELIER_RIGHT = 0.5  # probability of a heading from which a component is named as the one of essential character
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
        return _settle_set(parts, ranked, heading_of)
    return Settled(tuple(ranked)) if rival is None else _more_specific(ranked, rival)


def _more_specific(ranked: Sequence[RankedHeading], rival: RankedHeading) -> Settled:
    """Rule 3(a): of two that are near, the one whose terms meet more of what was said; far more turns the order."""
    best = ranked[0]
    ours, theirs = (found.covered for found in (best, rival))
    if theirs - ours >= _FAR_MORE:
        order = (rival, *(found for found in ranked if found is not rival))
        return Settled(order, _specific(rival, best, theirs, ours))
    if ours - theirs >= _MORE:
        return Settled(tuple(ranked), _specific(best, rival, ours, theirs))
    return Settled(tuple(ranked))


def _specific(winner: RankedHeading, other: RankedHeading, ours: float, theirs: float) -> Rule:
    finding = (
        f"Headings {winner.heading.code.dotted} and {other.heading.code.dotted} could both apply; the first is the "
        f"more specific: its terms match {ours:.0%} of the description, those of the second {theirs:.0%}."
    )
    return Rule("3(a)", finding)


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


def _settle_set(parts: Sequence[str], ranked: Sequence[RankedHeading], heading_of: HeadingOf) -> Settled:
    """Rules 3(b) and 3(c): the whole goes with the component that it is described most like; of equals, to the last."""
    own = {part: found[0] for part in parts if (found := heading_of(part)) is not None}
    claims = [found for found in ranked if found.heading.code in own.values()]
    best = ranked[0]
    if len(own) < 2 or not claims or claims[0] is not best:
        return Settled(tuple(ranked))
    equal = [found for found in claims if found.probability >= _EQUAL * best.probability]
    if len(equal) == 1:
        part = next(part for part, code in own.items() if code == best.heading.code)
        finding = f"Of the set's components ({', '.join(own)}) the {part} gives it its essential character."
        if best.probability < _LIKELIER_RIGHT:
            finding = (
                f"Which of the set's components ({', '.join(own)}) gives it its essential character is not said; "
                f"the {part} is only the likeliest."
            )
        return Settled(tuple(ranked), Rule("3(b)", finding))
    last = max(equal, key=lambda found: found.heading.code)
    named = " and ".join(sorted(found.heading.code.dotted for found in equal))
    finding = (
        f"Headings {named} equally merit consideration by the set's components; the last in numerical order applies."
    )
    return Settled((last, *(found for found in ranked if found is not last)), Rule("3(c)", finding))


def _unnamed(best: RankedHeading, query: Query) -> bool:
    """Whether no provision names the goods in any word of theirs, and the best heading is a weak guess."""
    return best.probability < _UNNAMED and not query.covered.any()
