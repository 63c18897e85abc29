"""Where a model is reached, and what a server's refusals mean. The trap: a wrong key that looks like a bad day of the
server; what the operator must put right is told apart from what passes by itself, and from a model without vision."""

from __future__ import annotations

from dataclasses import dataclass, field

from pcs.reviewer.conversation import Request
from pcs.reviewer.model import AssessmentError, Fault, PicturesRefusedError

_TOO_MANY = 429
_TIMED_OUT = frozenset({408, 504})
_LATER = 500
_NO_VISION = frozenset({400, 404, 413, 415, 422})  # what vendors, gateways and local servers answer to pictures


@dataclass(frozen=True, slots=True)
class Server:
    """A model at an address. `seconds` is for each attempt of a request, `retries` how many follow a failed one.

    `base_url` "" is the vendor's own; `temperature` None leaves it to the server.
    """

    model: str
    base_url: str = ""
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    retries: int = 2
    temperature: float | None = None

    @property
    def is_openai(self) -> bool:
        """Whether it is OpenAI's own service or Azure's, which know the newest form of the format only."""
        return not self.base_url or "openai." in self.base_url


def refusal(request: Request, status: int, said: str) -> AssessmentError:
    """The error for a status that remained after all retries; some local servers tell a lack of vision as a 500."""
    no_vision = status in _NO_VISION or (status >= _LATER and "image" in said.lower())
    kind = PicturesRefusedError if no_vision and request.has_pictures else AssessmentError
    return kind(fault_of_status(status), f"HTTP {status}")


def fault_of_status(status: int) -> Fault:
    """What an HTTP status that remained after all retries means for an assessment."""
    if status == _TOO_MANY:
        return Fault.RATE_LIMIT
    if status in _TIMED_OUT:
        return Fault.TIME_OUT
    return Fault.UNAVAILABLE if status >= _LATER else Fault.NOT_ALLOWED
