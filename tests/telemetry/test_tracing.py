"""One trace, from a request through the queue to its webhook."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from builders import ServiceUnderTest
from pcs.base.errors import OperatorError
from pcs.base.tracing import carried, configure_tracing
from receiver import Receiver


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """Every span that ends in this process; OpenTelemetry's provider can be set once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


async def test_a_trace_leads_from_the_request_through_the_queue_to_the_webhook(
    running: ServiceUnderTest, receiver: Receiver, exporter: InMemorySpanExporter
) -> None:
    exporter.clear()
    caller = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"], "options": {"webhook_url": receiver.url}}
    response = await running.live.post("/api/v1/products/classify", json=body, headers=caller)
    assert response.status_code == 202
    await running.work()
    assert len(receiver.received) == 1

    spans = [span for span in exporter.get_finished_spans() if span.context and span.context.trace_id == _CALLERS]
    by_name = {(span.name, span.kind): span for span in spans}
    request = by_name["POST /api/v1/products/classify", SpanKind.SERVER]
    analysis = by_name["classifications.analyse", SpanKind.CONSUMER]
    delivery = by_name["webhooks.deliver", SpanKind.CONSUMER]
    sending = by_name["POST", SpanKind.CLIENT]
    assert len(spans) == 4
    assert [_parent(one) for one in (analysis, delivery, sending)] == [
        _id(one) for one in (request, analysis, delivery)
    ]
    assert request.attributes is not None
    assert request.attributes["pcs.request_id"] == response.headers["X-Request-ID"]
    assert request.attributes["http.response.status_code"] == 202
    assert sending.attributes is not None
    assert sending.attributes["http.response.status_code"] == 200
    assert running.live_key not in "".join(span.to_json() for span in spans)


async def test_a_send_that_fails_is_marked_in_its_trace(
    running: ServiceUnderTest, receiver: Receiver, exporter: InMemorySpanExporter
) -> None:
    exporter.clear()
    receiver.statuses = [500]
    await running.classify(options={"webhook_url": receiver.url})
    await running.work()
    [sending] = [span for span in exporter.get_finished_spans() if span.kind is SpanKind.CLIENT]
    assert not sending.status.is_ok
    assert sending.status.description == "answered 500"


def test_outside_of_a_trace_nothing_is_carried() -> None:
    assert carried() == {}


def test_without_the_extra_an_endpoint_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(OperatorError, match=r"pip install 'pcs\[otel\]'"):
        configure_tracing("http://127.0.0.1:4318/v1/traces", "live")


_CALLERS = 0x0AF7651916CD43DD8448EB211C80319C


def _id(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def _parent(span: ReadableSpan) -> int:
    assert span.parent is not None
    return span.parent.span_id
