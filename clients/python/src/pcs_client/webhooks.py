"""For receivers: is this request a delivery of the service, and what does it say? The trap: parsing before verifying,
or verifying a body that was encoded anew; the bytes as they came are what is signed.

Source: the Standard Webhooks specification."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pcs_client.errors import WebhookError

TOLERANCE = 300.0  # seconds that a delivery's time may be off, against replays


@dataclass(frozen=True, slots=True)
class Event:
    """A verified delivery. Deliveries repeat: do nothing for a `delivery_id` that came before."""

    delivery_id: str
    type: str
    data: Mapping[str, Any]


def read_webhook(
    headers: Mapping[str, str], body: bytes, secret: str, *, now: float | None = None, tolerance: float = TOLERANCE
) -> Event:
    """The event of a request, whose body is given as the bytes that came. Raises WebhookError for anything else."""
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, moment, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        age = abs((time.time() if now is None else now) - int(moment))
    except (KeyError, ValueError):
        msg = "The request does not carry a webhook's id, timestamp and signature."
        raise WebhookError(msg) from None
    if age > tolerance:
        msg = f"The delivery's time is off by {age:.0f} s."
        raise WebhookError(msg)
    expected = _signature(f"{message}.{moment}.".encode() + body, secret)
    if not any(hmac.compare_digest(expected, each.encode()) for each in signatures.split()):
        msg = "The signature is not of this secret and body."
        raise WebhookError(msg)
    told = json.loads(body)
    return Event(delivery_id=given.get("x-service-delivery-id", message), type=told["event"], data=told["data"])


def _signature(signed: bytes, secret: str) -> bytes:
    key = secret.encode()
    if secret.startswith("whsec_"):
        with contextlib.suppress(binascii.Error):  # not base64 after all: the text itself is the secret
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
