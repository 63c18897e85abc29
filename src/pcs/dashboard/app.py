"""The dashboard as one ASGI app under /dashboard. The trap: headers that some answers lack; they are set here, around
everything, and so are the limits on what a request may carry."""

from __future__ import annotations

import time

import structlog
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base import ids
from pcs.base.errors import NotFoundError
from pcs.bootstrap import Service
from pcs.dashboard import (
    account,
    answers,
    assigning,
    audit,
    classifications,
    classify,
    company,
    decisions,
    endpoints,
    evidence,
    filed,
    four_eyes,
    keys,
    members,
    organization,
    overview,
    palette,
    quality,
    requests,
    review,
    schedules,
    second_factor,
    second_step,
    sign_in,
    static,
    uploads,
    usage,
    webhooks,
)
from pcs.dashboard.hashing import Hasher
from pcs.dashboard.pages import Pages
from pcs.dashboard.provider import provider_of
from pcs.dashboard.security import HEADERS
from pcs.dashboard.visit import ROOT, Dashboard, Visit, fault, problem
from pcs.uploads.model import LIMITS

FEATURES = (
    static,
    sign_in,
    second_step,
    company,
    overview,
    palette,
    classify,
    uploads,
    answers,
    assigning,
    classifications,
    decisions,
    evidence,
    review,
    filed,
    four_eyes,
    schedules,
    usage,
    quality,
    keys,
    webhooks,
    endpoints,
    requests,
    members,
    organization,
    account,
    second_factor,
    audit,
)
"""One module a feature; each has `ROUTES`."""

LEFT = 499  # as nginx has it, for our own log
_LARGEST = 6 * 1024 * 1024
_log = structlog.get_logger(__name__)


def create_dashboard(service: Service) -> ASGIApp:
    """The ASGI app. Whoever made the service closes it."""
    routes = [Route("/", _home), *(route for feature in FEATURES for route in feature.ROUTES)]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _unrouted,
            _TooLargeError: _too_large,
            ClientDisconnect: _left,
            Exception: _faulty,
        },
    )
    app.state.dashboard = Dashboard(service, Pages(), Hasher(), provider_of(service.settings))
    app.router.redirect_slashes = False
    return Shell(app)


async def _home(_: Request) -> Response:
    return RedirectResponse(ROOT, 307)


async def _unrouted(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    visit = _stranger(request)
    if error.status_code == 404:
        return problem(visit, NotFoundError("The address may be mistyped, or what was there is gone."))
    return visit.render("problem.html", error.status_code, title=error.detail, message="That is not possible here.")


async def _too_large(request: Request, _: Exception) -> Response:
    return _stranger(request).render("problem.html", 413, title="That is too much", message="Send something smaller.")


async def _left(_: Request, __: Exception) -> Response:
    """The browser went away in the middle of its form: no fault, and nobody is there to read this."""
    return Response(status_code=LEFT)


async def _faulty(request: Request, error: Exception) -> Response:
    return fault(_stranger(request), error)


def _stranger(request: Request) -> Visit:
    dashboard: Dashboard = request.app.state.dashboard
    return Visit(request, dashboard, dashboard.service.clock())


class Shell:
    """Pure ASGI middleware: our headers and request id on everything, a page for every fault, a limit on bodies."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = ids.new_id(ids.REQUEST)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        status, began = 0, time.monotonic()

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, _limited(receive, _largest(scope)), send_with_headers)
        except Exception as error:  # noqa: BLE001 (answered by _faulty already; the last resort only logs)
            _log.error("unexpected fault", exc_info=error)
        finally:
            took = round((time.monotonic() - began) * 1000, 1)
            _log.info("request", method=scope["method"], path=scope["path"], status=status, milliseconds=took)
            structlog.contextvars.unbind_contextvars("request_id")


class _TooLargeError(Exception):
    pass


def _largest(scope: Scope) -> int:
    """The bytes that a form may have: only the one that uploads products carries large files."""
    return LIMITS.bytes + _LARGEST if str(scope["path"]).endswith("/uploads") else _LARGEST


def _limited(receive: Receive, most: int) -> Receive:
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise _TooLargeError
        return message

    return limited


def with_dashboard(api: ASGIApp, dashboard: ASGIApp) -> ASGIApp:
    """Both behind one port: the bare address and all under /dashboard lead here, everything else to the API."""

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", ""))
        if scope["type"] == "http" and (path in {"/", ROOT} or path.startswith(f"{ROOT}/")):
            await dashboard(scope, receive, send)
        else:
            await api(scope, receive, send)

    return either
