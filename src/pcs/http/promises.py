"""A promise of the answers that nobody looks at. The trap: one set that is believed to hold at once; the answer says
what reviews bear of it, and how many are missing."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from starlette.responses import Response

from pcs.evaluation.promise import Promise
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.openapi import changing, refusing
from pcs.organizations.model import Scope
from pcs.promises import service as promises
from pcs.promises.model import PromiseTerms
from pcs.wire.promises import PromiseInput, PromiseOutput

router = APIRouter(route_class=BodyRoute, tags=["promise"])


@router.put("/promise", response_model=PromiseOutput, responses=changing())
async def set_promise(
    body: PromiseInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Promise how often the answers are right that nobody looks at.

    From then on a share of all answers, drawn by chance, waits for a person; as soon as these reviews bear the promise
    under a schedule, its answers are taken from the threshold on that they bear.
    """
    wanted = PromiseTerms(Promise(body.right, body.digits), body.asked_share)
    async with access.write() as transaction:
        report = await promises.put(transaction, access.tenant, access.actor, wanted, now=access.now)
    return answer(PromiseOutput.of(report))


@router.get("/promise", response_model=PromiseOutput, responses=refusing(404))
async def get_promise(access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]) -> Response:
    """Show what is promised, and what reviews bear of it under each schedule."""
    async with access.read() as transaction:
        report = await promises.get(transaction, access.tenant)
    return answer(PromiseOutput.of(report))


@router.delete("/promise", status_code=204, response_class=Response, responses=changing(404))
async def withdraw_promise(access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]) -> Response:
    """Promise nothing from now on: `review_below` decides again what needs review."""
    async with access.write() as transaction:
        await promises.withdraw(transaction, access.tenant, access.actor, now=access.now)
    return Response(status_code=204)
