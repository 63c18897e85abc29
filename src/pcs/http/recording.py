"""What the request log keeps of a request that was answered. The trap: a poll that takes longer because it is logged;
an answer is looked at only where it is an error, or more was done than reading."""

from __future__ import annotations

import datetime as dt

from starlette.types import Scope

from pcs.base.redaction import without_secrets
from pcs.base.text import shortened, storable
from pcs.bootstrap import Service
from pcs.organizations.model import ApiKey
from pcs.requests.bodies import kept_answer, kept_text
from pcs.requests.model import LARGEST_ANSWER, LoggedRequest

_LONGEST = 500
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def line_of(scope: Scope, status: int, seconds: float, service: Service) -> LoggedRequest | None:
    """The line of a request in its organization's log; None where nobody's key was sent, or none are kept."""
    state = scope["state"]
    sender: ApiKey | None = state.get("sender")
    if sender is None or not service.recorder.wanted:
        return None
    query = scope["query_string"]
    return LoggedRequest(
        id=state["request_id"],
        tenant=sender.tenant,
        key_id=sender.id,
        method=shortened(scope["method"], _LONGEST),
        path=shortened(storable(scope["path"]), _LONGEST),
        query=shortened(without_secrets(query.decode("latin-1")), _LONGEST) if query else "",
        status=status,
        took=round(seconds * 1000, 1),
        created_at=service.clock() - dt.timedelta(seconds=seconds),
        request_body=kept_text(state.get("body")) if service.recorder.bodies else None,
        response_body=_answer(scope, status) if service.recorder.bodies else None,
    )


def _answer(scope: Scope, status: int) -> str | None:
    """An answer's body, where it is short and cannot be had again by asking again."""
    body: bytes = scope["state"].get("last_part", b"")
    if not body or len(body) > LARGEST_ANSWER or (status < 400 and scope["method"] in _READING):
        return None
    return kept_answer(body)
