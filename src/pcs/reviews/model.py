"""A person's word on an answer. The trap: a word that changes the answer; it stands beside the result, never over."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.errors import RefusalError


class NotReviewableError(RefusalError):
    """Only a final answer can be reviewed, and only one with a code can be accepted."""


class Decision(StrEnum):
    """What a person says of an answer."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Review:
    """A person's word beside the result, never over it. `code` is there when corrected; `by` is a key or a member."""

    decision: Decision
    by: str
    at: dt.datetime
    code: str | None = None
    note: str | None = None
