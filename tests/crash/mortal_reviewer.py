"""A real worker process with a reviewer, which kills itself with SIGKILL after so many replies. Run as a script."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import structlog

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "reviewer")]

from determinations import determine
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.reviewer.configuration import configured
from pcs.rulings.service import RulingCorpus, SharedRulings
from pcs.tariff.code import Code
from pcs.worker.run import run_worker
from reviewer.small_law import RULINGS, determination, small_law

REPLIES = int(os.environ.get("TEST_DIE_AFTER_REPLIES", "0"))
kept = 0


def die_after_replies(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    global kept  # noqa: PLW0603 - it dies with the process
    kept += event["event"] == "reply kept"
    if REPLIES and kept == REPLIES:
        os.kill(os.getpid(), signal.SIGKILL)
    return event


if __name__ == "__main__":
    configure_logging("debug" if REPLIES else "warning")
    structlog.configure(processors=[die_after_replies, *structlog.get_config()["processors"]])
    settings = Settings.from_environment(os.environ)
    RulingCorpus(settings.data_dir).add(RULINGS)
    law = small_law(SharedRulings(settings.data_dir))
    assessments = configured(settings, lambda _, __: (law, (Code("6109"), Code("6110"))))
    asyncio.run(run_worker(settings, lambda _, __, ___: determination(), starter=determine, assessments=assessments))
