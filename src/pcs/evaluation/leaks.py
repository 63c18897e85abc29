"""Rulings that give a labelled case away. The trap: a case that is a ruling stands in the corpus a second time,
under another number; a subject with its words and its code, of its day or later, is the case itself."""

from __future__ import annotations

from collections.abc import Iterable

from pcs.engine.text import words
from pcs.evaluation.cases import Case
from pcs.tariff.ruling import Ruling

_SHARED = 0.8  # of the case's words stand in the subject
_FURTHER = 3  # words that the subject may have beside them
_FORMAL = frozenset(
    words("The tariff classification of and country of origin from re protest application further review")
)


def leaks(case: Case, rulings: Iterable[Ruling]) -> frozenset[str]:
    """The references of those rulings that are nearly the case."""
    asked = set(words(case.product.name)) - _FORMAL
    return frozenset(ruling.reference for ruling in rulings if asked and _gives_away(ruling, case, asked))


def _gives_away(ruling: Ruling, case: Case, asked: set[str]) -> bool:
    earlier = ruling.date is not None and case.date is not None and ruling.date < case.date
    if earlier or not any(cited.startswith(case.code) for cited in ruling.codes):
        return False
    said = set(words(ruling.subject)) - _FORMAL
    shared = asked & said
    return len(shared) >= _SHARED * len(asked) and len(said - asked) <= _FURTHER
