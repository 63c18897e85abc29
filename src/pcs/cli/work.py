"""`pcs work`: one worker. The trap: the first job that waits for a schedule to be opened; it is opened before."""

from __future__ import annotations

import os

from pcs.base.metrics import Metrics, metrics_folder
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.base.tracing import configure_tracing
from pcs.bootstrap import build_assessments, build_engine, installation
from pcs.cli.process import require_tables, run, share_one_arena, stop_with_supervisor
from pcs.worker.run import run_worker


def command() -> None:
    """Run one worker until SIGTERM or Ctrl-C; work in progress is finished or handed back first."""
    share_one_arena()
    settings = Settings.from_environment(os.environ)
    configure_logging(settings.log_level)
    configure_tracing(settings.traces_endpoint, "worker")
    with installation(settings) as complete:
        run(require_tables(complete))
        stop_with_supervisor()
        metrics, engine = Metrics(metrics_folder(complete.data_dir)), build_engine(complete)
        assessments = build_assessments(complete, engine.evidence)
        working = run_worker(complete, engine.analyse, starter=engine.starter, assessments=assessments, metrics=metrics)
        run(working)
