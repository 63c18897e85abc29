"""Requests that may wait for what they ask for: `Prefer: wait=30` (RFC 7240) or `?wait=30`.

The trap: a preference taken for a demand; a header that makes no sense is ignored, as the standard says, and the answer
tells what was heeded. The parameter is ours, and a wrong one is refused."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from pcs.http.access import Access
from pcs.http.lists import whole_number

MOST = 60
"""Seconds that a request may wait."""

_WAIT = re.compile(r'\s*wait\s*=\s*"?([0-9]{1,9})"?\s*(?:;.*)?', re.IGNORECASE)
_SAID = f"Seconds, at most {MOST}, to wait until it is final; then it is answered as it is."


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a request may wait, and whether it was a preference, which is confirmed."""

    seconds: int
    preferred: bool = False

    async def until_final(self, access: Access, ids: Collection[str]) -> None:
        """Wait, holding nothing."""
        await access.service.finals.wait(access.tenant, set(ids), seconds=self.seconds)


async def _asked(
    wait: Annotated[
        Annotated[int, Field(ge=0, le=MOST), BeforeValidator(whole_number)] | None, Query(description=_SAID)
    ] = None,
    prefer: Annotated[str | None, Header(description="`wait=30` is the same as `?wait=30`.")] = None,
) -> Wait | None:
    if wait is not None:
        return Wait(wait)
    found = next(filter(None, map(_WAIT.fullmatch, (prefer or "").split(","))), None)
    return None if found is None else Wait(min(int(found[1]), MOST), preferred=True)


def confirmed(wait: Wait | None, response: Response) -> Response:
    """The answer, with the preference that was heeded."""
    if wait is not None and wait.preferred:
        response.headers["Preference-Applied"] = f"wait={wait.seconds}"
    return response


Waiting = Annotated[Wait | None, Depends(_asked)]
