"""Rulings on the wire: search the local corpus, read one. The trap: SQLite blocks; a thread asks it, with a connection
of its own."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Annotated, Any, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from starlette.responses import Response

from pcs.base.errors import NotFoundError
from pcs.http.access import Access, access_for, answer
from pcs.http.lists import whole_number
from pcs.http.openapi import refusing
from pcs.organizations.model import Scope
from pcs.rulings.service import SharedRulings
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, ruling_source
from pcs.wire.base import CODE, Answer, Text

router = APIRouter(tags=["rulings"])

Reader = Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]


class RulingSummary(Answer):
    """A ruling without its text."""

    id: str
    source: RulingSource
    date: dt.date | None
    subject: str
    codes: list[str]
    status: RulingStatus = Field(description="`in_force`: its publisher lists nothing that revokes or modifies it.")
    url: str | None

    @classmethod
    def of(cls, ruling: Ruling) -> Self:
        """The wire shape of a ruling."""
        return cls(
            id=ruling.reference,
            source=ruling.source,
            date=ruling.date,
            subject=ruling.subject,
            codes=list(ruling.codes),
            status=ruling.status,
            url=ruling.url,
        )


class FullRuling(RulingSummary):
    """A ruling with its text, where the corpus has it."""

    text: str
    grounds: str
    valid_to: dt.date | None


class RulingsOutput(Answer):
    """What a search found."""

    data: list[RulingSummary]


class RulingQuery(BaseModel):
    """What to search for."""

    model_config = ConfigDict(extra="ignore")

    q: Annotated[Text, StringConstraints(max_length=200)] = Field(
        default="", description="Words that all occur in the subject."
    )
    code: Annotated[str, CODE] | None = Field(
        default=None, description="Only rulings that cite this code or one below it."
    )
    schedule: ScheduleName | None = Field(default=None, description="Only rulings on codes of this schedule.")
    limit: Annotated[int, BeforeValidator(whole_number)] = Field(default=20, ge=1, le=100)


def search(rulings: SharedRulings, query: RulingQuery) -> list[Ruling]:
    """The rulings that a query finds, newest first. Blocks."""
    code = Code.parse(query.code) if query.code else ""
    source = ruling_source(query.schedule) if query.schedule else None
    return rulings.search(query.q, code=code, source=source, limit=query.limit)


@router.get("/rulings", response_model=RulingsOutput, responses=refusing(400))
async def list_rulings(query: Annotated[RulingQuery, Query()], access: Reader) -> Response:
    """Search the subjects of the loaded rulings, newest first."""
    found = await asyncio.to_thread(search, access.service.library.rulings, query)
    async with access.read():
        return answer(RulingsOutput(data=[RulingSummary.of(ruling) for ruling in found]))


@router.get("/rulings/{reference}", response_model=FullRuling, responses=refusing(404))
async def get_ruling(reference: str, access: Reader) -> Response:
    """Get one ruling, however its number is written."""
    ruling = await asyncio.to_thread(access.service.library.rulings.get, reference)
    if ruling is None:
        msg = f"There is no ruling {reference} among the loaded rulings."
        raise NotFoundError(msg)
    more: dict[str, Any] = {"text": ruling.text, "grounds": ruling.grounds, "valid_to": ruling.valid_to}
    async with access.read():
        return answer(FullRuling(**RulingSummary.of(ruling).model_dump(), **more))
