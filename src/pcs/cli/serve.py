"""`pcs serve`: one environment's API. The trap: finding the port taken only after everything else has started."""

from __future__ import annotations

import os
import resource
import socket
from typing import Annotated

import typer
import uvicorn
from starlette.types import ASGIApp

from pcs.base.clock import SharedClock
from pcs.base.long_lived import long_lived
from pcs.base.metrics import Metrics, metrics_folder
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.base.tenancy import Environment
from pcs.base.tracing import configure_tracing
from pcs.bootstrap import Service, build_service, installation
from pcs.cli.ports import listening_socket
from pcs.cli.process import require_tables, run, stop_with_supervisor
from pcs.dashboard.app import create_dashboard, with_dashboard
from pcs.http.app import create_app
from pcs.http.server import ServerLimits, limited

_DRAIN_SECONDS = 20
_OTHER_FILES = 256  # the database's connections, logs, schedules, and callers who are being refused


def command(
    *,
    environment: Annotated[
        Environment, typer.Option(help="`live`, or `test` for the sandbox: whose keys work here.")
    ] = Environment.LIVE,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Where to listen; PCS_LIVE_PORT or PCS_SANDBOX_PORT otherwise."),
    ] = None,
) -> None:
    """Serve one environment's API until SIGTERM or Ctrl-C; requests in progress are finished first."""
    settings = Settings.from_environment(os.environ)
    configure_logging(settings.log_level)
    configure_tracing(settings.traces_endpoint, environment)
    usual, variable = _usual_port(settings, environment)
    with listening_socket(settings.host, port or usual, variable) as listening, installation(settings) as complete:
        clock = SharedClock()
        run(require_tables(complete, clock))
        stop_with_supervisor()
        _allow_files(settings.most_connections)
        service = build_service(complete, Metrics(metrics_folder(complete.data_dir)), clock=clock)
        with long_lived():  # else the collector stops every answer for a sixth of a second, again and again
            app = _app(service, environment)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            loop="uvloop",
            http=limited(ServerLimits(settings.most_connections, settings.head_seconds, settings.body_seconds)),
            ws="none",
            timeout_graceful_shutdown=_DRAIN_SECONDS,
        )
        StoppableServer(config, service).run(sockets=[listening])


class StoppableServer(uvicorn.Server):
    """A server whose waiting requests and streams end when it is stopped, instead of holding it up."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See the base class."""
        self._service.bells.end()
        await super().shutdown(sockets)


def _allow_files(connections: int) -> None:
    """Let the process open as many files as it may hold connections, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _app(service: Service, environment: Environment) -> ASGIApp:
    """The API; beside the live one stands the dashboard, which serves both environments."""
    api = create_app(service, environment)
    return with_dashboard(api, create_dashboard(service)) if environment is Environment.LIVE else api


def _usual_port(settings: Settings, environment: Environment) -> tuple[int, str]:
    if environment is Environment.LIVE:
        return settings.live_port, "PCS_LIVE_PORT"
    return settings.sandbox_port, "PCS_SANDBOX_PORT"
