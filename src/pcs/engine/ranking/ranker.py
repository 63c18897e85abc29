"""Headings first, then the lines of the best of them. The trap: comparing lines of different headings directly; same-
level comparison only, and a line's probability is its heading's times its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.facts import Answered, answer
from pcs.engine.legal.composition import predominant
from pcs.engine.method import UNKNOWN, HeadingLines, Method
from pcs.engine.product import Product
from pcs.engine.ranking.choice import EVIDENCE, softmax
from pcs.engine.ranking.shared import UNSEEN
from pcs.engine.retrieval.precedents import Near, votes
from pcs.engine.retrieval.provisions import Overlap
from pcs.engine.text import without_purpose, words

Floats = npt.NDArray[np.float64]

_NEVER_SEEN = -1.2  # below the usual score of a wrong class (about -1): a class with no example has no score
_TEMPERATURE = 4.0  # scores to rough probabilities; the confidence is calibrated after
_COVERED = 0.5  # of 0.25 to 2, the best for headings on the development sets
_VOTE = 0.5  # a ruling on the very same words outweighs all but a clear difference
_SHARED = 0.1  # of 0.05 to 1, for the shared model's log probability, likewise


@dataclass(frozen=True)
class RankedHeading:
    """A heading with its probability, by all evidence and by the shared model alone, its lines' probabilities given it,
    and what was said to its questions."""

    heading: HeadingLines
    probability: float
    shared: float
    lines: Floats
    answered: tuple[Answered, ...]


@dataclass(frozen=True)
class Query:
    """A product as the ranker sees it: its vector, the shared model's hidden units and its log probability of each
    heading, all that was said, its overlap with every line's words, and the rulings near it."""

    vector: sp.csr_matrix
    hidden: npt.NDArray[np.float32]
    shared: Floats
    text: str
    overlap: Overlap
    nearest: tuple[Near, ...]


def read(product: Product, method: Method) -> Query:
    """The product as the ranker sees it under this method."""
    name, description = predominant(product.name), predominant(product.description)
    vector = method.trained.vectoriser.query(name, description)
    hidden = method.trained.shared.hidden(vector)
    goods = without_purpose(name)
    return Query(
        vector=vector,
        hidden=hidden,
        shared=_shared_shares(hidden, method),
        text=Product(name, description).text,
        overlap=method.provisions.overlap(goods),
        nearest=method.precedents.near(words(goods)),
    )


def rank(query: Query, method: Method, *, most: int = 6) -> list[RankedHeading]:
    """The most probable headings, best first, each with its lines."""
    line_scores = method.trained.lines[method.name].scores(query.vector)
    found = []
    for place, probability in best_headings(query, method, most=most):
        heading = method.headings[place]
        answered = answer(heading.questions, query.text)
        evidence = line_evidence(heading, method, line_scores, query, answered)
        lines = method.trained.choices[method.name].probabilities(evidence)
        found.append(RankedHeading(heading, probability, math.exp(float(query.shared[place])), lines, answered))
    return found


def best_headings(query: Query, method: Method, *, most: int) -> list[tuple[int, float]]:
    """The places of the most probable headings among the method's, best first, each with its probability."""
    scores = heading_scores(query, method)
    probabilities = softmax(_TEMPERATURE * scores)
    return [(int(place), float(probabilities[place])) for place in np.argsort(-scores, kind="stable")[:most]]


def _shared_shares(hidden: npt.NDArray[np.float32], method: Method) -> Floats:
    """The shared model's log probability of each of the method's headings, at least UNSEEN."""
    scores = method.trained.shared.headings.scores(hidden).astype(np.float64)
    logs = scores - scores.max()
    logs -= np.log(np.exp(logs).sum())
    columns = method.shared_columns
    found: Floats = np.where(columns == UNKNOWN, UNSEEN, np.maximum(logs, UNSEEN)[columns])
    return np.round(found, 5)


def heading_scores(query: Query, method: Method) -> Floats:
    """A score for each of the method's headings: the linear model's, the shared model's, the cover by the heading's
    best line, and the vote of the nearest ruling."""
    known = method.trained.headings.scores(query.vector)
    columns = method.heading_columns
    learned = np.where(columns == UNKNOWN, _NEVER_SEEN, known[columns])
    covered = np.maximum.reduceat(query.overlap.covered, method.heading_starts)
    total = learned + _COVERED * covered + _SHARED * query.shared
    for code, share in votes(query.nearest).items():
        place = method.places.get(code)
        if place is not None:
            total[place] += _VOTE * share
    return np.round(total, 6)


def line_evidence(
    heading: HeadingLines,
    method: Method,
    line_scores: npt.NDArray[np.float32],
    query: Query,
    answered: Sequence[Answered],
) -> Floats:
    """What speaks for each line of a heading, shape (lines, len(EVIDENCE)); the columns are named in EVIDENCE."""
    part = slice(heading.start, heading.stop)
    seen = heading.columns != UNKNOWN
    scores = np.where(seen, line_scores[heading.columns], _NEVER_SEEN)
    tops = np.full(int(heading.groups.max()) + 1, -np.inf)
    np.maximum.at(tops, heading.groups, scores)
    codes = [str(line.code) for line in method.lines[part]]
    led, led_away, usual, usual_away = _routes(codes, answered)
    columns = (
        scores,
        tops[heading.groups],
        led,
        led_away,
        usual,
        usual_away,
        query.overlap.own[part],
        query.overlap.path[part],
        heading.residual,
        heading.residual_above,
        (~seen).astype(float),
        _subheading_shares(heading, method, query),
    )
    assert len(columns) == len(EVIDENCE)
    return np.round(np.column_stack(columns), 6)


def _subheading_shares(heading: HeadingLines, method: Method, query: Query) -> Floats:
    """For each line, the shared model's log share of its subheading among those of the heading, at least UNSEEN."""
    scores = method.trained.shared.subheadings.scores(query.hidden, np.maximum(heading.shared, 0)).astype(np.float64)
    seen = heading.shared != UNKNOWN
    if not seen.any():
        return np.zeros(len(scores))
    _, first = np.unique(heading.groups[seen], return_index=True)
    top = scores[seen].max()
    total = top + np.log(np.exp(scores[seen][first] - top).sum())
    found: Floats = np.where(seen, np.maximum(scores - total, UNSEEN), UNSEEN)
    return np.round(found, 5)


def _routes(codes: Sequence[str], answered: Sequence[Answered]) -> tuple[Floats, Floats, Floats, Floats]:
    """For each line: questions answered its way, and another way; questions not answered whose usual value is its way,
    and another way."""
    counts = np.zeros((4, len(codes)))
    for found in answered:
        usual = found.question.usual
        routes = found.taken or (() if usual is None else (usual,))
        if routes:
            below = np.array([code.startswith(found.question.scope) for code in codes])
            leads = np.array([any(route.leads_to(code) for route in routes) for code in codes])
            offset = 0 if found.taken else 2
            counts[offset] += below & leads
            counts[offset + 1] += below & ~leads
    return counts[0], counts[1], counts[2], counts[3]
