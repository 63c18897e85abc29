"""A person's word on an answer. The trap: a word that changes the answer; it stands beside the result, never over."""

from __future__ import annotations

import dataclasses
import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.base import ids
from pcs.base.errors import RefusalError


class NotReviewableError(RefusalError):
    """Only a final answer can be reviewed, and only one with a code can be accepted."""


class Decision(StrEnum):
    """What a person says of an answer."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


class Stage(StrEnum):
    """Where a review stands: only one that has decided counts. The others are of organizations with four eyes."""

    DECIDED = "decided"
    PROPOSED = "proposed"
    SENT_BACK = "sent_back"


@dataclass(frozen=True, slots=True)
class Review:
    """A person's word beside the result, never over it. `code` is there when corrected; `by` is a key or a member.

    `second_by`, `second_at` and `second_note` are of who confirmed it or sent it back.
    """

    decision: Decision
    by: str
    at: dt.datetime
    code: str | None = None
    note: str | None = None
    stage: Stage = Stage.DECIDED
    second_by: str | None = None
    second_at: dt.datetime | None = None
    second_note: str | None = None

    @property
    def stands(self) -> bool:
        """Whether it has decided."""
        return self.stage is Stage.DECIDED

    @property
    def deciders(self) -> str:
        """Whose word it is, with who confirmed it."""
        return f"{self.by}, confirmed by {self.second_by}" if self.second_by else self.by

    @property
    def decided_at(self) -> dt.datetime:
        """When it came to count."""
        return self.second_at or self.at

    def says_the_same(self, other: Review) -> bool:
        """Whether both come to the same, whatever the reasons."""
        return (self.decision, self.code) == (other.decision, other.code)


def counted(said: Review, before: Review | None, *, four_eyes: bool) -> Review:
    """A person's word as it counts beside what was said before; the earlier review itself where nothing is new.

    With four eyes it is a proposal, until somebody else says the same.
    """
    new = dataclasses.replace(said, stage=Stage.PROPOSED) if four_eyes else said
    if before is None or not before.says_the_same(said) or before.stage is Stage.SENT_BACK:
        return new
    if not four_eyes:
        return before if before.stands and (before.by, before.note) == (said.by, said.note) else said
    if _eyes(said.by) in {_eyes(before.by), _eyes(before.second_by)}:
        return before if said.note in {None, before.note, before.second_note} else new
    if before.second_by:
        return before
    return dataclasses.replace(before, stage=Stage.DECIDED, second_by=said.by, second_at=said.at, second_note=said.note)


def sent_back(before: Review | None, *, by: str, note: str, now: dt.datetime) -> Review:
    """A proposal with the reason to look again. Raises NotReviewableError where nothing is proposed."""
    if before is None or before.stage is not Stage.PROPOSED:
        msg = "Nothing is proposed for this classification: there is nothing to send back."
        raise NotReviewableError(msg)
    return dataclasses.replace(before, stage=Stage.SENT_BACK, second_by=by, second_at=now, second_note=note)


def _eyes(by: str | None) -> str | None:
    """Whose eyes a name stands for: all keys are one person, whoever holds them."""
    return ids.KEY if by is not None and ids.is_id(ids.KEY, by) else by
