"""Where a model is reached, and what a server's refusals mean. The trap: a wrong key that looks like a bad day of the
server; what the operator must put right is told apart from what passes by itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from pcs.reviewer.model import Fault

_TOO_MANY = 429
_TIMED_OUT = frozenset({408, 504})
_LATER = 500


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


def fault_of_status(status: int) -> Fault:
    """What an HTTP status that remained after all retries means for an assessment."""
    if status == _TOO_MANY:
        return Fault.RATE_LIMIT
    if status in _TIMED_OUT:
        return Fault.TIME_OUT
    return Fault.UNAVAILABLE if status >= _LATER else Fault.NOT_ALLOWED
