"""Whether the process lives, and whether it can do its work. The trap: restarting a healthy process because its
database is away: `/health` asks nobody."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from pcs.bootstrap import Service, readiness
from pcs.schedules.damage import damages

router = APIRouter(include_in_schema=False)


@router.get("/health")
async def health() -> JSONResponse:
    """Alive."""
    return JSONResponse({"status": "ok"})


@router.get("/ready")
async def ready(request: Request) -> JSONResponse:
    """Whether database, migrations and a worker are there; 503 and which are not, otherwise.

    What is stored and damaged is named beside them, and the answer stays 200: everything else goes on.
    """
    service: Service = request.state.service
    checks = await readiness(service)
    damaged = await asyncio.to_thread(damages, service.settings.data_dir)
    good = all(checks.values())
    status = "unavailable" if not good else "degraded" if damaged else "ok"
    said = {"status": status, "checks": checks} | ({"damaged": damaged} if damaged else {})
    return JSONResponse(said, 200 if good else 503)
