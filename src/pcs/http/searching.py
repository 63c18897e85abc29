"""Searching a schedule in words of goods. The trap: a search of the endpoint's own; it is the one that the dashboard,
assistants and the reviewer have."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from pcs.http.access import Access, access_for, answer
from pcs.http.lists import whole_number
from pcs.http.openapi import refusing
from pcs.http.schedules import schedule_named
from pcs.http.wordings import SAID, ReadIn
from pcs.organizations.model import Scope
from pcs.schedules.entries import MOST_FOUND, Hit
from pcs.wire.base import Answer, Name, Text

router = APIRouter(tags=["schedules"])


class PlaceOutput(Answer):
    """A heading, a subheading or a line where the goods may be."""

    code: str
    description: str = Field(description="The words from the heading down.")
    description_language: str = Field(description="ISO 639-1.")
    declarable: bool

    @classmethod
    def of(cls, hit: Hit) -> Self:
        """The wire shape of a place."""
        told = {"description": hit.path, "description_language": hit.language}
        return cls(code=hit.code, declarable=hit.declarable, **told)


class PlacesOutput(Answer):
    """What a search found, the likeliest first; the codes at or below a code in their order."""

    schedule: str
    schedule_revision: str
    data: list[PlaceOutput]


class SearchQuery(BaseModel):
    """What to search for."""

    model_config = ConfigDict(extra="ignore")

    q: Name = Field(
        description="What the goods are, in any of the languages that are read; or the beginning of a code.",
        examples=["brake pads"],
    )
    limit: Annotated[int, BeforeValidator(whole_number)] = Field(default=20, ge=1, le=MOST_FOUND)
    revision: Text | None = Field(default=None, description="A stored revision; the current one if left out.")
    language: ReadIn | None = Field(default=None, description=SAID)


@router.get("/schedules/{schedule}/search", response_model=PlacesOutput, responses=refusing(400, 404))
async def search_schedule(
    schedule: str,
    query: Annotated[SearchQuery, Query()],
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
) -> Response:
    """Search a schedule for goods, the likeliest places first, as the engine ranks them.

    Goods are found by what they are, also where the schedule says it in other words. It costs no credit and does not
    classify them: legal notes and rules are not applied.
    """
    searcher = access.service.searcher
    found = await searcher.search(schedule_named(schedule), query.q, query.revision or None, language=query.language)
    places = [PlaceOutput.of(hit) for hit in found.hits[: query.limit]]
    async with access.read():
        shown = {"schedule": found.revision.schedule.value, "schedule_revision": found.revision.name}
        return answer(PlacesOutput(data=places, **shown))
