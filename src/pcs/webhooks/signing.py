"""How a receiver knows that a delivery is ours: X-Webhook-Secret, and the Standard Webhooks signature beside it.

The trap: the signature covers id, time and the exact bytes of the body, so the body is never re-encoded.
Source: the Standard Webhooks specification, "Symmetric signatures"."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import hashlib
import hmac
from collections.abc import Sequence

_PREFIX = "whsec_"


def headers(message_id: str, body: bytes, secrets: Sequence[str], *, now: dt.datetime) -> dict[str, str]:
    """The authenticating headers of one sending; `secrets` holds the current secret first, none gives no signature."""
    timestamp = str(int(now.timestamp()))
    known = {"webhook-id": message_id, "webhook-timestamp": timestamp}
    if not secrets:
        return known
    signatures = " ".join(sign(message_id, timestamp, body, secret) for secret in secrets)
    return {**known, "webhook-signature": signatures, "X-Webhook-Secret": secrets[0]}


def sign(message_id: str, timestamp: str, body: bytes, secret: str) -> str:
    """One `v1` signature."""
    signed = message_id.encode() + b"." + timestamp.encode() + b"." + body
    return "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode()


def _key(secret: str) -> bytes:
    """A `whsec_` secret is base64; any other is taken as it is written."""
    if secret.startswith(_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
