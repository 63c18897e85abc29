"""A revision's provisions as goods are compared with them: their words, and what they require. The trap: provisions
that are read when the first product meets their heading; each is read once a revision, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from pcs.engine.arrays import Arrays, packed, unpacked
from pcs.engine.legal.requirements import affirmed_by_stem
from pcs.engine.legal.terms import Terms, terms_of
from pcs.engine.retrieval.by_term import ByTerm
from pcs.engine.retrieval.provisions import Provisions, index_provisions
from pcs.tariff.schedule import Schedule


@dataclass(frozen=True, eq=False)
class ReadLaw:
    """The words of each line and its path, the requirements of every provision that has any, by its text, and the
    provisions that affirm each stem."""

    provisions: Provisions
    asking: Mapping[str, Terms]
    affirmed: ByTerm

    def arrays(self) -> Arrays:
        """As plain arrays, to be stored."""
        rows = {text: terms.row() for text, terms in self.asking.items()}
        return {
            **self.provisions.arrays("provisions"),
            **self.affirmed.arrays("affirmed"),
            "terms": packed(rows),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `arrays()` stored."""
        asking = {text: Terms.from_row(row) for text, row in unpacked(arrays["terms"]).items()}
        return cls(Provisions.from_arrays(arrays, "provisions"), asking, ByTerm.from_arrays(arrays, "affirmed"))


def law_of(schedule: Schedule) -> ReadLaw:
    """Read the provisions of a revision; it takes seconds."""
    texts = dict.fromkeys(node.text for node in schedule.nodes)
    asking = {text: terms for text in texts if (terms := terms_of(text)).asks}
    return ReadLaw(index_provisions(schedule), asking, affirmed_by_stem(schedule))
