"""What makes an answer doubtful: an improbable heading or line, words the engine never saw, little said."""

from __future__ import annotations

from pcs.engine.method import Method
from pcs.engine.ranking.calibration import Doubt
from pcs.engine.ranking.ranker import Query, RankedHeading
from pcs.engine.text import words


def doubt_of(query: Query, method: Method, best: RankedHeading, place: int) -> Doubt:
    """The doubt about the line at this place of its heading."""
    known = known_share(query, method)
    return Doubt(heading=best.probability, line=float(best.lines[place]), known=known, shared=best.shared)


def known_share(query: Query, method: Method) -> float:
    """The share of the words said that some lesson has, 0 to 1."""
    said = words(query.text)
    vocabulary = method.trained.vectoriser.vocabulary
    return sum(f"w{word}" in vocabulary for word in said) / max(len(said), 1)
