"""Earlier classifications that a new revision makes outdated, on the wire. The trap: comparing two revisions takes
seconds; it is done off the event loop, and kept."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.paging import Page
from pcs.batches.model import BatchSummary
from pcs.classifications.outdated import OutdatedClassification, OutdatedPage, outdated_classifications
from pcs.classifications.reclassifying import Again, classify_again
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lists import ListOf, PageQuery, paged
from pcs.http.openapi import creating, refusing
from pcs.http.schedules import schedule_named
from pcs.organizations.model import Scope
from pcs.tariff.changes import ASKING, ChangeKind, Changes
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Text, Wire
from pcs.wire.batches import BatchOutput

router = APIRouter(route_class=BodyRoute, tags=["schedules"])

_NOTHING = OutdatedPage(Page((), None), 0)


class OutdatedQuery(PageQuery):
    """Between which stored revisions; the two stored last where nothing is said."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    before: Text = Field(default="", alias="from", description="An edition, as `GET /schedules` names it.")
    after: Text = Field(default="", alias="to", description="A later edition.")
    change: ChangeKind | None = Field(
        default=None, description="Only this change; if left out, those that ask for another classification."
    )


class ClassifyAgainInput(Wire):
    """Between which stored revisions; the two stored last where nothing is said."""

    model_config = ConfigDict(populate_by_name=True)

    before: Text = Field(default="", alias="from", description="An edition, as `GET /schedules` names it.")
    after: Text = Field(default="", alias="to", description="A later edition.")


class ClassifiedAgain(Answer):
    """The batches that outdated classifications are classified again in; `left` are those for the next call."""

    batches: list[BatchOutput]
    accepted: int = Field(description="How many are classified again; one credit each.")
    left: int


class OutdatedOutput(Answer):
    """A completed classification whose code was removed or reworded, and what replaced the code."""

    id: str = Field(description="The classification.")
    product_id: str
    product_name: str
    product_identifier: str | None = None
    code: str = Field(description="The code that applies: as corrected in a review, if it was.")
    schedule_revision: str = Field(description="The revision that it was answered under.")
    change: ChangeKind
    said: str = Field(description="The code's description in the earlier revision.")
    says: str = Field(description="Its description in the later revision; null where the code was removed.")
    successors: list[str]

    @classmethod
    def of(cls, one: OutdatedClassification) -> OutdatedOutput:
        """The wire shape of one."""
        found, change = one.classification, one.change
        optional = {} if found.product_identifier is None else {"product_identifier": found.product_identifier}
        return cls(
            id=found.id,
            product_id=found.product_id,
            product_name=found.product_name,
            code=found.code,
            schedule_revision=found.schedule_revision,
            change=change.kind,
            said=change.before,
            says=change.after,
            successors=list(change.successors),
            **optional,
        )


class OutdatedList(ListOf[OutdatedOutput]):
    """One page of them, newest first."""

    schedule: str
    before: str | None = Field(description="The revision compared with; null where there is none.")
    after: str | None
    codes: int = Field(description="How many codes changed so: removed, moved, split or reworded, or as asked for.")
    total: int = Field(description="How many of your completed classifications use them; at most 10,000.")


@router.get("/schedules/{schedule}/outdated", response_model=OutdatedList, responses=refusing(400, 404))
async def list_outdated(
    schedule: str,
    query: Annotated[OutdatedQuery, Query()],
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
) -> Response:
    """List your completed classifications whose code changed between two revisions."""
    name, kinds = schedule_named(schedule), (query.change,) if query.change else ASKING
    changes = await _changes(access, name, query.before, query.after)
    wanted = query.slice(ids.CLASSIFICATION)
    async with access.read() as transaction:
        mine = transaction, access.tenant
        found = await outdated_classifications(*mine, changes, wanted, kinds) if changes else _NOTHING
    page = paged(found.found, [OutdatedOutput.of(one) for one in found.found.items])
    body = OutdatedList(
        data=page.data,
        has_more=page.has_more,
        next_cursor=page.next_cursor,
        schedule=name,
        before=changes.before.name if changes else None,
        after=changes.after.name if changes else None,
        codes=len(changes.lines(*kinds)) if changes else 0,
        total=found.total,
    )
    return answer(body)


@router.post(
    "/schedules/{schedule}/outdated/classify",
    status_code=202,
    response_model=ClassifiedAgain,
    responses={**creating(charged=True), **refusing(404)},
)
async def classify_outdated(
    schedule: str, body: ClassifyAgainInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Classify the goods again whose code was removed, moved, split or reworded; at most 1,000 a call."""
    changes = await _changes(access, schedule_named(schedule), body.before, body.after)

    async def work(transaction: Transaction) -> Response:
        nothing = Again((), 0, 0)
        again = await classify_again(transaction, access.tenant, changes, now=access.now) if changes else nothing
        opened = [BatchOutput.of(batch, BatchSummary(batch.total, 0, 0)) for batch in again.batches]
        return answer(ClassifiedAgain(batches=opened, accepted=again.accepted, left=again.left), 202)

    return await access.write_once(work)


async def _changes(access: Access, name: ScheduleName, before: str, after: str) -> Changes | None:
    library = access.service.library
    return await asyncio.to_thread(lambda: library.changes(name, *library.pair(name, before, after)))
