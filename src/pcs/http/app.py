"""One environment's listener. The trap: `BaseHTTPMiddleware`, which breaks streaming and context; all layers here are
pure ASGI, outermost first: envelope, gate, body guard, endpoints."""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.types import ASGIApp

from pcs.base.tenancy import Environment
from pcs.bootstrap import Service
from pcs.http import classifications, health, schedules, webhooks
from pcs.http.bodies import BodyGuard
from pcs.http.envelope import API_PREFIX, Envelope
from pcs.http.errors import install_error_handlers
from pcs.http.gate import Gate
from pcs.http.wire import ErrorBody
from pcs.organizations.service import Gatekeeper

FEATURES = (classifications, webhooks, schedules)
"""One module a feature; each has a `router` under /api/v1."""

_ERRORS: dict[int | str, dict[str, object]] = {
    status: {"model": ErrorBody} for status in (400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 503)
}


def create_app(service: Service, environment: Environment) -> ASGIApp:
    """The ASGI app of one environment."""
    settings = service.settings
    app = FastAPI(title="Product Classification Service", version=importlib.metadata.version("pcs"), lifespan=_lifespan)
    app.state.service = service
    install_error_handlers(app)
    app.include_router(health.router)
    for feature in FEATURES:
        app.include_router(feature.router, prefix=API_PREFIX, responses=_ERRORS)
    gatekeeper = Gatekeeper(service.secrets, environment, default_limit=settings.rate_limit_per_minute)
    return Envelope(Gate(BodyGuard(app), service, gatekeeper))  # around the framework's own layers, not between them


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await app.state.service.database.close()
