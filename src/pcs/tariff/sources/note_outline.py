"""Notes as plain text cut into their numbered and lettered parts. The traps: (i) is a letter after (h) and a numeral
after a colon, (ij) is one letter, a sum in the text looks like a number, and the text after a list may belong to the
whole note."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_NUMBER = re.compile(r"(\d{1,2}|l)(?:\.|(?=\s*\([aA]\)\s)|(?=\s+[A-Z]))\s*(.*)")  # "l." is a 1 in some files
_LABEL = re.compile(r"\(([a-z]{1,5}|[A-Z]{1,2}|\d{1,2})\)\s*(.*)")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii")
_OPENS = (":", "-", "\u2014", "\u2013")


@dataclass(slots=True)
class OutlinePart:
    """A lettered part with its whole place, such as "(a)(ii)"; label "" for the note's own words."""

    label: str
    text: str


@dataclass(slots=True)
class OutlineNote:
    """A numbered note and its parts in order."""

    number: str
    parts: list[OutlinePart] = field(default_factory=list)


def outline(lines: Iterable[str]) -> list[OutlineNote]:
    """The notes in the lines of one list of notes, numbered from 1 without a gap."""
    reader = _Reader()
    for line in lines:
        reader.take(line)
    return reader.notes


class _Reader:
    """Takes lines and builds notes; `_labels` is the place of the open part, one label a level."""

    def __init__(self) -> None:
        self.notes: list[OutlineNote] = []
        self._labels: list[str] = []

    def take(self, line: str) -> None:
        numbered = _NUMBER.match(line)
        if numbered and self._is_next(numbered[1].replace("l", "1"), numbered[2]):
            self.notes.append(OutlineNote(numbered[1].replace("l", "1"), [OutlinePart("", "")]))
            self._labels = []
            self._take_text(numbered[2])
        elif self.notes:
            self._take_text(line)

    def _is_next(self, number: str, text: str) -> bool:
        """Whether a number goes on with the list: the next one, or the one after where a note was repealed."""
        last = int(self.notes[-1].number) if self.notes else 0
        return int(number) == last + 1 or (int(number) == last + 2 and text[:1].isupper() and bool(self.notes))

    def _take_text(self, text: str) -> None:
        labelled = _LABEL.match(text)
        place = self._place(labelled[1]) if labelled else None
        if labelled and place:
            if len(place) <= len(self._labels):
                self._rejoin_tail()
            self._labels = place
            self._parts.append(OutlinePart("".join(f"({label})" for label in place), ""))
            self._take_text(labelled[2])
        elif self._labels and self._parts[-1].label and self._is_tail(text):
            self._parts.append(OutlinePart("", text))
        else:
            self._parts[-1].text = f"{self._parts[-1].text} {text}".strip()

    def _rejoin_tail(self) -> None:
        """The list goes on: what looked like the words of the whole note belongs to the part before."""
        if len(self._parts) > 1 and not self._parts[-1].label:
            tail = self._parts.pop()
            self._parts[-1].text = f"{self._parts[-1].text} {tail.text}"

    @property
    def _parts(self) -> list[OutlinePart]:
        return self.notes[-1].parts

    def _place(self, label: str) -> list[str] | None:
        """Where a label belongs: it opens a list, or follows the label of an open one; None if it is no label."""
        if _opens_list(label) and self._expects_list():
            return [*self._labels, label]
        for level in range(len(self._labels) - 1, -1, -1):
            if label in _followers(self._labels[level]):
                return [*self._labels[:level], label]
        if _opens_list(label) and label not in self._labels:
            return [*self._labels, label]
        return None

    def _expects_list(self) -> bool:
        """Whether the text so far ends in the way that announces a list."""
        last = self._parts[-1].text
        return not last or last.endswith(_OPENS)

    def _is_tail(self, text: str) -> bool:
        """Whether a line starts a sentence of the whole note: the list before it has ended with a full stop."""
        return self._parts[-1].text.endswith(".") and text[:1].isupper()


def _opens_list(label: str) -> bool:
    return label in {"a", "i", "A", "1", "aa", "AA"}


def _followers(label: str) -> set[str]:
    """The labels that may come after one in its own list.

    >>> sorted(_followers("h")), sorted(_followers("ij")), sorted(_followers("iv"))
    (['i', 'ij'], ['k'], ['v'])
    """
    followers: set[str] = set()
    if label in _ROMANS[:-1] and len(label) + (label in "ivx") > 1:
        followers.add(_ROMANS[_ROMANS.index(label) + 1])
    if label.isdigit():
        followers.add(str(int(label) + 1))
    elif label == "ij":
        followers.add("k")
    elif len(set(label)) == 1 and label not in {"z", "Z"}:
        followers.add(chr(ord(label[0]) + 1) * len(label))
    return followers | ({"ij"} if label == "h" else set())
