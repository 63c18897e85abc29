"""Which rulings an assessment may find: by code, by the words of the subject and by the words of the letter.

The trap: a search of subjects alone, or of a code that has since been split; the letter is read of those that cite the
code's heading, and where no code is given, the headings that the engine ranks first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pcs.engine.text import words
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus

_MOST_WORDS = 8
_READ = 60  # letters that a search reads
_OPENING = 4_000  # characters of a letter that a search reads: the goods and the first reasons
_DIGITS = (10, 8, 6, 4)


class Rulings(Protocol):
    """A corpus of rulings, as RulingCorpus is one."""

    def get(self, reference: str) -> Ruling | None:
        """A ruling by its reference, however it is written."""
        ...  # pragma: no cover

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """Rulings whose subject has all the words and that cite a code beginning so, newest first."""
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True)
class Without:
    """Rulings without some of them and any that cites those."""

    rulings: Rulings
    hidden: frozenset[str]

    def get(self, reference: str) -> Ruling | None:
        """See Rulings."""
        found = self.rulings.get(reference)
        return found if found and self._shows(found) else None

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """See Rulings."""
        found = self.rulings.search(words, code=code, source=source, limit=limit + len(self.hidden))
        return [ruling for ruling in found if self._shows(ruling)][:limit]

    def _shows(self, ruling: Ruling) -> bool:
        return not self.hidden & ruling.cites


@dataclass(frozen=True, slots=True)
class RulingSearch:
    """A search of a source's rulings; `headings_for` says where goods of some words may be."""

    rulings: Rulings
    source: RulingSource | None
    headings_for: Callable[[str], Sequence[str]]

    def find(self, text: str, *, code: str, limit: int) -> list[Ruling]:
        """Those not revoked that fit a text and a code best; a code alone is asked for by ever fewer digits."""
        wanted = text.encode("utf-8", "replace").decode().split()[:_MOST_WORDS]
        if not wanted:
            return self._citing(code, limit) if code else []
        asked = set(words(" ".join(wanted)))
        known = {ruling.reference: ruling for ruling in self._candidates(wanted, code)}
        scored = [(*_shared(ruling, asked), ruling) for ruling in self._usable(list(known.values()))]
        fitting = [(subject, both, ruling) for subject, both, ruling in scored if both * 2 >= len(asked)]
        return [ruling for *_, ruling in sorted(fitting, key=lambda found: -found[0] - found[1])][:limit]

    def _candidates(self, wanted: Sequence[str], code: str) -> Iterator[Ruling]:
        """Rulings with the words, or one of them, in their subject, and the letters of those on the code."""
        yield from self._search(" ".join(wanted), code=code, limit=_READ)
        for word in wanted if len(wanted) > 1 else ():
            yield from self._search(word, code=code, limit=_READ // _MOST_WORDS)
        places = (
            [self._citing(code, _READ)]
            if code
            else [self._search(code=heading, limit=_READ // 3) for heading in self.headings_for(" ".join(wanted))[:3]]
        )
        for ruling in [each for found in places for each in found]:
            yield self.rulings.get(ruling.reference) or ruling

    def _citing(self, code: str, limit: int) -> list[Ruling]:
        """Rulings that cite a code, then its first eight, six or four digits: lines are split and renumbered."""
        found: dict[str, Ruling] = {}
        for digits in [digits for digits in _DIGITS if digits <= max(len(code), min(_DIGITS))]:
            if len(found) < limit:
                for ruling in self._usable(self._search(code=code[:digits], limit=limit)):
                    found.setdefault(ruling.reference, ruling)
        return list(found.values())[:limit]

    def _search(self, text: str = "", *, code: str, limit: int) -> list[Ruling]:
        return self.rulings.search(text, code=code, source=self.source, limit=limit)

    def _usable(self, found: Sequence[Ruling]) -> list[Ruling]:
        return [ruling for ruling in found if ruling.status is not RulingStatus.REVOKED]


def _shared(ruling: Ruling, asked: set[str]) -> tuple[int, int]:
    """How many of the words asked stand in a ruling's subject, and how many there or in its letter."""
    letter = f"{ruling.grounds[:_OPENING]} {ruling.text[:_OPENING]}"
    subject = asked & set(words(ruling.subject))
    return len(subject), len(subject | asked & set(words(letter)))
