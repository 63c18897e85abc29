"""A product as the models see it, whichever schedule asks: read once, and classified under two schedules, its lines are
looked at once each. The trap: an array that two answers share and one of them changes; whoever has one here makes a new
one of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from pcs.engine.facts import Answered, Heard
from pcs.engine.legal.composition import predominant
from pcs.engine.legal.terms import SaidWords
from pcs.engine.method import HeadingLines
from pcs.engine.product import Product
from pcs.engine.reading.reading import Reading, reading_of
from pcs.engine.retrieval.provisions import Overlap, Provisions
from pcs.engine.retrieval.vectors import Vector
from pcs.engine.text import without_purpose
from pcs.engine.trained import Trained
from pcs.tariff.revision import ScheduleName

Floats = npt.NDArray[np.float64]
_AT_ONCE = 3  # products, of up to three megabytes: one, and components of a set


@dataclass(frozen=True)
class AskedLines:
    """What was said to a heading's questions, and the probability of each of its lines by one schedule's evidence."""

    heading: HeadingLines
    answered: tuple[Answered, ...]
    lines: Floats


@dataclass(frozen=True, eq=False)
class Seen:
    """A product, in English, with what is made of it when it is first asked for; `language` is the one that it was
    described in. Scores are each model's of all that it knows."""

    product: Product
    language: str
    trained: Trained
    _overlaps: dict[int, tuple[Provisions, Overlap]] = field(default_factory=dict)
    _lines: dict[int, AskedLines] = field(default_factory=dict)
    _subheadings: dict[tuple[int, int], Floats] = field(default_factory=dict)

    @cached_property
    def reading(self) -> Reading:
        """What was understood."""
        return reading_of(self.product, self.language)

    @cached_property
    def heard(self) -> Heard:
        """The reading as questions hear it."""
        return Heard(self.reading)

    @cached_property
    def said(self) -> SaidWords:
        """The reading as provisions are compared with it."""
        return SaidWords(self.reading)

    @cached_property
    def goods(self) -> str:
        """The name without its purpose."""
        return without_purpose(self._name)

    @cached_property
    def vector(self) -> Vector:
        """Its terms."""
        description = predominant(self.reading.description)
        return self.trained.vectoriser.query(self._name, description, self.reading.head)

    @cached_property
    def hidden(self) -> npt.NDArray[np.float32]:
        """The shared model's hidden units."""
        return self.trained.shared.hidden(self.vector)

    @cached_property
    def shared_headings(self) -> npt.NDArray[np.float32]:
        """The shared model's scores of headings."""
        return self.trained.shared.headings.scores(self.hidden)

    @cached_property
    def headings(self) -> Floats:
        """Naive Bayes' scores of headings."""
        return self.trained.headings.scores(self._said)

    def subheadings(self, part: slice) -> Floats:
        """The scores of a part of the subheadings, by the shared model and by naive Bayes, shape (2, part)."""
        found = self._subheadings.get((part.start, part.stop))
        if found is None:
            shared = self.trained.shared.subheadings.scores(self.hidden, part)
            bayes = self.trained.subheadings.scores(self._said, self._total, part)
            found = self._subheadings[part.start, part.stop] = np.array([shared, bayes])
        return found

    def lines(self, name: ScheduleName, part: slice) -> Floats:
        """Naive Bayes' scores of a part of a schedule's lines."""
        return self.trained.lines[name].scores(self._said, self._total, part)

    @cached_property
    def votes(self) -> Floats:
        """The share of each heading in the votes of the nearest taught goods."""
        return self.trained.goods.votes(self.vector)

    def overlap(self, provisions: Provisions) -> Overlap:
        """What the goods share with each line of a revision."""
        kept = self._overlaps.get(id(provisions))
        if kept is None:  # kept with what it is of, so that nothing else has the same id meanwhile
            kept = self._overlaps[id(provisions)] = (provisions, provisions.overlap(self.goods))
        return kept[1]

    def asked(self, heading: HeadingLines) -> AskedLines | None:
        """What was kept of a revision's heading."""
        return self._lines.get(id(heading))

    def keep(self, asked: AskedLines) -> AskedLines:
        """Keep what came of a heading."""
        return self._lines.setdefault(id(asked.heading), asked)

    @cached_property
    def _said(self) -> Vector:
        """The terms as naive Bayes weighs it."""
        return self.trained.vectoriser.by_words(self.vector)

    @cached_property
    def _total(self) -> float:
        return float(self._said.data.sum())

    @cached_property
    def _name(self) -> str:
        return predominant(self.reading.name)


@lru_cache(maxsize=_AT_ONCE)
def seen(product: Product, language: str, trained: Trained) -> Seen:
    """The product as the models see it; the last few are kept, since who asks for one schedule asks for the other."""
    return Seen(product, language, trained)
