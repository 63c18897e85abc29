"""A real worker process with an engine that dawdles, for the crash suite. Run as a script."""

import asyncio
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from determinations import determine
from pcs.base.metrics import Metrics, metrics_folder
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName
from pcs.worker.run import run_worker


def dawdle(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """Say that the analysis has begun, then take as long as asked."""
    print("analysing", flush=True)  # noqa: T201
    time.sleep(float(os.environ["TEST_ANALYSIS_SECONDS"]))
    return determine(product, schedule)


if __name__ == "__main__":
    configure_logging("warning")
    settings = Settings.from_environment(os.environ)
    asyncio.run(run_worker(settings, dawdle, starter=determine, metrics=Metrics(metrics_folder(settings.data_dir))))
