"""What is known of one classification, as one record whose bytes anybody can make again and compare by their digest.

The trap: a time at which it was made, or an order that chance gave; then two records of one state differ and prove
nothing. Here is what is stored and nothing else, its keys in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pcs.base.errors import NotFoundError
from pcs.classifications.model import Classification
from pcs.engine.determination import Step
from pcs.organizations.people import AuditEntry
from pcs.schedules.entries import CodeEntry
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.wire.classifications import ClassificationOutput
from pcs.wire.evidence import Deed, EvidenceOutput, NoteText, PathLevel, SupersededOutput

FORMAT = "pcs-evidence-1"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A classification and what the database has of it: its steps, who did what with it, oldest first, and the one
    whose questions were answered by it. `organization` is the owner's name."""

    organization: str
    one: Classification
    steps: Sequence[Step] | None
    history: Sequence[AuditEntry]
    before: Classification | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """A record: its fields, and its bytes, which are canonical JSON (RFC 8259, keys sorted, no white space, UTF-8)."""

    fields: dict[str, Any]

    @property
    def content(self) -> bytes:
        """The bytes that the digest is of."""
        return json.dumps(self.fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    @property
    def digest(self) -> str:
        """Their SHA-256, in hexadecimal digits."""
        return sha256(self.content).hexdigest()


def evidence_of(gathered: Gathered, library: Library) -> EvidenceRecord:
    """The record of a classification. Reads the law, which blocks: call it in a thread."""
    one = gathered.one
    entry = _entry(library, one)
    found = EvidenceOutput(
        format=FORMAT,
        organization=gathered.organization,
        environment=one.tenant.environment,
        classification=ClassificationOutput.of(one, gathered.steps),
        path=_path(one, entry),
        notes=[NoteText(reference=note.reference, text=note.text) for note in entry.notes] if entry else [],
        history=list(map(_deed, gathered.history)),
        before=_before(gathered.before),
    )
    return EvidenceRecord(found.model_dump(mode="json", exclude_unset=True, by_alias=True))


def _entry(library: Library, one: Classification) -> CodeEntry | None:
    """What the revision of the answer says of the code; None where it is stored no more, or there is no code."""
    final, result = one.final, one.result
    code: Code | None = final.code if final else result.code if result else None
    revision = final.revision if final and final.revision else result.schedule_revision if result else None
    if code is None:
        return None
    is_current = library.schedule(one.schedule).revision.name == revision  # the starter's is stored nowhere
    try:
        return library.look_up(one.schedule, code, None if is_current else revision)
    except NotFoundError:
        return None


def _path(one: Classification, entry: CodeEntry | None) -> list[PathLevel]:
    """The path to the code in official words; as it was found where its revision is stored no more."""
    if entry is not None:
        return [PathLevel(code=node.code, description=node.text) for node in entry.path]
    found = one.result if one.final is None or (one.result and one.result.code == one.final.code) else None
    return [PathLevel(code=level.code, description=level.description) for level in found.hierarchy] if found else []


def _deed(each: AuditEntry) -> Deed:
    return Deed(at=each.created_at, by=each.actor.name, did=each.action, detail=each.detail)


def _before(before: Classification | None) -> SupersededOutput | None:
    if before is None:
        return None
    found = before.result
    return SupersededOutput(
        id=before.id, code=found.code if found else None, confidence=found.confidence if found else None
    )
