"""Evidence to take home: the document of a classification, a draft of a ruling request, an archive of a list.

The trap: an archive of a list that grew meanwhile; it holds what the list showed, up to a limit that the page says."""

from __future__ import annotations

import asyncio

from starlette.responses import Response, StreamingResponse

from pcs.dashboard.classifications import LIST, ONE, wanted_of
from pcs.dashboard.visit import Visit, page
from pcs.evidence import service as evidence
from pcs.evidence.archive import archive, attached
from pcs.evidence.docx import DOCX, docx_of
from pcs.evidence.pdf import pdf_of
from pcs.evidence.record import EvidenceRecord, Gathered, evidence_of
from pcs.evidence.ruling_request import request_of
from pcs.lists import service as lists

_MOST = 500


async def document(visit: Visit) -> Response:
    """The evidence of one classification, as a PDF. Raises NotFoundError."""
    content = await asyncio.to_thread(pdf_of, await _evidence(visit))
    name = f"{visit.request.path_params['classification_id']}.pdf"
    return Response(content, media_type="application/pdf", headers=attached(name))


async def _evidence(visit: Visit) -> EvidenceRecord:
    async with visit.service.database.begin() as transaction:
        gathered = await evidence.gather(transaction, visit.tenant, visit.request.path_params["classification_id"])
    return await asyncio.to_thread(evidence_of, gathered, visit.service.library)


async def ruling_request(visit: Visit) -> Response:
    """A draft of a request for a binding ruling, to edit. Raises NotFoundError."""
    record = await _evidence(visit)
    content = await asyncio.to_thread(lambda: docx_of(request_of(record)))
    name = f"{visit.request.path_params['classification_id']}-ruling-request.docx"
    return Response(content, media_type=DOCX, headers=attached(name))


async def documents(visit: Visit) -> Response:
    """The evidence of what the list shows and is final, up to a limit, as a ZIP that is sent while it is made."""
    async with visit.service.database.begin() as transaction:
        found = await lists.page(transaction, visit.tenant, wanted_of(visit, limit=_MOST))

    async def gather(classification_id: str) -> Gathered:
        async with visit.service.database.autocommit() as transaction:
            return await evidence.gather(transaction, visit.tenant, classification_id)

    ids_of_final = [line.id for line in found.items if line.status.is_final]
    content = archive(ids_of_final, gather, visit.service.library)
    return StreamingResponse(content, media_type="application/zip", headers=attached("evidence.zip"))


ROUTES = (
    page(f"{ONE}/evidence.pdf", document),
    page(f"{ONE}/ruling-request.docx", ruling_request),
    page(f"{LIST}-evidence.zip", documents),
)
