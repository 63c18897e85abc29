"""The record of a classification on the wire: what its digest is of. The trap: a field that is there in one state and
another time not; all of these are always there."""

from __future__ import annotations

from pydantic import Field

from pcs.wire.base import Answer, Timestamp
from pcs.wire.classifications import ClassificationOutput


class PathLevel(Answer):
    """One level of the path to the code."""

    code: str | None = Field(description="Null for a group that has a description but no code.")
    description: str = Field(description="In official words.")


class NoteText(Answer):
    """A legal note on goods of the code."""

    reference: str
    text: str


class Deed(Answer):
    """What somebody did with the classification."""

    at: Timestamp
    by: str
    did: str
    detail: str


class SupersededOutput(Answer):
    """The classification whose questions were answered by this one."""

    id: str
    code: str | None
    confidence: float | None


class EvidenceOutput(Answer):
    """All that is known of one classification."""

    format: str = Field(description="`pcs-evidence-1`.")
    organization: str
    environment: str
    classification: ClassificationOutput
    path: list[PathLevel] = Field(description="To the final code, otherwise to the machine's.")
    notes: list[NoteText]
    history: list[Deed]
    before: SupersededOutput | None
