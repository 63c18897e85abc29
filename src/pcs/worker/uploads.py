"""The job that sends the next rows of an uploaded file. The trap: credits that others have spent meanwhile; the upload
stops there and says so, and what was sent goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pcs.bootstrap import Service
from pcs.organizations.model import InsufficientCreditsError
from pcs.uploads import service as uploads


def send_task(service: Service) -> Callable[[str], Awaitable[None]]:
    """The task, which takes an upload's id and may run twice."""

    async def run(subject: str) -> None:
        try:
            async with service.database.begin() as transaction:
                await uploads.send_more(transaction, subject, now=service.clock())
        except InsufficientCreditsError as refusal:
            async with service.database.begin() as transaction:
                await uploads.stop(transaction, subject, str(refusal))

    return run
