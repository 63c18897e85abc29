"""A handful of real products through the live API, over HTTP, as a customer would send them.

The traps: a demonstration that calls the engine behind the API's back; and one that a customer pays for and whose
events reach a customer's endpoint. It has an organization of its own, without webhooks, whose key lives as long as it
runs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli.process import operator
from pcs.organizations import audit
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey
from pcs.organizations.people import Action
from pcs.tariff.revision import ScheduleName

_LIMIT_SECONDS = 120.0  # seconds for all products together
_POLL = 0.1
_SCHEDULES = tuple(name.value for name in ScheduleName)

_PRODUCTS = (
    {
        "name": "Men's T-shirt",
        "description": "Knitted, 100% cotton, short sleeves, crew neck",
        "country_of_origin": "BD",
    },
    {"name": "Laptop computer", "description": "Portable, 14 inch display, 1.2 kg, 16 GB memory, 512 GB SSD"},
    {"name": "Roasted coffee beans", "description": "Whole beans, arabica, not decaffeinated, 1 kg bag"},
    {"name": "Leather handbag", "description": "Woman's shoulder bag, outer surface of cow leather, cotton lining"},
    {"name": "Wooden dining table", "description": "Solid oak, seats six, for household use"},
    {"name": "Lithium-ion battery pack", "description": "Rechargeable, 48 V, 10 Ah, for electric bicycles"},
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One row of the table."""

    name: str
    answer: dict[str, Any]
    seconds: float

    @property
    def completed(self) -> bool:
        """Whether there is a code."""
        return bool(self.answer["status"] == "completed")


async def run_demo(service: Service, console: Console) -> bool:
    """Submit the products, show what came back, and answer whether each was completed."""
    async with service.database.begin() as transaction:
        organization_id = await organizations.ensure_demonstration(transaction, now=service.clock())
    address = f"http://{_host(service.settings.host)}:{service.settings.live_port}"
    async with _key(service, organization_id) as token:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=address, headers=headers, trust_env=False) as client:
            rows = await _classify_all(client, console)
    console.print(_table(rows))
    return len(rows) == len(_PRODUCTS) * len(_SCHEDULES) and all(row.completed for row in rows)


def _host(listening: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(listening, listening)  # noqa: S104 (read, not bound)


@contextlib.asynccontextmanager
async def _key(service: Service, organization_id: str) -> AsyncIterator[str]:
    """A key for as long as the demonstration takes, with room for its polling."""
    new = NewKey(tenant=Tenant(organization_id, Environment.LIVE), name="demo", rate_limit=10_000)
    async with service.database.begin() as transaction:
        key, token = await organizations.create_key(transaction, new, service.secrets, now=service.clock())
        who, detail = operator(organization_id), f"{key.name} ({key.tenant.environment}, …{key.last_four})"
        await audit.record(transaction, who, Action.KEY_CREATED, subject=key.id, detail=detail, now=service.clock())
    try:
        yield token
    finally:
        async with service.database.begin() as transaction:
            await organizations.revoke_key(transaction, key.id, organization_id, now=service.clock())
            await audit.record(transaction, who, Action.KEY_REVOKED, subject=key.id, now=service.clock())


async def _classify_all(client: httpx2.AsyncClient, console: Console) -> list[Shown]:
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("Classifying", total=len(_PRODUCTS) * len(_SCHEDULES))

        async def one(product: dict[str, str]) -> list[Shown]:
            started = time.monotonic()
            body = {"product": product, "schedules": list(_SCHEDULES)}
            accepted = (await client.post("/api/v1/products/classify", json=body)).raise_for_status().json()
            rows = []
            for stub in accepted["classifications"]:
                answer = await _poll(client, stub["poll_url"])
                rows.append(Shown(product["name"], answer, time.monotonic() - started))
                progress.advance(bar)
            return rows

        async with asyncio.timeout(_LIMIT_SECONDS):
            answers = await asyncio.gather(*(one(product) for product in _PRODUCTS))
    return [row for rows in answers for row in rows]


async def _poll(client: httpx2.AsyncClient, url: str) -> dict[str, Any]:
    while True:
        answer: dict[str, Any] = (await client.get(url)).raise_for_status().json()
        if answer["status"] in {"completed", "failed"}:
            return answer
        await asyncio.sleep(_POLL)


def _table(rows: list[Shown]) -> Table:
    """Eighty columns wide at most: names stand above their codes, and only a description is ever cut."""
    table = Table(title="Classified by the live API", caption=f"All in {max(row.seconds for row in rows):.1f} s")
    for title in ("Schedule", "Code", "Confidence"):
        table.add_column(title, no_wrap=True)
    table.add_column("Product and description")
    shown = ""
    for row in rows:
        if row.name != shown:
            shown = row.name
            table.add_row("", "", "", Text(row.name, "bold"))
        table.add_row(*_cells(row.answer))
    return table


def _cells(answer: dict[str, Any]) -> tuple[str | Text, ...]:
    result = answer.get("result")
    if result is None:
        return answer["schedule"], "no code", "", _line(answer["error"]["message"])
    confidence = "not scored" if result["confidence"] is None else f"{result['confidence']:.0%}"
    names = ScheduleName(answer["schedule"]).profile.wire
    return answer["schedule"], str(result[names.code]), confidence, _line(str(result[names.description]))


def _line(words: str) -> Text:
    return Text(words, no_wrap=True, overflow="ellipsis")
