"""What a browser carries from one step of a sign-in to the next, sealed, as there is no session yet. The trap: a step
begun long ago, or of one purpose taken for another; both are in the seal, and what cannot be opened is nothing."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json

from cryptography.exceptions import InvalidTag
from starlette.responses import Response

from pcs.base.errors import OperatorError
from pcs.dashboard.security import set_cookie
from pcs.dashboard.visit import Visit

_LASTS = dt.timedelta(minutes=10)


def sealed(visit: Visit, purpose: str, said: dict[str, str]) -> str:
    """The same as text that only this installation opens, for ten minutes."""
    whole = json.dumps({**said, "until": (visit.now + _LASTS).timestamp()})
    return base64.urlsafe_b64encode(visit.service.secrets.seal(whole, owner=purpose)).decode()


def opened(visit: Visit, purpose: str, text: str) -> dict[str, str]:
    """What was sealed for this purpose; empty where it is over, was made up or is of another purpose."""
    try:
        said = json.loads(visit.service.secrets.open(base64.urlsafe_b64decode(text), owner=purpose))
    except (OperatorError, InvalidTag, binascii.Error, ValueError):
        return {}
    return said if said.pop("until") > visit.now.timestamp() else {}


def carry(visit: Visit, response: Response, cookie: str, said: dict[str, str]) -> Response:
    """Have the browser carry something to its next request."""
    set_cookie(response, cookie, sealed(visit, cookie, said), seconds=int(_LASTS.total_seconds()))
    return response


def carried(visit: Visit, cookie: str) -> dict[str, str]:
    """What the browser carries; empty where nothing."""
    return opened(visit, cookie, visit.request.cookies.get(cookie, ""))
