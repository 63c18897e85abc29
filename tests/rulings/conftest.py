"""A publisher on this machine, and published files where there are any."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cross_server import CrossServer


@pytest.fixture
def cross() -> Iterator[CrossServer]:
    server = CrossServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def published() -> Path:
    folder = Path(os.environ.get("PCS_SHARED") or Path(__file__).parents[3] / "shared") / "data"
    if not folder.is_dir():
        pytest.skip(f"needs published tariff data in {folder}: set PCS_SHARED to the folder that holds data/")
    return folder
