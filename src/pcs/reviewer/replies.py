"""Paid replies in a file: one JSON object a line, added as they come. It makes an evaluation resumable and a recorded
conversation repeatable. The trap: a line cut off by a crash; it is left out and asked anew."""

from __future__ import annotations

import json
from pathlib import Path

from pcs.reviewer.conversation import LanguageModel, Replies, Reply, Request
from pcs.reviewer.model import AssessmentError, Fault


class FileReplies:
    """Replies kept in a file; `replay_only` never pays for another."""

    def __init__(self, path: Path, *, replay_only: bool = False) -> None:
        self._path = path
        self._replay_only = replay_only
        self._known = dict(_read(path)) if path.exists() else {}
        self._begun = False

    def __len__(self) -> int:
        return len(self._known)

    async def kept(self, digest: str) -> Reply | None:
        """See Replies."""
        return self._known.get(digest)

    async def allow(self) -> None:
        """See Replies."""
        if self._replay_only:
            raise AssessmentError(Fault.UNAVAILABLE, f"{self._path.name} holds no reply to this request")

    async def keep(self, digest: str, reply: Reply) -> None:
        """See Replies."""
        self._known[digest] = reply
        with self._path.open("a", encoding="utf-8") as file:
            if not self._begun and file.tell():
                file.write("\n")  # ends a line that a crash cut off
            file.write(json.dumps({"digest": digest, "reply": reply.document()}) + "\n")
        self._begun = True


def _read(path: Path) -> list[tuple[str, Reply]]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
            found.append((entry["digest"], Reply.of(entry["reply"])))
        except (ValueError, KeyError, TypeError):
            continue
    return found


async def ask_once(model: LanguageModel, name: str, replies: Replies, request: Request) -> Reply:
    """The reply that was paid for, or else the model's, which is then kept. Raises AssessmentError."""
    digest = request.digest(name)
    kept = await replies.kept(digest)
    if kept is not None:
        return kept
    await replies.allow()
    reply = await model.ask(request)
    await replies.keep(digest, reply)
    return reply
