"""Commands that must succeed, run somewhere else with none of this environment's own variables."""

import os
import subprocess
from pathlib import Path


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """What a command says. Fails with all of it where the command fails."""
    environ = {name: said for name, said in os.environ.items() if not name.startswith(("PCS_", "PYTHON", "VIRTUAL_"))}
    finished = subprocess.run(
        [*map(str, command)], cwd=cwd, env={**environ, **variables}, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout
