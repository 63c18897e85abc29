"""One environment's listener. The trap: `BaseHTTPMiddleware`, which breaks streaming and context; all layers here are
pure ASGI, outermost first: envelope, gate, body guard, endpoints."""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from pcs.base.tenancy import Environment
from pcs.bootstrap import Service
from pcs.http import (
    account,
    answers,
    audits,
    bulk,
    classifications,
    collection,
    decisions,
    docs,
    endpoints,
    events,
    evidence,
    files,
    health,
    metrics,
    outdated,
    products,
    promises,
    quality,
    replays,
    requests,
    reviews,
    rulings,
    sandbox,
    schedules,
    searching,
    webhooks,
)
from pcs.http.bodies import BodyGuard
from pcs.http.envelope import ASSISTANTS_PATH, Envelope
from pcs.http.errors import install_error_handlers
from pcs.http.gate import Gate
from pcs.http.openapi import install_document, operation_id
from pcs.organizations.service import Gatekeeper
from pcs.wire.base import API_PREFIX

FEATURES = (
    products,
    bulk,
    files,
    audits,
    evidence,
    classifications,
    answers,
    reviews,
    decisions,
    promises,
    quality,
    webhooks,
    endpoints,
    events,
    replays,
    schedules,
    searching,
    outdated,
    rulings,
    account,
    requests,
    sandbox,
)
"""One module a feature; each has a `router` under /api/v1."""


def create_app(service: Service, environment: Environment, endpoints: FastAPI | None = None) -> ASGIApp:
    """The ASGI app of one environment. Endpoints that are at hand serve any number of apps, but for their lifespan."""
    app = endpoints or described()
    app.state.service = service
    limit = service.settings.rate_limit_per_minute
    gatekeeper = Gatekeeper(service.database, service.secrets, environment, default_limit=limit)
    gate = Gate(BodyGuard(app), service, gatekeeper)  # around the framework's own layers, not between them
    return Envelope(gate, environment, service)


def described() -> FastAPI:
    """Every endpoint with its document; nothing is asked of the service before a request comes."""
    app = FastAPI(
        title="Product Classification Service",
        version=importlib.metadata.version("pcs"),
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # the envelope sees the gate too
        generate_unique_id_function=operation_id,
    )
    install_error_handlers(app)
    install_document(app)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(docs.router)
    app.include_router(collection.router)
    for feature in FEATURES:
        app.include_router(feature.router, prefix=API_PREFIX)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    from pcs.http.assistants import build_tool_server  # noqa: PLC0415 (slow to import, and only servers need it)
    from pcs.http.tools import MessagesOnly  # noqa: PLC0415

    assistants = build_tool_server(app.state.service).session_manager
    app.router.routes.append(Route(ASSISTANTS_PATH, MessagesOnly(assistants.asgi_app), methods=["POST"]))
    async with app.state.service.recorder.running(), assistants.run():
        yield
    await app.state.service.bells.close()
    await app.state.service.database.close()
