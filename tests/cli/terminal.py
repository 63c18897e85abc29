"""`pcs` as somebody types it: a process of its own, 80 columns, standing in a folder where nothing of it lies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def pcs(folder: Path, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a command did, with data in `folder`/data and standing in `folder`/here."""
    here = folder / "here"
    here.mkdir(exist_ok=True)
    ours = {name: said for name, said in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")}
    environ = {**ours, "PCS_DATA_DIR": str(folder / "data"), "COLUMNS": "80", **variables}
    command = [sys.executable, "-m", "pcs.cli.main", *map(str, arguments)]
    return subprocess.run(command, cwd=here, env=environ, capture_output=True, text=True, timeout=90, check=False)
