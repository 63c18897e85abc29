"""What the processes of one host count together, for Prometheus.

The trap: `/metrics` is answered by one process, but requests and analyses happen in several. So each process counts in
files of its own in a shared folder (prometheus_client's multiprocess mode) and a scrape adds them up."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest, values
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from pcs.base.counts import CountsFiles, written_values

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_FAST = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)  # seconds: requests, analyses, sends
_SLOW = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 1800.0)  # seconds: waiting in a queue


class Metrics:
    """The counters and histograms of a process; made once in a process, or once a test."""

    def __init__(self, folder: Path | None = None) -> None:
        """Count in files in `folder`; without one, in this process alone."""
        self._folder, self._files = folder, None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._files = CountsFiles(folder, _this_process())
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        disable_created_metrics()  # type: ignore[no-untyped-call]  # files do not carry them
        values.ValueClass = written_values(self._files) if self._files else values.MutexValue
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "pcs_http_requests", "Requests answered.", ("environment", "method", "route", "status"), registry=registry
        )
        self.request_seconds = Histogram(
            "pcs_http_request_seconds", "Time to answer.", ("environment", "route"), buckets=_FAST, registry=registry
        )
        self.requests_unlogged = Counter(
            "pcs_requests_unlogged", "Requests answered that the request log had no room for.", registry=registry
        )
        self.finished = Counter(
            "pcs_classifications_finished",
            "Analyses that ended.",
            ("environment", "schedule", "status"),
            registry=registry,
        )
        self.analysis_seconds = Histogram(
            "pcs_analysis_seconds",
            "Time of an analysis.",
            ("environment", "schedule"),
            buckets=_FAST,
            registry=registry,
        )
        self.waiting_seconds = Histogram(
            "pcs_classification_waiting_seconds",
            "Time from acceptance to the start of the analysis.",
            ("environment",),
            buckets=_SLOW,
            registry=registry,
        )
        self.assessments = Counter(
            "pcs_reviews", "Assessments by a language model, by how they ended.", ("ending", "fault"), registry=registry
        )
        self.assessment_requests = Counter("pcs_review_requests", "Requests to the language model.", registry=registry)
        self.assessment_tokens = Counter(
            "pcs_review_tokens", "Tokens of assessments.", ("direction",), registry=registry
        )
        self.assessment_cost = Counter("pcs_review_cost", "What it cost, in the operator's money.", registry=registry)
        self.assessment_dropped = Counter(
            "pcs_review_dropped",
            "References that a model named without having been shown them, by kind.",
            ("kind",),
            registry=registry,
        )
        self.sends = Counter("pcs_webhook_sends", "Webhook sends, by outcome.", ("outcome",), registry=registry)
        self.send_seconds = Histogram(
            "pcs_webhook_send_seconds", "Time of a webhook send.", (), buckets=_FAST, registry=registry
        )

    def exposition(self, shared: Iterable[Metric] = ()) -> bytes:
        """Everything in Prometheus' text format, with what is `shared` by all processes beside it."""
        registry = CollectorRegistry()
        if self._files is None:
            registry.register(_Collected(self._registry.collect))
        else:
            self._files.follow()
            MultiProcessCollector(registry, str(self._folder))  # type: ignore[no-untyped-call]
        registry.register(_Collected(lambda: shared))
        return generate_latest(registry)


class _Collected(Collector):
    """Metrics that somebody else has collected."""

    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        return self._collect()


def metrics_folder(data_dir: Path) -> Path:
    """Where all processes that share a data folder count, containers too: whichever is asked tells of all of them."""
    return data_dir / "metrics"


def forget_metrics(data_dir: Path) -> None:
    """Let this host's counters begin at zero: for whoever knows that no process of it runs."""
    for file in metrics_folder(data_dir).glob(f"*_{socket.gethostname()}-*.db"):
        file.unlink(missing_ok=True)


def _this_process() -> str:
    """Named after host and process: in containers, every process has the number 1."""
    return f"{socket.gethostname()}-{os.getpid()}"
