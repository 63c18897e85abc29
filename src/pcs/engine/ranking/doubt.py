"""What makes an answer doubtful: an improbable heading or line, words the engine never saw, facts said two ways."""

from __future__ import annotations

from pcs.engine.method import Method
from pcs.engine.ranking.levels import Certainty
from pcs.engine.ranking.ranker import Query, RankedHeading
from pcs.engine.text import words


def known_share(query: Query, method: Method) -> float:
    """The share of the words said that some lesson has, 0 to 1."""
    said = words(query.reading.text)
    return sum(map(method.trained.vectoriser.knows, said)) / max(len(said), 1)


def certainty_of(best: RankedHeading) -> Certainty:
    """What the confidence in the best line of a heading is made of."""
    inside, code = best.inside, best.heading.codes[best.place]
    return Certainty(
        heading=best.probability,
        shared=best.shared,
        covered=best.covered,
        subheading=min(inside, 1.0),
        line=min(float(best.lines[best.place]) / max(inside, 1e-12), 1.0),
        agreed=best.agreed,
        lines=len(best.lines),
        contradictions=sum(found.contradicting for found in best.answered if found.question.scope.covers(code)),
    )
