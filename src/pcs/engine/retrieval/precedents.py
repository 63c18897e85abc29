"""Rulings near the goods. The trap: citing a ruling that only shares common words, or one that is revoked; a citation
needs the same heading and a good part of what makes the goods distinct."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pcs.engine.determination import CitedRuling
from pcs.engine.retrieval.lexical import LexicalIndex, lexical_index
from pcs.engine.text import words
from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingStatus

_NEAR = 0.45  # share of the goods' BM25 weight that a ruling's subject must meet to be called near
_LOOKED_AT = 50
_MOST_CITED = 3
_LONGEST_SUBJECT = 200  # characters shown


@dataclass(frozen=True)
class Precedents:
    """Rulings that may be cited, and the index of their subjects; document numbers are places in `rulings`."""

    rulings: tuple[Ruling, ...]
    index: LexicalIndex
    left_out: frozenset[str] = frozenset()

    def near(self, goods: Sequence[str], code: Code) -> tuple[CitedRuling, ...]:
        """The rulings nearest to goods, given as stems, that decided for the heading of this code; best first."""
        ideal = self.index.ideal(goods)
        if not self.rulings or not ideal:
            return ()
        shares = self.index.scores(goods) / ideal
        best = np.argsort(-shares, kind="stable")[:_LOOKED_AT]
        cited = (
            self._cited(self.rulings[place], float(shares[place]), code) for place in best if shares[place] >= _NEAR
        )
        return tuple(found for found in cited if found is not None)[:_MOST_CITED]

    def without(self, references: Iterable[str]) -> Precedents:
        """The same without these rulings and any that cites them: how a case that is a ruling is asked."""
        return Precedents(self.rulings, self.index, self.left_out | frozenset(references))

    def _cited(self, ruling: Ruling, share: float, code: Code) -> CitedRuling | None:
        same_heading = any(cited.heading == code.heading for cited in ruling.codes)
        links = {*ruling.links.related, *ruling.links.revokes, *ruling.links.modifies, ruling.reference}
        if not same_heading or links & self.left_out:
            return None
        agrees = any(cited.subheading == code.subheading for cited in ruling.codes)
        return CitedRuling(
            reference=ruling.reference,
            date=ruling.date,
            subject=ruling.subject[:_LONGEST_SUBJECT],
            codes=ruling.codes,
            status=ruling.status,
            url=ruling.url,
            relevance=f"{share:.0%} of what was said; same {'subheading' if agrees else 'heading'}",
        )


def index_precedents(rulings: Iterable[Ruling]) -> Precedents:
    """Index the rulings that may be relied on: with a subject and codes, and not revoked."""
    kept = tuple(
        ruling for ruling in rulings if ruling.subject and ruling.codes and ruling.status is not RulingStatus.REVOKED
    )
    return Precedents(kept, lexical_index([words(ruling.subject) for ruling in kept]))
