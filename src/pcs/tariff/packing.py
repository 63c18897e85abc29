"""A schedule as bytes and back. The trap: the digest that names a revision must come from its content alone, so that
the same publication gives the same name on every machine, and a changed byte is noticed."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pcs.base.same import Same
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Duty, Footnote, Node, PublishedRow, Schedule, build

FORMAT = 1
_DECLARABLE = 1
_IMPLIED = 2


class DamagedScheduleError(ValueError):
    """Bytes that are not the schedule they are said to be."""


def assemble(
    name: ScheduleName, edition: str, rows: Iterable[PublishedRow], *, in_force_from: dt.date | None = None
) -> Schedule:
    """The schedule that rows in legal order make, with a revision named by their digest."""
    unnamed = build(Revision(name, edition, "", in_force_from), rows)
    return replace(unnamed, revision=replace(unnamed.revision, digest=digest_of(pack(unnamed))))


def digest_of(packed: bytes) -> str:
    """SHA-256 of packed bytes, in hexadecimal."""
    return hashlib.sha256(packed).hexdigest()


def pack(schedule: Schedule) -> bytes:
    """The rows of a schedule as compact JSON: [code, depth, text, flags, duty, units], one row a line; footnotes
    follow where a row has some: [columns, text] each, or the number of the same ones before.

    A publication without footnotes keeps the digest that it had before they were kept.
    """
    depths: list[int] = []
    known: dict[tuple[Footnote, ...], int] = {}
    lines = []
    for node in schedule.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        lines.append(
            json.dumps([*_fields(node, depths[-1]), *_noted(node, known)], ensure_ascii=False, separators=(",", ":"))
        )
    return ("[" + ",\n".join(lines) + "]\n").encode()


def unpack(packed: bytes, revision: Revision) -> Schedule:
    """The schedule that was packed. Raises DamagedScheduleError if the bytes do not have the revision's digest."""
    require_same(packed, revision)
    known, same = list[tuple[Footnote, ...]](), Same()
    return build(revision, (_row(fields, known, same) for fields in json.loads(packed)))


def unpack_words(packed: bytes, revision: Revision) -> Iterator[tuple[str | None, int, str]]:
    """Code, depth and words of each row that was packed, one row in memory at a time. Raises DamagedScheduleError."""
    require_same(packed, revision)
    for row in packed.decode().strip()[1:-1].split(",\n"):
        code, depth, text, *_ = json.loads(row)
        yield code, depth, text


def require_same(packed: bytes, revision: Revision) -> None:
    """Raises DamagedScheduleError if the bytes do not have the revision's digest."""
    if digest_of(packed) != revision.digest:
        msg = f"{revision.schedule} {revision.edition} is damaged: its content is not what was stored. Import it again."
        raise DamagedScheduleError(msg)


def _fields(node: Node, depth: int) -> list[object]:
    duty = node.duty
    return [
        node.code,
        depth,
        node.text,
        _DECLARABLE * node.declarable + _IMPLIED * node.implied,
        [duty.general, duty.special, duty.other] if duty else None,
        list(node.units),
    ]


def _noted(node: Node, known: dict[tuple[Footnote, ...], int]) -> list[object]:
    """A few hundred footnotes stand at tens of thousands of rows: each is written, and later held, once."""
    if not node.footnotes:
        return []
    if node.footnotes in known:
        return [known[node.footnotes]]
    known[node.footnotes] = len(known)
    return [[[",".join(note.columns), note.text] for note in node.footnotes]]


def _row(fields: list[object], known: list[tuple[Footnote, ...]], same: Same) -> PublishedRow:
    code, depth, text, flags, duty, units, *more = fields
    assert isinstance(depth, int)
    assert isinstance(flags, int)
    assert isinstance(units, list)
    return PublishedRow(
        Code.shared(code) if isinstance(code, str) else None,
        depth,
        same[str(text)],
        declarable=bool(flags & _DECLARABLE),
        duty=same[Duty(*duty)] if isinstance(duty, list) else None,
        units=same[tuple(units)],
        implied=bool(flags & _IMPLIED),
        footnotes=_footnotes(more[0], known) if more else (),
    )


def _footnotes(noted: object, known: list[tuple[Footnote, ...]]) -> tuple[Footnote, ...]:
    if isinstance(noted, int):
        return known[noted]
    assert isinstance(noted, list)
    known.append(tuple(Footnote(tuple(filter(None, columns.split(","))), text) for columns, text in noted))
    return known[-1]
