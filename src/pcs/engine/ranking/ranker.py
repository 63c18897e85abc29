"""Headings first, then the lines of the best of them. The trap: comparing lines of different headings directly; same-
level comparison only, and a line's probability is its heading's times its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.facts import Answered, Heard, answer
from pcs.engine.legal.composition import predominant
from pcs.engine.legal.terms import SaidWords
from pcs.engine.method import UNKNOWN, Classes, HeadingLines, Method
from pcs.engine.product import Product
from pcs.engine.ranking.choice import EVIDENCE, softmax
from pcs.engine.ranking.deciding import AGAINST_HEADING, decided
from pcs.engine.ranking.shared import UNSEEN
from pcs.engine.ranking.treaty import best, laid_over, shares, together
from pcs.engine.reading.reading import Reading, reading_of
from pcs.engine.retrieval.precedents import Near, votes
from pcs.engine.retrieval.provisions import Overlap
from pcs.engine.retrieval.votes import Votes
from pcs.engine.text import without_purpose, words
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]

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

    @property
    def inside(self) -> float:
        """What the most probable subheading has of the probability."""
        return self.subheadings[best(self.subheadings)]

    @cached_property
    def place(self) -> int:
        """The place of the best line: in the most probable subheading the most probable line."""
        six = best(self.subheadings)
        inside = np.array([code == six for code in self.heading.six])
        return int(np.argmax(np.where(inside, self.lines, -1.0)))


@dataclass(frozen=True)
class Query:
    """A product as the ranker sees it: its vector, the shared model's hidden units, each model's log probability of
    each heading, its reading, the same as questions hear it and as provisions are compared with it, its overlap with
    every line's words in this schedule and in the other, how much of what was said each heading covers, and the taught
    goods, the rulings and the organization's own decisions near."""

    vector: sp.csr_matrix
    hidden: npt.NDArray[np.float32]
    shared: Floats
    bayes: Floats
    reading: Reading
    heard: Heard
    said: SaidWords
    overlap: Overlap
    theirs: Overlap | None
    covered: Floats
    near: Floats
    nearest: tuple[Near, ...]
    decided: Votes = Votes()  # noqa: RUF009 - frozen


@dataclass(frozen=True)
class LineScores:
    """What the models say of every subheading and line that they know, in whatever heading."""

    shared_subheadings: npt.NDArray[np.float32]
    subheadings: Floats
    lines: Floats


def read(product: Product, method: Method, language: str = "en") -> Query:
    """The product, in English, as the ranker sees it under this method; `language` is the one it was described in."""
    reading = reading_of(product, language)
    name, description = predominant(reading.name), predominant(reading.description)
    trained = method.trained
    vector = trained.vectoriser.query(name, description, reading.head)
    hidden = trained.shared.hidden(vector)
    goods = without_purpose(name)
    overlap = method.provisions.overlap(goods)
    theirs = None if method.sister is None else method.sister.provisions.overlap(goods)
    return Query(
        vector=vector,
        hidden=hidden,
        shared=_log_shares(trained.shared.headings.scores(hidden), method.heading_columns),
        bayes=_log_shares(trained.headings.scores(vector), method.heading_columns),
        reading=reading,
        heard=Heard(reading),
        said=SaidWords(reading),
        overlap=overlap,
        theirs=theirs,
        covered=_covered(overlap, theirs, method),
        near=_votes(vector, method),
        nearest=method.precedents.near(words(goods)),
    )


def rank(query: Query, method: Method, *, most: int = 6) -> list[RankedHeading]:
    """The most probable headings, best first, each with its lines."""
    scores = line_scores(query, method)
    sister = method.sister
    asked = None if sister is None or query.theirs is None else _asked_of(query, query.theirs, scores, sister)
    found = list[RankedHeading]()
    likely = best_headings(query, method, most=most)
    for place, probability in likely:
        if len(found) > 1 and probability < _WORTH_LINES * likely[0][1]:
            break  # a runner-up is always told
        heading = method.headings[place]
        answered = answer(heading.questions, query.heard)
        lines = _lines(heading, method, query, scores, answered)
        theirs = None if sister is None or asked is None else _their_shares(heading.code, sister, *asked)
        agreed = True
        if theirs is not None:
            ours = shares(lines, heading.six)
            agreed = best(ours) == best(theirs)
            lines = laid_over(lines, heading.six, together(ours, theirs))
        lines = _as_decided(lines, heading, query)
        shared = math.exp(float(query.shared[place]))
        found.append(RankedHeading(heading, probability, shared, lines, answered, float(query.covered[place]), agreed))
    return found


def _asked_of(query: Query, theirs: Overlap, scores: LineScores, sister: Method) -> tuple[Query, LineScores]:
    """The same product as the other schedule's lines are asked about it."""
    lines = sister.trained.lines[sister.name].scores(query.vector)
    return replace(query, overlap=theirs), replace(scores, lines=lines)


def _their_shares(code: Code, sister: Method, query: Query, scores: LineScores) -> dict[Code, float] | None:
    """The share of each subheading of a heading by the other schedule's evidence; None where it has no such heading."""
    place = sister.places.get(code)
    if place is None:
        return None
    heading = sister.headings[place]
    answered = answer(heading.questions, query.heard)
    return shares(_lines(heading, sister, query, scores, answered), heading.six)


def _lines(
    heading: HeadingLines, method: Method, query: Query, scores: LineScores, answered: Sequence[Answered]
) -> Floats:
    """The probability of each line of a heading by one schedule's evidence alone."""
    evidence = line_evidence(heading, query, scores, answered)
    scored = method.trained.choices[method.name].scores(evidence)
    return softmax(scored + decided(heading, method, query.said, answered))


def _as_decided(lines: Floats, heading: HeadingLines, query: Query) -> Floats:
    """The lines' probabilities with the votes of what the organization has decided."""
    if not query.decided.near:
        return lines
    raised = lines * np.exp(_DECIDED_LINE * query.decided.lines(heading.codes))
    found: Floats = raised / raised.sum()
    return found


def best_headings(query: Query, method: Method, *, most: int) -> list[tuple[int, float]]:
    """The places of the most probable headings among the method's, best first, each with its probability."""
    scores = heading_scores(query, method)
    probabilities = softmax(_TEMPERATURE * scores)
    return [(int(place), float(probabilities[place])) for place in np.argsort(-scores, kind="stable")[:most]]


def _log_shares(scores: npt.NDArray[np.floating], classes: Classes) -> Floats:
    """The log share of each of these classes among them, by a model's scores of all that it has, at least UNSEEN.

    Those that stand twice, as subheadings of several lines do, count once.
    """
    places = classes.places
    if not len(classes.known):
        return np.full(len(places), UNSEEN)
    inside = scores[classes.known].astype(np.float64)
    top = inside.max()
    total = top + np.log(np.exp(inside - top).sum())
    found: Floats = np.where(places == UNKNOWN, UNSEEN, np.maximum(scores[places] - total, UNSEEN))
    return np.round(found, 5)  # so that they compare the same on every machine


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


def _votes(vector: sp.csr_matrix, method: Method) -> Floats:
    """The share of each of the method's headings in the votes of the nearest taught goods."""
    shares = method.trained.goods.votes(vector)
    places = method.heading_columns.places
    found: Floats = np.where(places == UNKNOWN, 0.0, shares[places])
    return np.round(found, 5)


def heading_scores(query: Query, method: Method) -> Floats:
    """A score for each of the method's headings: what both models say, the cover by the heading's best line, and the
    votes of the nearest taught goods and of the nearest ruling."""
    total = query.shared + _BAYES * query.bayes + _NEAR * query.near + _COVERED * query.covered
    if query.reading.quantities:
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


def line_scores(query: Query, method: Method) -> LineScores:
    """What the models say of the product's subheading and line; only whoever goes below the heading needs it."""
    trained = method.trained
    return LineScores(
        shared_subheadings=trained.shared.subheadings.scores(query.hidden),
        subheadings=trained.subheadings.scores(query.vector),
        lines=trained.lines[method.name].scores(query.vector),
    )


def line_evidence(
    heading: HeadingLines,
    query: Query,
    scores: LineScores,
    answered: Sequence[Answered],
) -> Floats:
    """What speaks for each line of a heading, shape (lines, len(EVIDENCE)); the columns are named in EVIDENCE."""
    part = slice(heading.start, heading.stop)
    led, led_away, usual, usual_away = _routes(heading, answered)
    columns = (
        led,
        led_away,
        usual,
        usual_away,
        query.overlap.own[part],
        query.overlap.path[part],
        heading.residual,
        heading.residual_above,
        (heading.columns.places == UNKNOWN).astype(float),
        _log_shares(scores.shared_subheadings, heading.subheadings),
        _log_shares(scores.subheadings, heading.subheadings),
        _log_shares(scores.lines, heading.columns),
    )
    assert len(columns) == len(EVIDENCE)
    return np.round(np.column_stack(columns), 6)


def _routes(heading: HeadingLines, answered: Sequence[Answered]) -> tuple[Floats, Floats, Floats, Floats]:
    """For each line: questions answered its way, and another way; questions not answered whose usual value is its way,
    and another way."""
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
    return counts[0], counts[1], counts[2], counts[3]
