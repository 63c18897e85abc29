"""Traces that follow a request through the queue to its webhook (OpenTelemetry).

The trap: a trace that ends where the queue begins; a job carries its request's trace along, as W3C's `traceparent`, and
its worker goes on from there. Without an endpoint nothing is recorded and jobs carry nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pcs.base.errors import OperatorError

_PROPAGATOR = TraceContextTextMapPropagator()


def configure_tracing(endpoint: str, process: str) -> None:
    """Send this process's spans to an OTLP/HTTP endpoint; to nobody where that is empty. Raises OperatorError."""
    if not endpoint:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 (an extra)
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        msg = "PCS_TRACES_ENDPOINT needs OpenTelemetry: pip install 'pcs[otel]'."
        raise OperatorError(msg) from None
    provider = TracerProvider(resource=Resource.create({"service.name": "pcs", "service.instance.id": process}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint)))
    trace.set_tracer_provider(provider)


@contextmanager
def span(name: str, kind: SpanKind, *, after: Mapping[str, str] | None = None) -> Iterator[Span]:
    """A span around what happens inside, in the trace that `after` carries, else in the one that is open.

    An exception marks it as failed and goes on.
    """
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):  # nobody records
        yield trace.INVALID_SPAN
        return
    context = _PROPAGATOR.extract(after) if after else None
    tracer = trace.get_tracer("pcs")
    with tracer.start_as_current_span(name, context, kind) as opened:
        yield opened


def fail(opened: Span, why: str) -> None:
    """Mark a span as failed."""
    opened.set_status(Status(StatusCode.ERROR, why))


def carried() -> dict[str, str]:
    """The open trace as a job or a request carries it; empty where none is recorded."""
    carrier: dict[str, str] = {}
    if trace.get_current_span().is_recording():
        _PROPAGATOR.inject(carrier)
    return carrier
