"""What an API process takes when all that reads the law is in use: both schedules, their notes, every stored revision,
two of them compared, the dashboard, assistants. `PCS_DATA_DIR` holds official data (`docs/data.md`); it is copied.

Resident memory, after the same requests three times: what grows with each round is no cache."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2

from benchmarks.installation import Installation, Process, installation
from benchmarks.table import Figure
from pcs.base.telemetry import configure_logging
from pcs.dashboard.security import SESSION_COOKIE
from pcs.organizations import members, sessions
from pcs.organizations import service as organizations
from pcs.organizations.members import Newcomer
from pcs.organizations.people import Origin

_SCHEDULES = ("US-HTS", "EU-CN")
_ROUNDS = 3
_FOLDERS = ("schedules", "notes", "rulings")


def figures() -> Iterator[Figure]:
    """Before anybody asked, after each round, and how much of it the law is."""
    configure_logging("warning")
    yield from asyncio.run(_measure(Path(os.environ.get("PCS_DATA_DIR", ".pcs/data"))))


async def _measure(official: Path) -> list[Figure]:
    async with installation() as made:
        for name in _FOLDERS:
            if (official / name).is_dir():
                shutil.copytree(official / name, made.settings.data_dir / name)
        process = made.serve()
        cookie = await _signed_in(made)
        idle = process.memory
        found = [Figure("memory of an API, idle", idle, "MiB")]
        async with httpx2.AsyncClient(base_url=process.url, timeout=120, trust_env=False) as client:
            for number in range(1, _ROUNDS + 1):
                await _use(client, made, cookie)
                found.append(_figure(process, f"memory of an API, the law in use, round {number}"))
        found.append(Figure("of it the law", process.memory - idle, "MiB"))
        return found


def _figure(process: Process, name: str) -> Figure:
    return Figure(name, process.memory, "MiB")


async def _use(client: httpx2.AsyncClient, made: Installation, cookie: str) -> None:
    headers = made.headers()
    stored = (await client.get("/api/v1/schedules", headers=headers)).json()["data"]
    for schedule in stored:
        name, editions = schedule["schedule"], [one["revision"] for one in schedule["revisions"]]
        for edition in editions:
            await _get(client, f"/api/v1/schedules/{name}/codes/6109?revision={edition}", headers=headers)
        await _get(client, f"/api/v1/schedules/{name}/codes/6109", headers=headers)
        await _get(client, f"/api/v1/schedules/{name}/outdated", headers=headers)
        await _ask_assistant(client, name, headers)
        for page in (f"schedules/{name}?q=cotton+shirt", f"schedules/{name}/codes/6109", f"schedules/{name}/changes"):
            await _get(client, f"/dashboard/live/{page}", headers={"cookie": f"{SESSION_COOKIE}={cookie}"})
    await _get(client, "/api/v1/rulings?q=shirt", headers=headers)


async def _get(client: httpx2.AsyncClient, path: str, *, headers: dict[str, str]) -> None:
    answer = await client.get(path, headers=headers)
    assert answer.status_code == httpx2.codes.OK, (path, answer.status_code, answer.text[:500])


async def _ask_assistant(client: httpx2.AsyncClient, schedule: str, headers: dict[str, str]) -> None:
    asked = {"name": "search_schedule", "arguments": {"words": "cotton shirt", "schedule": schedule}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    accepting = {**headers, "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    answer = await client.post("/mcp", json=body, headers=accepting)
    assert json.loads(answer.text)["result"]["isError"] is False, answer.text[:500]


async def _signed_in(made: Installation) -> str:
    """The session of an owner."""
    service = made.service
    now = service.clock()
    async with service.database.begin() as transaction:
        organization = await organizations.create_organization(transaction, "Law", now=now)
        offered = await members.offer_first_administrator(transaction, organization, service.secrets, now=now)
        invitation = await members.find_invitation(transaction, offered, service.secrets, now=now)
        member = await members.accept(transaction, invitation, Newcomer("a@example.com", "A", "none"), now=now)
        origin = Origin("127.0.0.1", "bench")
        _, token = await sessions.begin(transaction, member, organization, service.secrets, origin=origin, now=now)
    return token
