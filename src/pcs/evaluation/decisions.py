"""Decisions in memory, looked up as the service looks them up in its database, so that their effect can be measured
without one. The trap: a measurement that compares a product with every decision, which no service can afford."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pcs.engine.decided import MOST_LOOKED_AT, NEWEST_OF_A_KEY, Decided, Sameness, lookup_keys
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName


class KnownDecisions:
    """What is decided under each schedule; the later ones are newer."""

    def __init__(self, decided: Iterable[tuple[ScheduleName, Product, Decided]]) -> None:
        self._decided: list[tuple[str, Decided]] = []
        self._by_text: dict[tuple[ScheduleName, str], list[int]] = defaultdict(list)
        self._by_key: dict[tuple[ScheduleName, str], list[int]] = defaultdict(list)
        for number, (schedule, product, one) in enumerate(decided):
            text = _plain(product)
            self._decided.append((text, one))
            self._by_text[schedule, text].append(number)
            for key in lookup_keys(product.name):
                self._by_key[schedule, key].append(number)

    def near(self, product: Product, schedule: ScheduleName) -> tuple[Decided, ...]:
        """The decisions on the same goods, newest first, then those on goods near that rare words lead to."""
        text = _plain(product)
        same = self._by_text.get((schedule, text), [])[::-1]
        rareness = Counter[int]()
        for key in lookup_keys(product.name):
            newest = self._by_key.get((schedule, key), [])[-NEWEST_OF_A_KEY:]
            for number in newest:
                rareness[number] += 1 / len(newest)  # type: ignore[assignment] # a Counter of shares
        order = sorted(rareness, key=lambda number: (-rareness[number], -number))[:MOST_LOOKED_AT]
        return tuple(self._marked(dict.fromkeys([*same, *order]), text))

    def _marked(self, numbers: Iterable[int], text: str) -> Iterator[Decided]:
        for number in numbers:
            said, one = self._decided[number]
            yield replace(one, sameness=Sameness.TEXT) if said == text else one


def _plain(product: Product) -> str:
    return "\n".join(" ".join(part.casefold().split()) for part in (product.name, product.description))
