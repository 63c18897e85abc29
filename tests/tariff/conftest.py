"""Published files, where this machine has them, each read once a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pcs.tariff.schedule import Schedule
from pcs.tariff.sources.files import read_schedule


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(os.environ.get("PCS_SHARED") or Path(__file__).parents[3] / "shared") / "data"
    if not folder.is_dir():
        pytest.skip(f"needs published tariff data in {folder}: set PCS_SHARED to the folder that holds data/")
    return folder


@pytest.fixture(scope="session")
def us_2026(shared: Path) -> Schedule:
    return read_schedule(shared / "us-hts/hts_2026_rev_10.json.gz")


@pytest.fixture(scope="session")
def eu_2025(shared: Path) -> Schedule:
    return read_schedule(shared / "eu-cn/taric_nomenclature_2025-08_EN.xlsx")
