"""Decisions on the wire: given in bulk, listed, forgotten. The trap: a bulk half stored; one decision that is not valid
rejects all of it, and names every field."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.decisions import service as decisions
from pcs.decisions.files import code_of
from pcs.decisions.model import DECISION, KeptDecision, NewDecision
from pcs.decisions.standing import from_file, standing
from pcs.decisions.store import Filters
from pcs.engine.decided import Standing
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lists import ListOf, PageQuery, Truth, paged
from pcs.http.openapi import changing, creating, refusing
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import LINE, Answer, Description, Identifier, Name, ScheduleWord, Text, Wire
from pcs.wire.decisions import DecisionOutput

router = APIRouter(route_class=BodyRoute, tags=["decisions"])

MOST_AT_ONCE = 1_000
_BEGINNING = r"^[0-9.]{0,13}$"


class DecisionInput(Wire):
    """Goods, and the code that is decided for them."""

    name: Name
    description: Description | None = None
    identifier: Identifier | None = Field(default=None, description="Your own SKU or part number.")
    schedule: ScheduleWord
    code: Annotated[Text, LINE] = Field(description="All digits of a line of the schedule, dots allowed.")


class BulkDecisionsInput(Wire):
    """Decisions to keep."""

    decisions: Annotated[list[DecisionInput], Field(min_length=1, max_length=MOST_AT_ONCE)]


class KeptDecisionsOutput(Answer):
    """What became of the decisions of a request."""

    added: int
    changed: int = Field(description="How many took the place of an earlier decision on the same goods.")
    not_in_force: list[str] = Field(
        description="The codes that the loaded revision lacks: kept, shown, and without effect."
    )


class DecisionQuery(PageQuery):
    """Which decisions to list."""

    schedule: ScheduleName | None = None
    code: Annotated[str, StringConstraints(pattern=_BEGINNING)] = Field(
        default="", description="A code or its first digits."
    )
    identifier: Identifier | None = None
    contradicted: Truth = Field(default=False, description="Only those whose text was decided otherwise, too.")


@router.post("/decisions/bulk", response_model=KeptDecisionsOutput, responses=creating(charged=False))
async def create_decisions(
    body: BulkDecisionsInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Keep up to 1,000 codes that you have decided; the same goods get them from now on. No credits are consumed."""
    given = await asyncio.to_thread(_given, access, body.decisions)

    async def work(transaction: Transaction) -> Response:
        kept = await decisions.remember(transaction, access.tenant, given, now=access.now)
        detail = f"{kept.added} added, {kept.changed} changed"
        await audit.record(transaction, access.actor, Action.DECISIONS_KEPT, detail=detail, now=access.now)
        gone = sorted({one.code for one in given if not one.words})
        return answer(KeptDecisionsOutput(added=kept.added, changed=kept.changed, not_in_force=list(gone)))

    return await access.write_once(work)


def _given(access: Access, submitted: Sequence[DecisionInput]) -> list[NewDecision]:
    """The decisions. Raises InvalidRequestError with every code that its schedule cannot have."""
    given, wrong = list[NewDecision](), list[Violation]()
    for place, one in enumerate(submitted):
        schedule = ScheduleName(one.schedule)
        goods = ProductFields(one.name, one.description or None, one.identifier or None)
        try:
            code = code_of(one.code, schedule)
            given.append(from_file(access.service.library, goods, schedule, code, by=access.key.id))
        except ValueError as error:
            told = str(error).removeprefix("the code ")
            wrong.append(Violation(f"decisions[{place}].code", told))
    if wrong:
        raise InvalidRequestError(*wrong)
    return given


@router.get("/decisions", response_model=ListOf[DecisionOutput], responses=refusing(400))
async def list_decisions(
    query: Annotated[DecisionQuery, Query()], access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """List what you have decided, newest first."""
    code = query.code.replace(".", "")
    filters = Filters(query.schedule, code, query.identifier or None, query.contradicted)
    async with access.read() as transaction:
        found = await decisions.list_page(transaction, access.tenant, filters, query.slice(DECISION))
    standings = await asyncio.to_thread(_standings, access, found.items)
    return answer(paged(found, [DecisionOutput.of(*pair) for pair in zip(found.items, standings, strict=True)]))


def _standings(access: Access, found: Sequence[KeptDecision]) -> list[Standing]:
    return [standing(access.service.library, one) for one in found]


@router.delete("/decisions/{decision_id}", status_code=204, response_class=Response, responses=changing(404))
async def remove_decision(
    decision_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Forget a decision: from now on it counts for nothing. Answers that rested on it stay as they are."""
    async with access.write() as transaction:
        await decisions.remove(transaction, access.tenant, decision_id)
        await audit.record(transaction, access.actor, Action.DECISION_FORGOTTEN, subject=decision_id, now=access.now)
    return Response(status_code=204)
