"""Evidence of classifications: the record, its document, and both of a whole batch or list. The traps: a document made
on the event loop, as the typesetter blocks; and an archive that ends early without saying so, so it names its next."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BeforeValidator, Field
from starlette.responses import Response, StreamingResponse

from pcs.base.tenancy import Tenant
from pcs.bootstrap import Service
from pcs.evidence import service as evidence
from pcs.evidence.archive import archive, attached
from pcs.evidence.docx import DOCX, docx_of
from pcs.evidence.pdf import pdf_of
from pcs.evidence.record import EvidenceRecord, Gathered, evidence_of
from pcs.evidence.ruling_request import request_of
from pcs.http.access import Access, access_for
from pcs.http.classifications import Filtered
from pcs.http.lists import BY_METADATA, AskedMetadata, whole_number
from pcs.http.openapi import Responses, refusing
from pcs.lists import service as lists
from pcs.organizations.model import Scope
from pcs.wire.evidence import EvidenceOutput

router = APIRouter(tags=["classifications"])

PDF, JSON, ZIP = "application/pdf", "application/json", "application/zip"


NEXT_CURSOR = "X-Next-Cursor"


class EvidenceQuery(Filtered):
    """Whose evidence: a part of the list of classifications."""

    limit: Annotated[int, BeforeValidator(whole_number)] = Field(
        default=100, ge=1, le=500, description="How many classifications at most."
    )


def _file(media_type: str, said: str) -> Responses:
    schema = {"type": "string", "format": "binary"}
    return {200: {"content": {media_type: {"schema": schema}}, "description": said}}


@router.get(
    "/classifications/{classification_id}/evidence.json",
    response_model=EvidenceOutput,
    responses=refusing(404),
)
async def get_evidence_record(
    classification_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """Get all that is known of one classification: canonical JSON, whose SHA-256 is in `X-Record-SHA256`."""
    found = await _record(access, classification_id)
    return _answer(found.content, JSON, found, f"{classification_id}.json")


@router.get(
    "/classifications/{classification_id}/evidence.pdf",
    response_class=Response,
    responses=refusing(404) | _file(PDF, "The record as a document."),
)
async def get_evidence_document(
    classification_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """Get the same record as a document: goods, code, path, reasons, rulings, notes, who decided."""
    found = await _record(access, classification_id)
    return _answer(await asyncio.to_thread(pdf_of, found), PDF, found, f"{classification_id}.pdf")


@router.get(
    "/classifications/{classification_id}/ruling-request.docx",
    response_class=Response,
    responses=refusing(404) | _file(DOCX, "A draft to edit: what the record does not know is marked."),
)
async def get_ruling_request(
    classification_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """Get a draft of a request for a binding ruling on the goods: US 19 CFR 177.2, EU an application for BTI."""
    found = await _record(access, classification_id)
    content = await asyncio.to_thread(lambda: docx_of(request_of(found)))
    return _answer(content, DOCX, found, f"{classification_id}-ruling-request.docx")


@router.get(
    "/classifications/bulk/{batch_id}/evidence.zip",
    response_class=StreamingResponse,
    responses=refusing(404) | _file(ZIP, "`ID.pdf` and `ID.json` of each, sent while it is made."),
)
async def get_batch_evidence(
    batch_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """Get document and record of every final classification of a batch."""
    async with access.read() as transaction:
        ids = await evidence.ids_of_batch(transaction, access.tenant, batch_id)
    return zipped(access.service, access.tenant, ids, f"{batch_id}-evidence.zip")


@router.get(
    "/classifications/evidence.zip",
    response_class=StreamingResponse,
    responses=refusing(400) | _file(ZIP, f"`ID.pdf` and `ID.json` of each; `{NEXT_CURSOR}`: the next one's `cursor`."),
    openapi_extra=BY_METADATA,
)
async def get_evidence_of_list(
    query: Annotated[EvidenceQuery, Query()],
    metadata: AskedMetadata,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
) -> Response:
    """Get document and record of every final classification of a list, filtered as the list is, newest first."""
    async with access.read() as transaction:
        found = await lists.page(transaction, access.tenant, query.wanted(metadata))
    ids = [line.id for line in found.items if line.status.is_final]
    response = zipped(access.service, access.tenant, ids, "evidence.zip")
    if found.next_after is not None:
        response.headers[NEXT_CURSOR] = found.next_after.rpartition("_")[2]
    return response


def zipped(service: Service, tenant: Tenant, ids: list[str], name: str) -> Response:
    """The evidence of some classifications as a download."""

    async def gather(classification_id: str) -> Gathered:
        async with service.database.autocommit() as transaction:
            return await evidence.gather(transaction, tenant, classification_id)

    return StreamingResponse(archive(ids, gather, service.library), media_type=ZIP, headers=attached(name))


async def _record(access: Access, classification_id: str) -> EvidenceRecord:
    async with access.read() as transaction:
        gathered = await evidence.gather(transaction, access.tenant, classification_id)
    return await asyncio.to_thread(evidence_of, gathered, access.service.library)


def _answer(content: bytes, media_type: str, found: EvidenceRecord, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"X-Record-SHA256": found.digest, **attached(name)})
