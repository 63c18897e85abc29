"""What is said to a model and what it replies, in no vendor's format. The trap: paying twice for one reply; a request
has a digest, and a reply that was paid for is kept under it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

from pcs.reviewer.model import Tokens
from pcs.reviewer.pictures import Picture

_MOST = 10**9  # tokens that a server may claim for a request

ANSWER = "answer"
"""The tool by which a model gives its answer where it has tools, and always in Anthropic's format."""


class Stop(StrEnum):
    """Why a reply ended."""

    DONE = "done"
    LENGTH = "length"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants used; `arguments` is JSON as the model wrote it."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A read-only tool and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """Our words to the model, and the pictures of the goods that come with them."""

    text: str
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool found."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's words, the tools it wants used, and what they took."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = Stop.DONE
    tokens: Tokens = field(default_factory=Tokens)

    def document(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def of(cls, document: dict[str, Any]) -> Reply:
        """The reply that a document was made of."""
        calls = tuple(ToolCall(**call) for call in document["calls"])
        return cls(document["text"], calls, Stop(document["stop"]), Tokens(**document["tokens"]))


Turn = Said | ToolResult | Reply


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a model is told: who it is, the turns so far, the tools, and the JSON schema of its answer."""

    system: str
    turns: tuple[Turn, ...]
    schema: dict[str, Any]
    tools: tuple[Tool, ...] = ()
    most_tokens: int = 4_096

    def digest(self, model: str) -> str:
        """What names this request to this model: SHA-256 of all that is sent, of pictures their own."""
        sent = [model, {**asdict(replace(self, turns=())), "turns": [_named(turn) for turn in self.turns]}]
        return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()

    @property
    def has_pictures(self) -> bool:
        """Whether the model is shown any."""
        return any(isinstance(turn, Said) and turn.pictures for turn in self.turns)

    def showing(self, pictures: tuple[Picture, ...], told: str) -> Request:
        """The same request with pictures at its first question, and what the model is told of them."""
        first, *rest = self.turns
        assert isinstance(first, Said)
        return replace(self, system=f"{self.system}{told}", turns=(replace(first, pictures=pictures), *rest))


def _named(turn: Turn) -> dict[str, Any]:
    """A turn as a digest knows it; one without pictures as before there were any, so that kept replies stay good."""
    if not isinstance(turn, Said):
        return asdict(turn)
    return {"text": turn.text, **({"pictures": [one.digest for one in turn.pictures]} if turn.pictures else {})}


def text_of(value: object) -> str:
    """What a server sent as text, as text that can be stored and sent on; anything else is written as JSON."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, default=str)
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def tokens_of(given: object, returned: object) -> Tokens:
    """What a server says that a request took; nothing where it says nothing of use.

    >>> tokens_of(12, -3), tokens_of("many", None)
    (Tokens(input=12, output=0), Tokens(input=0, output=0))
    """
    return Tokens(*(value if isinstance(value, int) and 0 <= value < _MOST else 0 for value in (given, returned)))


class LanguageModel(Protocol):
    """Who is asked."""

    async def ask(self, request: Request) -> Reply:
        """The model's reply. Raises AssessmentError."""
        ...  # pragma: no cover

    async def close(self) -> None:
        """Let go of connections."""
        ...  # pragma: no cover


class Replies(Protocol):
    """Where paid replies are kept, and who says whether another may be paid for."""

    async def kept(self, digest: str) -> Reply | None:
        """The reply to a request, if it was paid for."""
        ...  # pragma: no cover

    async def allow(self) -> None:
        """Raises AssessmentError where no further request may be paid for."""
        ...  # pragma: no cover

    async def keep(self, digest: str, reply: Reply) -> None:
        """Keep a reply and count what it took; both, or neither."""
        ...  # pragma: no cover
