"""A real worker process that kills itself with SIGKILL the moment it says that it has done a step. Run as a script.

The trap: a kill that lets something be cleaned up; the signal is sent from within the log call, between two
statements of the service, and nothing runs after it."""

import asyncio
import os
import random
import signal
import sys
import time
from pathlib import Path

import structlog

sys.path.insert(0, str(Path(__file__).parents[1]))

from determinations import determine
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName
from pcs.worker.run import run_worker

DIE_AT = os.environ.get("TEST_DIE_AT", "")
SECONDS = float(os.environ.get("TEST_ANALYSIS_SECONDS", "0"))


def die_at_the_step(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if event["event"] == DIE_AT:
        os.kill(os.getpid(), signal.SIGKILL)
    return event


def dawdle(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """Take about as long as asked."""
    time.sleep(SECONDS * random.uniform(0.5, 1.5))
    return determine(product, schedule)


if __name__ == "__main__":
    configure_logging("debug" if DIE_AT else "warning")
    structlog.configure(processors=[die_at_the_step, *structlog.get_config()["processors"]])
    asyncio.run(run_worker(Settings.from_environment(os.environ), dawdle, starter=determine))
