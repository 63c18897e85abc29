"""A publisher on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cross_server import CrossServer


@pytest.fixture
def cross() -> Iterator[CrossServer]:
    server = CrossServer()
    yield server
    server.close()
