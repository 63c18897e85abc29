"""A person's word on a result, and the printable record of both. The trap: a correction that rewrites what the machine
said; it stands beside it, and the record shows both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Header
from pydantic import Field, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from starlette.responses import HTMLResponse, Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.languages import preferred
from pcs.classifications import assigning
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, history_of
from pcs.classifications.wordings import in_language, reader_language
from pcs.engine.determination import Step
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.openapi import Responses, changing, refusing
from pcs.http.pages import PAGE_HEADERS, render
from pcs.http.wordings import Reader
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.reviews.model import Decision, Review
from pcs.schedules.library import Library
from pcs.schedules.likely import likely_sets
from pcs.schedules.lines import DeclarableLine, declarable_line
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import LINE, Text, Wire
from pcs.wire.classifications import ClassificationOutput

router = APIRouter(route_class=BodyRoute, tags=["classifications"])

_HTML: Responses = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page to print or save."}
}


class ReviewInput(Wire):
    """A person's review of a result: accepted, corrected to another code, or rejected."""

    decision: Annotated[Decision, Field(strict=False)]
    code: Annotated[str, LINE] | None = Field(
        default=None,
        description="The correct code, dots allowed; given when the decision is `corrected`, and only then.",
    )
    note: Annotated[Text, StringConstraints(max_length=2000)] | None = None

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The same in words for programs: a code when corrected, none otherwise."""
        shown = handler.resolve_ref_schema(handler(schema))
        fields = shown["properties"]
        text = fields["code"]["anyOf"][0] | {"description": fields["code"]["description"]}
        corrected = {"decision": {"const": Decision.CORRECTED.value}, "code": text, "note": fields["note"]}
        others = [one.value for one in Decision if one is not Decision.CORRECTED]
        other = {"decision": {"enum": others}, "code": {"type": "null"}, "note": fields["note"]}
        shapes = [
            {"type": "object", "properties": corrected, "required": ["decision", "code"]},
            {"type": "object", "properties": other, "required": ["decision"]},
        ]
        return {"title": shown["title"], "description": shown["description"], "anyOf": shapes}


async def _line(access: Access, body: ReviewInput, schedule: ScheduleName) -> DeclarableLine | None:
    """What is corrected to. Raises InvalidRequestError where it is missing, not a line's, or out of place."""
    if (body.decision is Decision.CORRECTED) != (body.code is not None):
        raise InvalidRequestError(
            Violation("code", "give the correct code when the decision is corrected, and only then")
        )
    if body.code is None:
        return None
    return await asyncio.to_thread(declarable_line, access.service.library, schedule, body.code)


@router.put(
    "/classifications/{classification_id}/review",
    response_model=ClassificationOutput,
    responses=changing(404, 409),
)
async def review_classification(
    classification_id: str, body: ReviewInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Review a final result: accepting or correcting it decides the `final` code, rejecting it leaves that open.

    A later review replaces an earlier one. The result itself never changes. Where the organization decides with four
    eyes it is `proposed`, and decides when a second person says the same.
    """
    async with access.write() as transaction:
        found = await classifications.get(transaction, access.tenant, classification_id)
        line = await _line(access, body, found.schedule)
        code = line.code if line else None
        said = Review(decision=body.decision, by=access.key.id, at=access.now, code=code, note=body.note or None)
        reviewed = await classifications.review(transaction, access.tenant, classification_id, said, line)
        detail = history_of(found, reviewed)
        await audit.record(transaction, access.actor, Action.REVIEWED, subject=found.id, detail=detail, now=access.now)
    return answer(ClassificationOutput.of(reviewed))


class AssignmentInput(Wire):
    """Who is to review a classification."""

    assigned_to: Text | None = Field(description="The e-mail address of a member who may review; null: nobody.")


@router.put(
    "/classifications/{classification_id}/assignment",
    response_model=ClassificationOutput,
    responses=changing(404),
)
async def assign_classification(
    classification_id: str, body: AssignmentInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Let a member of the organization review it, or nobody in particular. Everybody who may still can."""
    async with access.write() as transaction:
        found = await assigning.assign(transaction, access.tenant, classification_id, body.assigned_to)
        detail = f"to {found.assigned_to or 'nobody'}"
        await audit.record(transaction, access.actor, Action.ASSIGNED, subject=found.id, detail=detail, now=access.now)
    return answer(ClassificationOutput.of(found))


class SendBackInput(Wire):
    """Why a proposed review is not confirmed."""

    note: Annotated[Text, StringConstraints(max_length=2000)]


@router.post(
    "/classifications/{classification_id}/review/send-back",
    response_model=ClassificationOutput,
    responses=changing(404, 409),
)
async def send_back_classification(
    classification_id: str, body: SendBackInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Send a proposed review back, with the reason: the classification waits for a review again.

    To confirm one, send the same review. All API keys count as one person.
    """
    async with access.write() as transaction:
        returned = await classifications.send_back(
            transaction, access.tenant, classification_id, by=access.key.id, note=body.note, now=access.now
        )
        detail = body.note
        await audit.record(
            transaction, access.actor, Action.SENT_BACK, subject=returned.id, detail=detail, now=access.now
        )
    return answer(ClassificationOutput.of(returned))


@router.get(
    "/classifications/{classification_id}/report", response_class=HTMLResponse, responses=refusing(400, 404) | _HTML
)
async def get_classification_report(
    classification_id: str,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
    language: Reader = None,
    accept_language: Annotated[str, Header(description="Asked where `language` is left out.")] = "",
) -> Response:
    """Get a printable report of one classification: product, code, path, rulings, reasoning, steps, review."""
    async with access.read() as transaction:
        found = await classifications.get(transaction, access.tenant, classification_id)
        steps = await classifications.get_steps(transaction, access.tenant, found.id)
    wanted = (language,) if language else preferred(accept_language)
    page = await asyncio.to_thread(_report, access.service.library, found, steps, wanted)
    return HTMLResponse(page, headers=PAGE_HEADERS)


def _report(library: Library, found: Classification, steps: Sequence[Step] | None, wanted: Sequence[str]) -> str:
    language = reader_language(library, found, wanted)
    [shown] = in_language(library, [found], language) if language else [found]
    return render(
        "report.html",
        one=ClassificationOutput.of(shown, steps).model_dump(mode="json"),
        own=found.result,
        reading=found.result.reading.rows if found.result else [],
        likely=likely_sets(library, found.schedule, found.result, language),
    )
