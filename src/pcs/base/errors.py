"""The two families of expected failure: what an operator can mend, and what a caller is refused.

The trap: a refusal raised deep inside must carry what its answer needs, as only `pcs.http.errors` knows statuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class OperatorError(Exception):
    """Something the person at the machine can mend. The message is one sentence and is all that they are shown."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One field that is wrong and why; `field` is a path such as `products[3].name`."""

    field: str
    message: str


class RefusalError(Exception):
    """A request that the service understands and will not carry out. Features subclass it; the message is shown."""


class InvalidRequestError(RefusalError):
    """A request with one or more wrong fields."""

    def __init__(self, *violations: Violation) -> None:
        super().__init__("The request is not valid; `details` names each field.")
        self.violations = violations


class NotFoundError(RefusalError):
    """No such thing for this caller: unknown, another tenant's, or another environment's, and nothing tells which."""


class DamagedError(OperatorError, RefusalError):
    """A stored file that is not what was stored. The message names it and what mends it: the operator reads it at the
    machine, and a caller who can have all but this."""

    def __init__(self, what: str, path: Path, mend: str) -> None:
        super().__init__(f"{what} is damaged ({path.parent.name}/{path.name}): {mend}.")
        self.what = what
