"""Parts and accessories. The trap: a part that has a heading of its own; it stays there, whatever it is for. Sources:
Section XVI note 2, Section XVII note 3, Section XV note 2, Chapter 90 note 2; the same in every country's schedule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pcs.engine.text import plain
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node

_SAID = re.compile(r"\b(?:parts?|accessor(?:y|ies)|spares?|replacement|components?|attachments?)\b")
_NAMED = re.compile(r"\b(?:parts?|accessories)\b")
# Articles of base metal that are parts of general use, wherever they are fitted.
_GENERAL_USE = frozenset("7307 7312 7315 7317 7318 7320 8301 8302 8308 8310".split())


def parts_finding(text: str, path: Sequence[Node]) -> str | None:
    """Which note on parts decides for goods described so on this path, and what it says; None where none bears."""
    start, heading = next((n, node.code.heading) for n, node in enumerate(path) if node.code and len(node.code) >= 4)
    note = _note(heading)
    if note and _NAMED.search(plain(" ".join(node.text for node in path[start:]))):
        return f"{note[0]}: a part fit solely or mainly for these goods is classified with them, in {heading.dotted}."
    if not _SAID.search(plain(text)):
        return None
    if heading in _GENERAL_USE:
        return (
            f"Section XV note 2: a part of general use stays in its own heading {heading.dotted}, whatever it is for."
        )
    if note:
        return f"{note[1]}: a part that heading {heading.dotted} itself names is classified there, whatever it is for."
    return None


def _note(heading: Code) -> tuple[str, str] | None:
    """The notes on parts for a heading: of those that follow their machine, of those named by themselves."""
    chapter = int(heading[:2])
    if chapter in {84, 85}:
        return "Section XVI note 2(b)", "Section XVI note 2(a)"
    if chapter in range(86, 89):
        return "Section XVII note 3", "Section XVII note 2"
    if chapter == 90:
        return "Chapter 90 note 2(b)", "Chapter 90 note 2(a)"
    return None
