"""Rulings near the goods. The trap: citing a ruling that only shares common words, or one that is revoked; a citation
needs the same heading and a good part of what makes the goods distinct."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pcs.engine.result import MOST_CITED, CitedRuling
from pcs.engine.retrieval.lexical import LexicalIndex, lexical_index
from pcs.engine.text import words
from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingStatus

_NEAR = 0.45  # share of the goods' BM25 weight that a ruling's subject must meet to be called near
_LOOKED_AT = 50
_LONGEST_SUBJECT = 200  # characters shown


@dataclass(frozen=True, slots=True)
class Near:
    """A ruling and the share of what was said that its subject meets, 0 to 1."""

    ruling: Ruling
    share: float


@dataclass(frozen=True)
class Precedents:
    """Rulings that may be cited, and the index of their subjects; document numbers are places in `rulings`."""

    rulings: tuple[Ruling, ...]
    index: LexicalIndex
    left_out: frozenset[str] = frozenset()

    def near(self, goods: Sequence[str]) -> tuple[Near, ...]:
        """The rulings nearest to goods, given as stems; best first."""
        ideal = self.index.ideal(goods)
        if not self.rulings or not ideal:
            return ()
        shares = self.index.scores(goods) / ideal
        places = np.flatnonzero(shares >= _NEAR)
        best = places[np.argsort(-shares[places], kind="stable")][:_LOOKED_AT]
        found = (Near(self.rulings[place], float(shares[place])) for place in best)
        return tuple(near for near in found if not (self.left_out and near.ruling.cites & self.left_out))

    def without(self, references: Iterable[str]) -> Precedents:
        """The same without these rulings and any that cites them: how a case that is a ruling is asked."""
        return Precedents(self.rulings, self.index, self.left_out | frozenset(references))


def votes(nearest: Iterable[Near]) -> dict[Code, float]:
    """How near the nearest ruling is that decided for each heading, 0 to 1."""
    found: dict[Code, float] = {}
    for near in nearest:
        for heading in {code.heading for code in near.ruling.codes}:
            found[heading] = max(found.get(heading, 0.0), near.share)
    return found


def cited(nearest: Iterable[Near], code: Code) -> tuple[CitedRuling, ...]:
    """The nearest rulings that decided for the heading of this code."""
    agreeing = (near for near in nearest if any(decided.heading == code.heading for decided in near.ruling.codes))
    return tuple(_cited(near, code) for near in islice(agreeing, MOST_CITED))


def _cited(near: Near, code: Code) -> CitedRuling:
    agrees = any(decided.subheading == code.subheading for decided in near.ruling.codes)
    return citation(near.ruling, f"{near.share:.0%} of the terms match; same {'subheading' if agrees else 'heading'}")


def citation(ruling: Ruling, relevance: str) -> CitedRuling:
    """A ruling as an answer cites it, with why."""
    return CitedRuling(
        reference=ruling.reference,
        date=ruling.date,
        subject=ruling.subject[:_LONGEST_SUBJECT],
        codes=ruling.codes,
        status=ruling.status,
        url=ruling.url,
        relevance=relevance,
    )


def index_precedents(rulings: Iterable[Ruling]) -> Precedents:
    """Index the rulings that may be relied on: with a subject and codes, and not revoked."""
    kept = tuple(
        ruling for ruling in rulings if ruling.subject and ruling.codes and ruling.status is not RulingStatus.REVOKED
    )
    return Precedents(kept, lexical_index([words(ruling.subject) for ruling in kept]))
