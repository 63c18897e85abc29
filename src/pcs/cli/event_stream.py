"""A stream of events, read: the lines of server-sent events as messages (WHATWG HTML, "Server-sent events").

The trap: a reader of text lines, which also breaks at characters that stand in goods' names (U+2028, U+0085); so bytes
are read, and a message keeps the bytes of its body, which are what is signed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """One message; without a `kind` it says only how far the stream is."""

    id: str
    kind: str
    body: bytes


def messages(parts: Iterable[bytes]) -> Iterator[Message]:
    r"""Each message of a stream once all of it has come; comments are left out.

    >>> list(messages([b": alive\n\nid: evt_1\neve", b"nt: webhook.test\ndata: {}\n\nid: evt_2\nda"]))
    [Message(id='evt_1', kind='webhook.test', body=b'{}')]
    """
    fields: dict[bytes, bytes] = {}
    for line in _lines(parts):
        name, _, value = line.partition(b": ")
        if line:
            fields[name] = value
        elif b"id" in fields:
            yield Message(fields[b"id"].decode(), fields.get(b"event", b"").decode(), fields.get(b"data", b""))
        if not line:
            fields = {}


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for part in parts:
        *whole, last = part.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest = []
        rest.append(last)
