"""A real API process that kills itself with SIGKILL right after the commit that accepts or decides a classification,
before its answer; with TEST_DIE_AT=commit right before it. Run as a script with a port. Where nothing was written, it
serves on."""

import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import AsyncIterator

import uvicorn
from sqlalchemy import text

from pcs.base.database import Database, Transaction
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from pcs.http.app import create_app

ACCEPTED_HERE = text("SELECT count(*) FROM classifications WHERE xmin = pg_current_xact_id_if_assigned()::xid")


class MortalDatabase(Database):
    @contextlib.asynccontextmanager
    async def begin(self) -> AsyncIterator[Transaction]:
        async with super().begin() as transaction:
            yield transaction
            accepted = (await transaction.execute(ACCEPTED_HERE)).scalar_one()
            if accepted and os.environ.get("TEST_DIE_AT") == "commit":
                os.kill(os.getpid(), signal.SIGKILL)
        if accepted:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    configure_logging("warning")
    settings = Settings.from_environment(os.environ)
    service = dataclasses.replace(build_service(settings), database=MortalDatabase(settings.database_url))
    app = create_app(service, Environment.LIVE)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_config=None)
