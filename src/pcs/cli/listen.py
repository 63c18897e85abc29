"""`pcs listen`: an organization's events on this machine, without an address that the service could reach.

The trap: a connection that breaks and takes events with it; each is counted when it has been dealt with, and the stream
goes on after the last that was."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from typing import Annotated

import httpx2
import typer

from pcs.base.plurals import counted
from pcs.cli.api import Server, accepted, api, key_of_environment
from pcs.cli.event_stream import Message, messages
from pcs.cli.forwarding import Forwarder
from pcs.cli.options import AsJson
from pcs.cli.output import say, say_aside
from pcs.webhooks.signing import new_secret

_PAUSES = (1.0, 2.0, 5.0, 10.0)  # seconds between tries to connect; then the last of them
_PASSING = frozenset({429, *range(500, 600)})


def command(
    *,
    forward_to: Annotated[
        str | None, typer.Option("--forward-to", metavar="URL", help="Post each event there, signed.")
    ] = None,
    events: Annotated[
        str | None, typer.Option("--events", help="Only these kinds, commas between: batch.completed,webhook.test.")
    ] = None,
    replay_since: Annotated[
        str | None, typer.Option("--replay-since", metavar="TIME", help="Begin earlier: 2026-01-31T12:00:00Z.")
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
) -> None:
    """Show events as they happen, and forward them to a program on this machine. Ctrl-C ends it."""
    key = key_of_environment()
    query = {"types": events, "since": replay_since}
    listening = _Listening({name: value for name, value in query.items() if value is not None}, as_json=as_json)
    with contextlib.ExitStack() as open_until_the_end:
        client = open_until_the_end.enter_context(api(server, key))
        if forward_to is not None:
            secret = os.environ.get("PCS_WEBHOOK_SECRET") or new_secret()
            listening.forwarder = open_until_the_end.enter_context(Forwarder(forward_to, secret))
            listening.aside(f"Forwarding to {forward_to}, signed with PCS_WEBHOOK_SECRET={secret}")
        try:
            listening.run(client)
        except KeyboardInterrupt:
            listening.aside(listening.farewell)


@dataclass(slots=True)
class _Listening:
    """What was asked for, and how far it is."""

    query: dict[str, str]
    as_json: bool
    forwarder: Forwarder | None = None
    last_id: str | None = None
    seen: int = 0
    refused: int = 0
    tries: int = 0

    def run(self, client: httpx2.Client) -> None:
        """Follow the stream, and connect again whenever it ends. Raises OperatorError where the service refuses."""
        while True:
            with contextlib.suppress(httpx2.TransportError):
                self._follow(client)
            if self.tries == 1:
                say_aside("The connection is gone; trying again. Nothing is lost.")
            time.sleep(_PAUSES[min(self.tries, len(_PAUSES) - 1)] if self.tries else 0)
            self.tries += 1

    def _follow(self, client: httpx2.Client) -> None:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": self.last_id} if self.last_id else {})
        with client.stream("GET", "/events", params=self.query, headers=headers) as response:
            if response.status_code in _PASSING:
                return
            accepted(response)
            if self.last_id is None:
                self.aside("Listening. Ctrl-C ends it.")
            for message in messages(response.iter_raw()):
                self.tries = 0
                self._take(message)
                self.last_id = message.id

    def _take(self, message: Message) -> None:
        if not message.kind:
            return
        said = json.loads(message.body)
        subject = said["data"].get("id") or said["data"].get("batch_id") or said["data"].get("schedule") or ""
        line = f"{said['timestamp']}  {message.kind}  {message.id}  {subject}".rstrip()
        self.seen += 1
        if self.forwarder is not None:
            taken, answer = self.forwarder.forward(message)
            self.refused += not taken
            line += f"  -> {answer}{'' if taken else ': not taken'}"
        say(json.dumps({"id": message.id, **said}, ensure_ascii=False) if self.as_json else line)

    def aside(self, sentence: str) -> None:
        """Say what is no event: beside them where those are for programs."""
        (say_aside if self.as_json else say)(sentence)

    @property
    def farewell(self) -> str:
        """What is said at the end."""
        not_taken = f", {self.refused} not taken" if self.refused else ""
        return f"Stopped after {counted(self.seen, 'event')}{not_taken}."
