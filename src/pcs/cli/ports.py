"""The two addresses to listen on, proved free before anything else is done.

The trap: a port that is found taken after a minute of installing. `make run` runs this module before that, with plain
Python, so nothing here may import a library."""

from __future__ import annotations

import os
import socket
import sys

from pcs.base.errors import OperatorError
from pcs.base.settings import Settings


def listening_socket(host: str, port: int, variable: str) -> socket.socket:
    """A socket bound to an address. Raises OperatorError, naming the variable to change, where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except socket.gaierror:
        bound.close()
        msg = f"PCS_HOST={host} is not an address of this machine: give one, such as 127.0.0.1, or 0.0.0.0 for all."
        raise OperatorError(msg) from None
    except OSError as error:
        bound.close()
        msg = f"Port {port} on {host} cannot be used ({error.strerror}): stop what uses it, or set {variable}."
        raise OperatorError(msg) from None
    return bound


def require_free_ports(settings: Settings) -> None:
    """Raise OperatorError unless the live and the sandbox API can both listen."""
    if settings.live_port == settings.sandbox_port:
        msg = f"PCS_LIVE_PORT and PCS_SANDBOX_PORT are both {settings.live_port}: give each API a port of its own."
        raise OperatorError(msg)
    for port, variable in ((settings.live_port, "PCS_LIVE_PORT"), (settings.sandbox_port, "PCS_SANDBOX_PORT")):
        listening_socket(settings.host, port, variable).close()


if __name__ == "__main__":
    try:
        require_free_ports(Settings.from_environment(os.environ))
    except OperatorError as error:
        sys.exit(f"pcs: {error}")
