"""Whether the process lives, and whether it can do its work. The trap: restarting a healthy process because its
database is away: `/health` asks nobody."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from pcs.bootstrap import Service, readiness

router = APIRouter(include_in_schema=False)


@router.get("/health")
async def health() -> JSONResponse:
    """Alive."""
    return JSONResponse({"status": "ok"})


@router.get("/ready")
async def ready(request: Request) -> JSONResponse:
    """Whether database, migrations, schedules and a worker are there; 503 and which are not, otherwise."""
    service: Service = request.app.state.service
    checks = await readiness(service)
    good = all(checks.values())
    return JSONResponse({"status": "ok" if good else "unavailable", "checks": checks}, 200 if good else 503)
