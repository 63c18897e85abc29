"""`pcs prepare`: what the first opening counts, counted now. The trap: a first start that seems to hang; it says what
it does, and ends with a sentence where the trained parts are damaged."""

from __future__ import annotations

import os

from rich.console import Console

from pcs.base.settings import Settings
from pcs.engine.opening import open_trained


def command() -> None:
    """Count what the knowledge pack teaches, once for each version of it; `pcs up` does it by itself."""
    settings = Settings.from_environment(os.environ)
    with Console(stderr=True).status("Opening the engine") as status:
        open_trained(settings.data_dir, settings.cache_folder, lambda said: status.update(f"{said}, once …"))
