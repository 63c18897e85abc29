"""`pcs trigger`: have an event happen in the sandbox, in the way it happens in earnest.

The trap: an event that is only written down; here goods are submitted and analysed, a batch ends, a person's word is
put beside a result, and what follows from that is told to whoever wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import httpx2
import typer

from pcs.base.errors import OperatorError
from pcs.cli.api import Server, accepted, api, key_of_environment
from pcs.cli.options import AsJson
from pcs.cli.output import print_json, say
from pcs.sandbox.simulation import Scenario
from pcs.webhooks.model import EventType

_GOODS = {"name": "Men's cotton T-shirt", "description": "Knitted, 100% cotton", "identifier": "pcs-trigger"}
_SECONDS = 30


def _classified(client: httpx2.Client, **more: str) -> str:
    """A classification that is final; its id."""
    body = {"product": {**_GOODS, **more}, "schedules": ["US-HTS"]}
    answer = accepted(client.post("/products/classify", json=body, params={"wait": _SECONDS})).json()
    [one] = answer["classifications"]
    if one["status"] not in {"completed", "failed"}:
        msg = f"{one['id']} is not final after {_SECONDS} seconds: does a worker run (`pcs work`, `pcs up`)?"
        raise OperatorError(msg)
    return str(one["id"])


def _failed(client: httpx2.Client) -> str:
    return _classified(client, identifier=Scenario.FAIL)


def _reviewed(client: httpx2.Client) -> str:
    one = _classified(client)
    accepted(client.put(f"/classifications/{one}/review", json={"decision": "accepted"}))
    return one


def _batch(client: httpx2.Client) -> str:
    body = {"products": [_GOODS, {**_GOODS, "name": "Leather handbag"}], "schedules": ["US-HTS"]}
    batch: dict[str, Any] = accepted(client.post("/classifications/bulk", json=body)).json()
    accepted(client.get(f"/classifications/bulk/{batch['batch_id']}", params={"wait": _SECONDS, "view": "summary"}))
    return str(batch["batch_id"])


def _test(client: httpx2.Client) -> str:
    return str(accepted(client.post("/webhooks/test")).json()["delivery_id"])


_WAYS: dict[EventType, Callable[[httpx2.Client], str]] = {
    EventType.CLASSIFICATION_COMPLETED: _classified,
    EventType.CLASSIFICATION_FAILED: _failed,
    EventType.CLASSIFICATION_REVIEWED: _reviewed,
    EventType.BATCH_COMPLETED: _batch,
    EventType.WEBHOOK_TEST: _test,
}


def command(
    event: Annotated[str, typer.Argument(metavar="EVENT", help=f"One of: {', '.join(_WAYS)}.")],
    *,
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Have an event happen in the sandbox, with simulated goods: `pcs listen` and webhooks get it."""
    way = _WAYS.get(EventType(event)) if event in set(EventType) else None
    if way is None:
        raise OperatorError(_why_not(event))
    with api(server, key_of_environment(sandbox_only=True)) as client:
        subject = way(client)
    if as_json:
        print_json({"event": event, "subject_id": subject})
    else:
        say(f"{event} happened: {subject}.")


def _why_not(event: str) -> str:
    if event == EventType.SCHEDULE_OUTDATED:
        return "schedule.outdated happens when a new revision is promoted: `pcs schedules promote`, by the operator."
    return f"There is no event {event}: `pcs trigger` knows {', '.join(_WAYS)}."
