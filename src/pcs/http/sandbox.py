"""What the sandbox can be made to do. The trap: a list kept beside the code that does it; this one is read from it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from starlette.responses import Response

from pcs.http.access import Access, access_for, answer
from pcs.http.openapi import refusing
from pcs.sandbox.simulation import Scenario
from pcs.wire.base import Answer

router = APIRouter(tags=["sandbox"])


class ScenarioOutput(Answer):
    """A product identifier and what it makes the sandbox do; it means nothing in the live environment."""

    identifier: Scenario
    description: str


class Scenarios(Answer):
    """Every scenario."""

    data: list[ScenarioOutput]


@router.get("/sandbox/scenarios", response_model=Scenarios, responses=refusing())
async def list_scenarios(access: Annotated[Access, access_for(None)]) -> Response:
    """List the product identifiers that make the sandbox behave in a certain way."""
    async with access.read():
        return answer(Scenarios(data=[ScenarioOutput(identifier=one, description=one.promise) for one in Scenario]))
