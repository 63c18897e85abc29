"""A batch's progress as a stream of server-sent events: told when it changes, ended when the batch is completed.

The trap: an event for each of a hundred thousand classifications; what changed within a moment is one event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from pcs.base.bells import rung
from pcs.batches import service as batches
from pcs.batches.model import BatchStatus
from pcs.classifications import endings
from pcs.http.access import Access
from pcs.http.streams import streamed
from pcs.organizations.model import UnauthenticatedError
from pcs.wire.batches import BatchOutput

_ALONE = 5.0  # seconds after which it is looked at without having been woken
_TOGETHER = 0.25  # seconds in which changes are one event


async def look(access: Access, batch_id: str) -> BatchOutput:
    """How far a batch is. Raises NotFoundError."""
    async with access.read() as transaction:
        batch = await batches.get(transaction, access.tenant, batch_id)
        [summary] = await endings.summaries(transaction, [batch])
    return BatchOutput.of(batch, summary)


def progress(access: Access, batch_id: str, first: BatchOutput) -> StreamingResponse:
    """The stream, from what was seen first."""
    return streamed(_told(access, batch_id, first))


async def _told(access: Access, batch_id: str, now: BatchOutput) -> AsyncIterator[bytes]:
    yield _message(now)
    bells = access.service.bells
    with bells.bell(access.tenant) as bell:
        while now.status is not BatchStatus.COMPLETED and not bells.ended:
            await rung(bell, seconds=_ALONE)
            bell.clear()
            try:
                before, now = now, await look(access, batch_id)
            except UnauthenticatedError:
                return
            yield _message(now) if now != before else b": nothing happened\n\n"
            await asyncio.sleep(_TOGETHER)


def _message(now: BatchOutput) -> bytes:
    return b"event: progress\ndata: %s\n\n" % now.model_dump_json(exclude_unset=True).encode()
