"""Pictures of goods as a model is shown them. The trap: a file that calls itself a picture; what it is, its first bytes
say, and nothing else does."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

_BEGINNINGS = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in memory: its media type, its bytes in Base64 as both formats want them, their SHA-256 in hex."""

    media_type: str
    base64: str = field(repr=False)
    digest: str


@dataclass(frozen=True, slots=True)
class Looked:
    """The pictures that could be had, in order, and of the others why not, in words for whoever gave the address."""

    pictures: tuple[Picture, ...]
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        of = len(self.pictures) + len(self.missing)
        return "; ".join((f"{len(self.pictures)} of {of} fetched", *self.missing))


Look = Callable[[], Awaitable[Looked]]
"""Fetches the pictures of some goods; never raises for one that cannot be had."""


def picture_of(content: bytes) -> Picture | None:
    """The picture that a file's bytes are: JPEG, PNG, WebP or GIF; None for anything else.

    >>> picture_of(b"GIF89a...").media_type, picture_of(b"<svg>")
    ('image/gif', None)
    """
    media_type = next((kind for begins, kind in _BEGINNINGS.items() if content.startswith(begins)), None)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        media_type = "image/webp"
    if media_type is None:
        return None
    return Picture(media_type, base64.b64encode(content).decode(), hashlib.sha256(content).hexdigest())
