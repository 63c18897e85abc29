"""The five read-only tools, and what has been shown through them. One implementation: the reviewer's tool loop and
the assistants' tools use these. The trap: a citation of what nobody showed; what was shown is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pcs.base.errors import NotFoundError
from pcs.base.text import shortened
from pcs.reviewer.conversation import Tool
from pcs.reviewer.law import Law
from pcs.reviewer.outline import siblings, tree
from pcs.reviewer.shown import code_shown, note_shown, ruling_shown
from pcs.tariff.code import Code
from pcs.tariff.notes import Note
from pcs.tariff.ruling import Ruling, normal_reference
from pcs.tariff.schedule import Node

Found = dict[str, Any]

_LONGEST_FOUND = 200  # characters of a place that a search found


@dataclass
class Lookups:
    """What one reader looks up in the law. `told` are the notes whose words stand in the reader's conversation."""

    law: Law
    codes: set[str] = field(default_factory=set)
    rulings: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def search_schedule(self, words: str) -> Found:
        """Search the tariff for goods. Finds headings and lines, the likeliest first; then look one up."""
        nodes = self.law.search(words)
        self.show(nodes)
        return {"found": [self._found(node) for node in nodes]}

    def look_up_code(self, code: str) -> Found:
        """Look a code up: what one needs to choose a line under it.

        A heading (4 digits) shows its tree down to the lines, and whole the notes that decide; other notes are named.
        Where it has very many lines, some are folded: "[12 lines below]" stands at the code that holds them, to be
        looked up itself. Two digits show a chapter's headings.
        """
        node = self.law.schedule.get(Code.parse(code))
        if node is None:
            msg = f"{self.law.name} {self.law.schedule.revision.name} has no code {Code.parse(code).dotted}."
            raise NotFoundError(msg)
        shown = code_shown(self.law, node, known=frozenset(self.told))
        self.open(node)
        self.told.update(note["reference"] for note in shown["notes"])
        return shown

    def read_note(self, reference: str) -> Found:
        """Read a note that a look-up named, whole."""
        note = self.law.note(reference)
        if note is None:
            msg = f"There is no note {shortened(reference, 80)}: give its reference as a look-up names it."
            raise NotFoundError(msg)
        self.show_notes([note])
        self.told.add(note.reference)
        return note_shown(note)

    def search_rulings(self, words: str = "", code: str = "", limit: int = 10) -> Found:
        """Search customs rulings by up to eight words of the goods, of which each has at least half; none are revoked.

        With a code, only those that cite it or, beginning so, its first eight, six or four digits. Only the subject
        is known of those marked `only_subject`: reading them shows no more.
        """
        wanted = Code.parse(code) if code else ""
        rulings, limit = self.law.rulings, min(max(limit, 1), 50)
        found = [rulings.get(one.reference) or one for one in self.law.rulings_on(words, code=wanted, limit=limit)]
        self.show_rulings(found)
        return {"rulings": [ruling_shown(ruling) for ruling in found], **_cited(found, wanted)}

    def read_ruling(self, reference: str) -> Found:
        """Read one ruling: goods, codes, reasons, and whether it is still in force."""
        ruling = self.law.rulings.get(reference)
        if ruling is None:
            msg = f"There is no ruling {shortened(normal_reference(reference), 60)} among the loaded rulings."
            raise NotFoundError(msg)
        self.show_rulings([ruling])
        return ruling_shown(ruling, text=True)

    def _found(self, node: Node) -> Found:
        description = shortened(self.law.schedule.description(node), _LONGEST_FOUND)
        return {"code": node.code, "description": description, "declarable": node.declarable}

    def open(self, node: Node) -> None:
        """Remember a node, its path, siblings, what lies below it and the notes that decide as shown."""
        schedule = self.law.schedule
        self.show([*schedule.path(node), *siblings(schedule, node)])
        self.show(entry.node for entry in tree(schedule, node))
        if node.code:
            self.show_notes(self.law.deciding(node).shown)

    def show(self, nodes: Iterable[Node]) -> None:
        """Remember nodes as shown."""
        self.codes.update(node.code for node in nodes if node.code)

    def show_rulings(self, rulings: Iterable[Ruling]) -> None:
        """Remember rulings as shown, and the codes that they cite."""
        for ruling in rulings:
            self.rulings.add(ruling.reference)
            self.codes.update(ruling.codes)

    def show_notes(self, notes: Iterable[Note]) -> None:
        """Remember notes as shown."""
        self.notes.update(note.reference for note in notes)


def _cited(found: Sequence[Ruling], wanted: str) -> Found:
    """Where no ruling cites the code that was asked for, the digits of it that they do cite."""
    cited = [code for ruling in found for code in ruling.codes]
    for held in [wanted[:digits] for digits in range(len(wanted), 0, -2)]:
        if any(code.startswith(held) for code in cited):
            return {} if held == wanted else {"none_cites": wanted, "these_begin_with": held}
    return {}


def _text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


def _parameters(*required: str, **properties: dict[str, str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_CODE = _text("2 to 10 digits, dots allowed, such as 6109.10.")
_TOOLS: dict[str, dict[str, Any]] = {
    "search_schedule": _parameters("words", words=_text("What the goods are, in the terms that the tariff uses.")),
    "look_up_code": _parameters("code", code=_CODE),
    "read_note": _parameters("reference", reference=_text("The note's reference, as a look-up names it.")),
    "search_rulings": _parameters(words=_text("Words of the goods."), code=_CODE),
    "read_ruling": _parameters("reference", reference=_text("The ruling's number.")),
}


NAMES = frozenset(_TOOLS)


def tools(law: Law) -> tuple[Tool, ...]:
    """The tools as a model is told of them; those for rulings only where there are any."""
    return tuple(
        Tool(name, " ".join((getattr(Lookups, name).__doc__ or "").split()), parameters)
        for name, parameters in _TOOLS.items()
        if law.has_rulings or "ruling" not in name
    )


def use(lookups: Lookups, tool: str, arguments: object) -> Found:
    """What a tool finds for a model's arguments, whatever they are; what is wrong with them is said, never raised."""
    if tool not in _TOOLS:
        return {"error": f"There is no such tool: there are {', '.join(_TOOLS)}."}
    properties = _TOOLS[tool]["properties"]
    given = arguments if isinstance(arguments, dict) else {}
    kept = {name: value for name, value in given.items() if name in properties and isinstance(value, str)}
    absent = [name for name in _TOOLS[tool]["required"] if not kept.get(name, "").strip()]
    if absent:
        return {"error": f"{tool} needs {', '.join(absent)}, as text."}
    try:
        found: Found = getattr(lookups, tool)(**kept)
    except (ValueError, NotFoundError) as error:
        return {"error": shortened(str(error), 300)}
    return found
