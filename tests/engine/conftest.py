"""One method a schedule for every test of the engine: the shipped trained parts over the starter schedules, so that the
laws are held on any machine."""

from pathlib import Path

import pytest

from pcs.engine.method import Method
from pcs.schedules.methods import MethodShelf
from pcs.tariff.revision import ScheduleName


@pytest.fixture(scope="session")
def methods(tmp_path_factory: pytest.TempPathFactory) -> dict[ScheduleName, Method]:
    shelf = MethodShelf(Path(tmp_path_factory.mktemp("empty-data-folder")))
    return {name: shelf.current(name) for name in ScheduleName}
