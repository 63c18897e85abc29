"""Logs as one JSON object a line on standard error, without secrets.

The trap: libraries log through `logging`, so both join here, and both pass the same redaction. Ours are written
straight away: each request has its line, and on the way through `logging` a line takes three times as long."""

from __future__ import annotations

import contextlib
import logging
import sys

import structlog

from pcs.base.redaction import redact

_PLUMBING = ("procrastinate", "uvicorn.access", "uvicorn.error", "alembic", "httpx2", "httpcore2", "psycopg")
_QUIET = (*_PLUMBING, "openai", "anthropic")


def configure_logging(level: str) -> None:
    """Send our own and the libraries' logs to standard error as JSON lines. `level` is a name such as `info`."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    written: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,
        redact,
        structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[*shared, *written],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=_Lines,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *written],
        ),
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))


class _Lines:
    """Where a module's lines end: standard error, as it is at the time; a reader that went away ends nothing."""

    __slots__ = ("name",)

    def __init__(self, name: str = "pcs") -> None:
        self.name = name

    def msg(self, line: str) -> None:
        """Write a line."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    debug = info = warning = error = critical = exception = fatal = msg
