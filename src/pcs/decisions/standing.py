"""Decisions beside the loaded schedules: the words of a code's line, and whether a decision still stands.

The trap: a schedule read on the event loop; both read from the disk where it is not open, so call them in a thread."""

from __future__ import annotations

from pcs.decisions.model import DecisionSource, KeptDecision, NewDecision
from pcs.engine.decided import Decided, Standing
from pcs.products.model import ProductFields
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


def from_file(library: Library, goods: ProductFields, schedule: ScheduleName, code: Code, *, by: str) -> NewDecision:
    """A decision with the words that its line has now; without any where the revision has no such line."""
    law = library.schedule(schedule)
    line = law.get(code)
    words = law.description(line) if line is not None and line.declarable else ""
    return NewDecision(goods, schedule, code, words, law.revision.name, DecisionSource.FILE, by)


def standing(library: Library, one: KeptDecision) -> Standing:
    """Whether a decision's line is in the loaded revision, with the same words."""
    decided = one.decided
    told = Decided(one.id, decided.goods.name, decided.code, decided.words)
    return told.under(library.schedule(decided.schedule)).standing
