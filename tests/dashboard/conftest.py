"""The dashboard in this process, with people."""

from collections.abc import AsyncIterator

import pytest

from builders import ServiceUnderTest
from dashboard.visitor import Office


@pytest.fixture
async def office(running: ServiceUnderTest) -> AsyncIterator[Office]:
    """A dashboard; everybody in it belongs to the organization under test."""
    opened = Office(running)
    yield opened
    await opened.close()
