"""A kept answer. The trap: an answer kept outside the transaction of its work outlives or misses that work."""

from __future__ import annotations

from dataclasses import dataclass

from pcs.base.errors import RefusalError
from pcs.base.tenancy import Tenant


class KeyReusedError(RefusalError):
    """The key came before with another body."""


class InProgressError(RefusalError):
    """A request with this key is still being worked on."""


@dataclass(frozen=True, slots=True)
class RequestIdentity:
    """What makes two requests the same; `fingerprint` is the SHA-256 of the canonical JSON body."""

    tenant: Tenant
    method: str
    path: str
    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """A success as it was sent: status and bytes."""

    status: int
    body: bytes
