"""What the notes exclude. The trap: a note that excludes an article of one kind read as if it excluded all; it applies
only where its own words were said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pcs.engine.text import words
from pcs.tariff.code import Code
from pcs.tariff.notes import Exclusion, Notes

_SAID = 0.5  # share of an exclusion's telling words that must have been said


@dataclass(frozen=True, slots=True)
class Excluded:
    """An exclusion that bears on the goods: out of one heading, into another."""

    exclusion: Exclusion
    goes_to: Code
    out_of: Code

    @property
    def finding(self) -> str:
        """What the note says, in a sentence."""
        return f"{self.exclusion.reference} excludes such goods and refers them to {self.goes_to.dotted}."


class Exclusions:
    """The exclusions of one edition's notes, looked up once for each heading that is asked about."""

    def __init__(self, notes: Notes | None) -> None:
        self._notes = notes
        self._known: dict[Code, tuple[Exclusion, ...]] = {}
        self._telling: dict[str, frozenset[str]] = {}  # a chapter's exclusions are those of all its headings

    def bearing(self, text: str, out_of: Code, into: Sequence[Code]) -> Excluded | None:
        """The first exclusion out of one heading into one of the others whose own words were said."""
        if not into:
            return None
        said = set(words(text))
        for exclusion in self._of(out_of):
            target = next((code for code in into if any(place.covers(code) for place in exclusion.goes_to)), None)
            telling = self._telling_of(exclusion.text) if target else frozenset()
            if target and telling and len(telling & said) >= _SAID * len(telling):
                return Excluded(exclusion, target, out_of)
        return None

    def _of(self, heading: Code) -> tuple[Exclusion, ...]:
        if heading not in self._known:
            found = () if self._notes is None else self._notes.exclusions(heading)
            self._known[heading] = tuple(each for each in found if each.goes_to)
        return self._known[heading]

    def _telling_of(self, text: str) -> frozenset[str]:
        if text not in self._telling:
            self._telling[text] = frozenset(words(text))
        return self._telling[text]
