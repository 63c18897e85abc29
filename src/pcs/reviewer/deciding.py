"""Which notes decide among the lines below a code: those first, whole, and each as it reads for that code.

The trap: every note that may be read, so that the one that decides is lost; what neither names the code nor defines a
word of its lines nor excludes from its chapter is named by its reference and read where it is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pcs.tariff.notes import Note, NoteFamily, NoteKind
from pcs.tariff.schedule import Node, Schedule

_NAMED = 4  # this rank and what follows is named, not shown
_MOST_CHARACTERS = 2_500  # of notes beside those that name the code
_BINDING = {NoteKind.EXCLUDES, NoteKind.DIRECTS, NoteKind.INCLUDES}
_BEGINS = re.compile(r"\W{0,3}[A-Z0-9]")
_SENTENCE = re.compile(
    r"(?:^|\s)(?=(?:This|These|The|An?|For|In|Only|Subject|See|It|All|Also|Products?|Goods|Articles?|Examples?|Heading"
    r"|Subheadings?|However|When|Where|If|Such)\s)"
)
_CHAPTER = 2  # digits
_LEFT_OUT = "[what follows speaks of other codes]"
_ENDING = re.compile(r"(?:^|(?<=\.))\s{0,3}[^.:]{1,60}:\s{0,9}$")


@dataclass(frozen=True, slots=True)
class Deciding:
    """The notes for a code: those to be shown whole, the deciding first, and those that are named."""

    shown: tuple[Note, ...]
    named: tuple[Note, ...]


def deciding(notes: Sequence[Note], nodes: Sequence[Node], schedule: Schedule, *, room: int | None = None) -> Deciding:
    """Of the notes that speak of goods of some nodes, in legal order, those that decide among their lines.

    `room`, in characters, is for notes that bind a chapter or section, or explain; those that name a code need none.
    """
    codes, said = [str(node.code) for node in nodes], " ".join(_said(node, schedule) for node in nodes)
    readable = [kept for note in notes if (kept := readable_for(note, codes)) is not None]
    ranked = sorted(((_rank(note, codes, said), note) for note in readable), key=lambda pair: pair[0])
    shown, named, left = list[Note](), list[Note](), _MOST_CHARACTERS if room is None else room
    for rank, note in ranked:
        binds = rank == 0 and note.family is not NoteFamily.EXPLANATORY
        left -= 0 if binds else len(note.text)
        (shown if binds or (rank < _NAMED and left >= 0) else named).append(note)
    return Deciding(tuple(shown), tuple(named))


def _rank(note: Note, codes: Sequence[str], said: str) -> int:
    """0 names the code or a line below, 1 defines a word used there, 2 and 3 bind chapter and section, 4 the rest."""
    below = [code for code in codes if len(code) > _CHAPTER]
    if any(len(target) > _CHAPTER and _concerns(target, below) for target in note.targets):
        return 0
    if any(re.search(rf"\b{re.escape(term.lower())}\b", said) for term in note.terms):
        return 1
    if note.family is NoteFamily.LEGAL and note.kind in _BINDING:
        return 2 if note.chapter else 3
    return _NAMED


def readable_for(note: Note, codes: Sequence[str]) -> Note | None:
    """The note without the paragraphs that speak of other codes alone; None where what is left is no sentence."""
    kept = [part for part in note.paragraphs if any(_concerns(target, codes) for target in part.applies_to)]
    others = len(kept) < len(note.paragraphs)
    if note.family is NoteFamily.EXPLANATORY and kept:
        kept[0] = replace(kept[0], text=_from_a_sentence(kept[0].text))
        kept[-1] = replace(kept[-1], text=_without_pictures(kept[-1].text))
    kept = [part for part in kept if part.text]
    if not kept:
        return None
    if others:
        kept[-1] = replace(kept[-1], text=f"{kept[-1].text} {_LEFT_OUT}")
    return replace(note, paragraphs=tuple(kept))


def _from_a_sentence(text: str) -> str:
    """A text from where its first sentence begins: a printed page's heading may have run into it.

    >>> _from_a_sentence("or toilet articles, of plastics"), _from_a_sentence("of paper This heading covers trays.")
    ('', 'This heading covers trays.')
    """
    if _BEGINS.match(text):
        return text
    found = _SENTENCE.search(text)
    return text[found.end() :] if found else ""


def _without_pictures(text: str) -> str:
    """A text without the words that announce pictures at its end, which no note here has.

    >>> _without_pictures("Only decorated cakes are covered. Examples:"), _without_pictures("Examples:")
    ('Only decorated cakes are covered.', '')
    """
    return _ENDING.sub("", text)


def _said(node: Node, schedule: Schedule) -> str:
    """All words of a node, above it and below it."""
    below, texts = [node], [step.text for step in schedule.path(node)]
    while below:
        step = below.pop()
        texts.append(step.text)
        below += schedule.children(step)
    return " ".join(texts).lower()


def _concerns(target: str, codes: Sequence[str]) -> bool:
    return any(code.startswith(target) or target.startswith(code) for code in codes)
