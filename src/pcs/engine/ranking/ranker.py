"""Headings first, then the lines of the best of them. The trap: comparing lines of different headings directly; same-
level comparison only, and a line's probability is its heading's times its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pcs.engine.facts import Answered
from pcs.engine.method import UNKNOWN, Classes, HeadingLines, Method
from pcs.engine.product import Product
from pcs.engine.ranking.choice import EVIDENCE, ChoiceWeights, softmax
from pcs.engine.ranking.deciding import AGAINST_HEADING, answers_decide, decided
from pcs.engine.ranking.seen import AskedLines, Seen, seen
from pcs.engine.ranking.shared import UNSEEN
from pcs.engine.ranking.treaty import best, laid_over, shares, together
from pcs.engine.reading.reading import Reading
from pcs.engine.retrieval.precedents import Near, votes
from pcs.engine.retrieval.provisions import Overlap
from pcs.engine.retrieval.votes import Votes
from pcs.engine.text import words
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

Floats = npt.NDArray[np.float64]

MOST_RANKED = 6
"""Headings whose lines are looked at."""
_WORTH_LINES = 0.02  # of the best heading's probability: under it no line of a heading is shown or chosen
_TEMPERATURE = 0.4  # scores to rough probabilities; the confidence is calibrated after
# Beside the shared model's log probability, each the best of a few for headings on the development sets; half or twice
# of one changes them by less than half a point on the average.
_BAYES = 0.5  # for naive Bayes' log probability
_NEAR = 6.0  # for the share of the votes of the taught goods nearest to the product
_COVERED = 2.0  # for the share of what was said that the heading's best line covers
_VOTE = 5.0  # a ruling on the very same words outweighs all but a clear difference
# What an organization decided of goods near: for their headings, and for their lines. See docs/adr/0019.
_DECIDED, _DECIDED_LINE = 25.0, 3.0


Likely = tuple[int, float]
"""A heading's place among the method's, and its probability."""


@dataclass(frozen=True)
class RankedHeading:
    """A heading with its probability, by all evidence and by the shared model alone, its lines' probabilities given it,
    what was said to its questions, the share of what was said that its terms cover, and whether both schedules' own
    evidence has the same best subheading."""

    heading: HeadingLines
    probability: float
    shared: float
    lines: Floats
    answered: tuple[Answered, ...]
    covered: float
    agreed: bool = True

    @cached_property
    def subheadings(self) -> dict[Code, float]:
        """What each subheading has of the probability."""
        return shares(self.lines, self.heading.six)

    @cached_property
    def subheading(self) -> Code:
        """The most probable subheading."""
        return best(self.subheadings)

    @property
    def inside(self) -> float:
        """What the most probable subheading has of the probability."""
        return self.subheadings[self.subheading]

    @cached_property
    def place(self) -> int:
        """The place of the best line: in the most probable subheading the most probable line."""
        inside = np.array([code == self.subheading for code in self.heading.six])
        return int(np.where(inside, self.lines, -1.0).argmax())


@dataclass(frozen=True)
class Query:
    """A product as the ranker sees it under one schedule: what the models see of it, each model's log probability of
    each heading, its overlap with every line's words in this schedule and in the other, how much of what was said each
    heading covers, and the taught goods, the rulings and the organization's own decisions near."""

    seen: Seen
    shared: Floats
    bayes: Floats
    overlap: Overlap
    theirs: Overlap | None
    covered: Floats
    near: Floats
    nearest: tuple[Near, ...]
    decided: Votes = Votes()  # noqa: RUF009 - frozen

    @property
    def reading(self) -> Reading:
        """What was understood of it."""
        return self.seen.reading

    @property
    def says_nothing(self) -> bool:
        """Whether no term of any lesson was said."""
        return not len(self.seen.vector.indices)


def read(product: Product, method: Method, language: str = "en") -> Query:
    """The product, in English, as the ranker sees it under this method; `language` is the one it was described in."""
    found = seen(product, language, method.trained)
    overlap = found.overlap(method.provisions)
    theirs = None if method.sister is None else found.overlap(method.sister.provisions)
    return Query(
        seen=found,
        shared=_log_shares(found.shared_headings[method.heading_columns.part], method.heading_columns),
        bayes=_log_shares(found.headings[method.heading_columns.part], method.heading_columns),
        overlap=overlap,
        theirs=theirs,
        covered=_covered(overlap, theirs, method),
        near=_votes(found.votes, method),
        nearest=method.precedents.near(words(found.goods)),
    )


def rank(query: Query, method: Method, likely: Sequence[Likely] = ()) -> list[RankedHeading]:
    """The likely headings, those that are most unless others are given, best first, each with its lines."""
    found = list[RankedHeading]()
    likely = likely or best_headings(query, method)
    for place, probability in likely:
        if len(found) > 1 and probability < _WORTH_LINES * likely[0][1]:
            break  # a runner-up is always told
        heading = method.headings[place]
        asked = _asked(heading, method, query.seen, query.overlap)
        lines, theirs, agreed = asked.lines, _their_shares(heading, method.sister, query), True
        if theirs is not None:
            ours = shares(lines, heading.six)
            agreed = best(ours) == best(theirs)
            lines = laid_over(lines, heading.six, together(ours, theirs))
        lines = _as_decided(lines, heading, query)
        shared, covered = math.exp(float(query.shared[place])), float(query.covered[place])
        found.append(RankedHeading(heading, probability, shared, lines, asked.answered, covered, agreed))
    return found


def _their_shares(ours: HeadingLines, sister: Method | None, query: Query) -> dict[Code, float] | None:
    """The share of each subheading of a heading by the other schedule's evidence; None where it has no such heading, or
    both have one subheading below it."""
    place = None if sister is None else sister.places.get(ours.code)
    if sister is None or place is None or query.theirs is None:
        return None
    heading = sister.headings[place]
    if len({*ours.six, *heading.six}) == 1:
        return None
    return shares(_asked(heading, sister, query.seen, query.theirs).lines, heading.six)


def _asked(heading: HeadingLines, method: Method, seen: Seen, overlap: Overlap) -> AskedLines:
    """A heading's questions with what was said, and its lines by one schedule's evidence alone; made once a product,
    whichever of the two schedules asks first."""
    if kept := seen.asked(heading):
        return kept
    questions = heading.questions
    answered = questions.put_to(seen.heard)
    weights = method.trained.choices[method.name]
    evidence = line_evidence(heading, seen, overlap, method.name, ())
    lines = softmax(weights.scores(evidence) + decided(heading, method, seen.said))
    for scope, places in questions.by_scope.items():
        said, below = [answered[place] for place in places], heading.below((scope,))
        is_open = all(questions.is_open(place, answered) for place in places)
        if is_open and all(found.question.usual is None for found in said):
            continue  # nothing was said, and nothing is usual
        factors = heading.usual.get(scope) if is_open else None
        if factors is None:
            factors = _factors(heading, weights, said)[below]
            if is_open:
                heading.usual[scope] = factors
        _divide(lines, below, factors)
    return seen.keep(AskedLines(heading, answered, lines))


def _factors(heading: HeadingLines, weights: ChoiceWeights, said: Sequence[Answered]) -> Floats:
    """By how much the questions of one scope make each line likelier than the likeliest, shape (lines,)."""
    told = weights.of_facts(_routes(heading, said))
    if any(found.taken or found.closed for found in said):
        told += answers_decide(heading, said)
    found: Floats = np.exp(told - told.max())
    return found


def _divide(lines: Floats, below: npt.NDArray[np.bool_], factors: Floats) -> None:
    """Divide the probabilities of the lines below a scope anew by these factors; together they keep what they have:
    which gas lift a part of a seat is does not say that the goods are parts."""
    before = lines[below]
    raised = before * factors
    lines[below] = raised * (before.sum() / max(raised.sum(), 1e-300))


def _as_decided(lines: Floats, heading: HeadingLines, query: Query) -> Floats:
    """The lines' probabilities with the votes of what the organization has decided."""
    if not query.decided.near:
        return lines
    raised = lines * np.exp(_DECIDED_LINE * query.decided.lines(heading.codes))
    found: Floats = raised / raised.sum()
    return found


def best_headings(query: Query, method: Method, *, most: int = MOST_RANKED) -> list[Likely]:
    """The most probable headings, best first."""
    scores = heading_scores(query, method)
    best = (-scores).argsort(kind="stable")[:most]
    return list(zip(best.tolist(), softmax(_TEMPERATURE * scores)[best].tolist(), strict=True))


def _log_shares(scores: npt.NDArray[np.floating], classes: Classes) -> Floats:
    """The log share of each of these classes among them, by a model's scores of their part or those of several, a row
    each; at least UNSEEN.

    Those that stand twice, as subheadings of several lines do, count once.
    """
    if not len(classes.known):
        return np.full((*scores.shape[:-1], len(classes.places)), UNSEEN)
    total = np.logaddexp.reduce(scores.take(classes.known, axis=-1), axis=-1, dtype=np.float64, keepdims=True)
    found: Floats = np.maximum(scores.take(classes.places, axis=-1) - total, UNSEEN)
    found[..., classes.missing] = UNSEEN
    return found.round(5)  # so that they compare the same on every machine


def _covered(ours: Overlap, theirs: Overlap | None, method: Method) -> Floats:
    """How much of what was said each heading's best line covers, in whichever schedule it covers more."""
    covered = np.maximum.reduceat(ours.covered, method.heading_starts).astype(np.float64)
    sister = method.sister
    if sister is None or theirs is None:
        return covered
    other = np.maximum.reduceat(theirs.covered, sister.heading_starts)
    places = method.places_in_sister
    both: Floats = np.where(places == UNKNOWN, covered, np.maximum(covered, other[places]))
    return both


def _votes(shares: Floats, method: Method) -> Floats:
    """The share of each of the method's headings in the votes of the nearest taught goods."""
    columns = method.heading_columns
    return np.append(shares[columns.part], 0.0)[columns.places].round(5)  # the last is that of UNKNOWN


def heading_scores(query: Query, method: Method) -> Floats:
    """A score for each of the method's headings: what both models say, the cover by the heading's best line, and the
    votes of the nearest taught goods and of the nearest ruling."""
    total = query.shared + _BAYES * query.bayes + _NEAR * query.near + _COVERED * query.covered
    total -= AGAINST_HEADING * method.requirements.headings_contradicted(method.codes, query.reading)
    for code, share in votes(query.nearest).items():
        place = method.places.get(code)
        if place is not None:
            total[place] += _VOTE * share
    for code, share in query.decided.headings().items():
        place = method.places.get(code)
        if place is not None:
            total[place] += _DECIDED * share
    return np.round(total, 6)


def line_evidence(
    heading: HeadingLines, seen: Seen, overlap: Overlap, name: ScheduleName, answered: Sequence[Answered]
) -> Floats:
    """What speaks for each line of a heading, shape (lines, len(EVIDENCE)); the columns are named in EVIDENCE."""
    part, six, whole = slice(heading.start, heading.stop), heading.subheadings, heading.columns
    found = np.empty((len(heading.codes), len(EVIDENCE)))
    found[:, :4] = _routes(heading, answered).T if answered else 0.0
    found[:, 4] = overlap.own[part]
    found[:, 5] = overlap.path[part]
    found[:, 6] = heading.residual
    found[:, 7] = heading.residual_above
    found[:, 8] = whole.places == UNKNOWN
    found[:, 9:11] = _log_shares(seen.subheadings(six.part), six).T
    found[:, 11] = _log_shares(seen.lines(name, whole.part), whole)
    return found.round(6)


def _routes(heading: HeadingLines, answered: Sequence[Answered]) -> Floats:
    """For each line, shape (4, lines): questions answered its way, and another way; questions not answered whose usual
    value is its way, and another way."""
    counts = np.zeros((4, len(heading.codes)))
    for found in answered:
        usual = found.question.usual
        routes = found.taken or (() if usual is None else (usual,))
        if routes:
            below = heading.below((found.question.scope,))
            leads = heading.led_by(routes)
            offset = 0 if found.taken else 2
            counts[offset] += below & leads
            counts[offset + 1] += below & ~leads
    return counts
