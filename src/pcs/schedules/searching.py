"""Searching the schedules of an installation in words of goods. The trap: everybody waiting at once while the first
search opens the engine, until no thread is left for anything else; searches take turns.

API processes open the engine here, at their first search: it takes seconds and about 100 MB."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pcs.engine.retrieval.places import PlaceIndex, Ranked
from pcs.schedules.entries import MOST_FOUND, Hit
from pcs.schedules.library import Library
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Schedule

if TYPE_CHECKING:
    from pcs.schedules.methods import Methods

_WORTH = 0.02  # of the best heading's probability: what is less likely is not shown to people

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, and the revision that it searched."""

    revision: Revision
    hits: tuple[Hit, ...]


class Searcher:
    """Searches what a library holds; `cache_dir` is where the engine's own is kept. For one event loop."""

    def __init__(self, library: Library, cache_dir: Path) -> None:
        self._library = library
        self._cache_dir = cache_dir
        self._turn = asyncio.Semaphore(1)
        self._indices: dict[ScheduleName, PlaceIndex] = {}

    async def search(
        self, name: ScheduleName, words: str, edition: str | None = None, *, language: str | None = None
    ) -> SearchResult:
        """At most 60 places where goods of these words may be, the likeliest first, then those with every word in a
        loaded language; or those that begin with the code typed, in legal order. Told in `language` where that is
        loaded. Raises NotFoundError and DamagedError."""
        return await self.in_turn(partial(self._found, name, words, edition, language))

    async def in_turn(self, work: Callable[[], Found]) -> Found:
        """What work finds that may use `ranked`, in a thread, after whoever came before."""
        async with self._turn:
            return await asyncio.to_thread(work)

    def ranked(self, name: ScheduleName, *, worth: float = 0.0) -> Ranked:
        """The engine's ranking under the revision that answers. Blocks when it is asked."""
        from pcs.engine.searching import likely_places  # noqa: PLC0415 (the engine)

        return lambda text: likely_places(text, self._methods.current(name), worth=worth)

    def _found(self, name: ScheduleName, words: str, edition: str | None, language: str | None) -> SearchResult:
        key = edition or self._library.current_key(name)
        revision = self._library.schedule(name, key).revision
        hits = self._library.search(name, words, key, language=language)
        if words.strip() and not _is_code(words):
            likely = self._library.hits(name, self._likely(name, words), key, language=language)
            hits = list({hit.code: hit for hit in [*likely, *hits]}.values())
        return SearchResult(revision, tuple(hits[:MOST_FOUND]))

    def _likely(self, name: ScheduleName, words: str) -> list[Code]:
        index = self._index(name, self._library.schedule(name))
        found = index.search(words, self.ranked(name, worth=_WORTH), most=MOST_FOUND)
        return [Code(node.code) for node in found if node.code]

    def _index(self, name: ScheduleName, schedule: Schedule) -> PlaceIndex:
        kept = self._indices.get(name)
        if kept is None or kept.schedule is not schedule:
            kept = self._indices[name] = PlaceIndex(schedule)
        return kept

    @cached_property
    def _methods(self) -> Methods:
        from pcs.schedules.methods import Methods  # noqa: PLC0415 (the engine)

        return Methods(self._library, cache_dir=self._cache_dir)


def _is_code(words: str) -> bool:
    try:
        Code.parse(words)
    except InvalidCodeError:
        return False
    return True
