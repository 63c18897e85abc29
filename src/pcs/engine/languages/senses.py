"""Which sense of a form is meant: the one that its row binds to a word nearby, or else the one that the pack's own
English says together with the words around it ("copper wire", not "copper yarn"), or else the commonest.

The trap: senses that are merged; of several one is taken, whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from pcs.engine.languages.lexicon import Sense, Senses
from pcs.engine.text import words
from pcs.tariff.starter.lexicon.rows import LINK

_REMEMBERED = 1 << 11  # terms and pairs of them


class Chooser:
    """Chooses senses; `commonness` tells how often the pack says a stem, or two with `_` between them."""

    def __init__(self, commonness: Callable[[str], float]) -> None:
        self._commonness = commonness
        self._alone = lru_cache(maxsize=_REMEMBERED)(self._how_common)
        self._together = lru_cache(maxsize=_REMEMBERED)(self._how_often_together)

    def choose(self, senses: Senses, others: Sequence[str], before: str = "", near: Sequence[str] = ()) -> Sense:
        """The sense that is meant among the words of a sentence, after the word before, beside these English terms."""
        if len(senses) == 1:
            return senses[0]
        for sense in senses:
            if sense.bound and sense.meant(others, before):
                return sense
        if link := next((sense for sense in senses if sense.role == LINK and not sense.bound), None):
            return link
        likely = [sense for sense in senses if not sense.before] or senses
        return max(likely, key=lambda sense: (*self._fits(sense, near), sense.usual, self._alone(sense.english)))

    def _fits(self, sense: Sense, near: Sequence[str]) -> tuple[float, bool]:
        """How often the pack says it beside one of these terms; of equals one that is not bound to other words."""
        return max((self._together(sense.english, term) for term in near), default=0.0), not sense.bound

    def _how_common(self, term: str) -> float:
        stems = words(term)
        if len(stems) < 2:
            return self._commonness(stems[0]) if stems else 0.0
        return min(self._commonness(f"{one}_{other}") for one, other in pairwise(stems))

    def _how_often_together(self, one: str, other: str) -> float:
        """How often the pack says one term straight before the other, either way round."""
        ours, theirs = words(one), words(other)
        if not ours or not theirs:
            return 0.0
        return max(self._commonness(f"{theirs[-1]}_{ours[0]}"), self._commonness(f"{ours[-1]}_{theirs[0]}"))
