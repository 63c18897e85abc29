"""Published files, where this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def published() -> Path:
    folder = Path(os.environ.get("PCS_SHARED") or Path(__file__).parents[3] / "shared") / "data"
    if not folder.is_dir():
        pytest.skip(f"needs published tariff data in {folder}: set PCS_SHARED to the folder that holds data/")
    return folder
