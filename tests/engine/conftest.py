"""One method a schedule for every test of the engine: the shipped trained parts over the starter schedules, so that the
laws are held on any machine."""

import os
from pathlib import Path

import pytest

from pcs.engine.method import Method
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName


@pytest.fixture(scope="session")
def methods(tmp_path_factory: pytest.TempPathFactory) -> dict[ScheduleName, Method]:
    library = Library(tmp_path_factory.mktemp("empty-data-folder"))
    methods = Methods(library, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    return {name: methods.current(name) for name in ScheduleName}
