"""The one search of a schedule, for the API, the dashboard, assistants and the reviewer: the places that the engine's
ranking names, then those whose words fit.

The trap: a search that finds stray words; words add places only where most of them fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pcs.engine.retrieval.lexical import LexicalIndex, lexical_index
from pcs.engine.text import words
from pcs.tariff.schedule import Node, Schedule

_LONGEST_SEARCH = 300  # characters; what is longer is no search
_FROM_WORDS = 4  # places that words add to the engine's
_NOT_GOODS = frozenset({"98", "99"})  # chapters of special provisions: goods lie in the others

Ranked = Callable[[str], Sequence[str]]
"""Codes for goods described by a text, the likeliest first."""


@dataclass(frozen=True)
class PlaceIndex:
    """The headings of a schedule and all below, to be searched. Reading them takes a moment, at the first search."""

    schedule: Schedule

    def search(self, text: str, ranked: Ranked | None, *, most: int) -> list[Node]:
        """The places where goods of a text may be: the ranked, likeliest first, then those whose words fit.

        Where nothing ranks, places are found by their words alone.
        """
        text = text[:_LONGEST_SEARCH]
        coded = [self.schedule.get(code) for code in ranked(text)] if ranked else []
        likely = [node for node in coded if node is not None][: most - _FROM_WORDS if coded else most]
        found = {node.index: node for node in [*likely, *self._by_words(text, most, alone=ranked is None)]}
        return list(found.values())[:most]

    def _by_words(self, text: str, most: int, *, alone: bool) -> list[Node]:
        """The places with most of the words; where nothing ranks, also those with fewer, for want of better."""
        asked = words(text)
        scores = self._index.scores(asked)
        best = [self._nodes[place] for place in np.argsort(-scores, kind="stable")[:most] if scores[place] > 0]
        fitting = [node for node in best if 2 * len(set(asked) & self._words(node)) > len(set(asked))]
        return fitting or (best if alone else [])

    def _words(self, node: Node) -> set[str]:
        return set(words(self.schedule.description(node)))

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        coded = (node for node in self.schedule.nodes if node.code and len(node.code) >= 4)
        return tuple(node for node in coded if str(node.code)[:2] not in _NOT_GOODS)

    @cached_property
    def _index(self) -> LexicalIndex:
        return lexical_index([words(self.schedule.description(node)) for node in self._nodes])
