"""Many records in one ZIP, written while it is sent: a document and a record each.

The trap: an archive built in memory; here no more than one record is held at a time."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pcs.base.errors import NotFoundError
from pcs.evidence.pdf import pdf_of
from pcs.evidence.record import EvidenceRecord, Gathered, evidence_of
from pcs.schedules.library import Library

Gather = Callable[[str], Awaitable[Gathered]]


class _Sent:
    """What the archive has written and nobody has taken yet: a file that cannot be gone back in."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._place = 0

    def write(self, content: bytes) -> int:
        self._parts.append(bytes(content))
        self._place += len(content)
        return len(content)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def archive(ids: Sequence[str], gather: Gather, library: Library) -> AsyncIterator[bytes]:
    """The bytes of an archive with `ID.pdf` and `ID.json` of each classification; one that is gone meanwhile is left
    out and named in `left-out.txt`."""
    sent, left_out = _Sent(), list[str]()
    with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED) as packed:
        for one in ids:
            try:
                gathered = await gather(one)
            except NotFoundError:
                left_out.append(one)
                continue
            record = await asyncio.to_thread(evidence_of, gathered, library)
            await asyncio.to_thread(_pack, packed, one, record)
            yield sent.taken()
        if left_out:
            packed.writestr(_named("left-out.txt"), "\n".join(left_out))
    yield sent.taken()


def _pack(packed: zipfile.ZipFile, name: str, record: EvidenceRecord) -> None:
    packed.writestr(_named(f"{name}.pdf"), pdf_of(record), zipfile.ZIP_STORED)  # packed already
    packed.writestr(_named(f"{name}.json"), record.content, zipfile.ZIP_DEFLATED)


def _named(name: str) -> zipfile.ZipInfo:
    """A name without the time of packing, so that the same records make the same archive."""
    return zipfile.ZipInfo(name)


def attached(name: str) -> dict[str, str]:
    """The header that has a browser keep what it is sent under a name of ours."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
