"""Logs as one JSON object a line on standard error, without secrets.

The trap: libraries log through `logging`, so both join here, and both pass the same redaction."""

from __future__ import annotations

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
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                structlog.processors.JSONRenderer(),
            ],
        ),
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
