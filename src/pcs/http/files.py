"""Files on the wire: a table of products goes in, and comes back with its answers.

The traps: a file held in memory, so its body is not read by the guard but streamed to the disk, counted; and a file
sent again because its answer was lost, so the same Idempotency-Key with the same file and fields is one upload."""

from __future__ import annotations

import asyncio
import hashlib
import json
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field, TypeAdapter, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response, StreamingResponse

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.text import storable
from pcs.batches.model import BatchStatus, BatchSummary
from pcs.http.access import Access, Work, access_for, answer
from pcs.http.errors import UnsupportedMediaTypeError
from pcs.http.openapi import creating, refusing
from pcs.http.violations import violation
from pcs.http.waiting import Waiting, confirmed
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.products.intake import FIELDS
from pcs.products.tables import columns_by_title
from pcs.tariff.revision import ScheduleName
from pcs.uploads import service as uploads
from pcs.uploads.model import Upload
from pcs.uploads.reading import ONE_AT_A_TIME, ReadFile, is_json_lines, read_file
from pcs.uploads.results import csv_file, xlsx_file
from pcs.wire.base import API_PREFIX, Answer, Schedules, Timestamp
from pcs.wire.batches import SummaryOutput

router = APIRouter(tags=["batches"])

_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "schedules"],
                    "properties": {
                        "file": {
                            "type": "string",
                            "format": "binary",
                            "description": "CSV, XLSX, or JSON Lines called `….jsonl`: up to 100,000 rows and 50 MiB.",
                        },
                        "schedules": {
                            "type": "string",
                            "description": "One or more, with commas between them.",
                            "pattern": "^[^\\u0000]*$",
                            "example": "US-HTS,EU-CN",
                        },
                        "columns": {
                            "type": "string",
                            "description": "A JSON object: which column, by its title, gives which field "
                            f"({', '.join(FIELDS)}); an empty title: none. Fields that are not named are recognised.",
                            "pattern": "^[^\\u0000]*$",
                            "example": '{"name": "Bezeichnung"}',
                        },
                    },
                }
            }
        },
    }
}


class ResultKind(StrEnum):
    """How the result is written."""

    CSV = "csv"
    XLSX = "xlsx"


class RowProblem(Answer):
    """A row that was left out, and why, with the column where one is at fault."""

    row: int = Field(description="As a spreadsheet program shows it.")
    message: str


class UploadOutput(Answer):
    """A file of products and how far it is."""

    upload_id: str
    file_name: str
    status: BatchStatus
    schedules: list[ScheduleName]
    columns: dict[str, str] = Field(description="Which column, by its title, gave which field.")
    rows: int
    accepted: int = Field(description="Rows that are classified, a credit each for every schedule.")
    left_out: int = Field(description="Rows that cannot be used; they are in the result, which says why.")
    problems: list[RowProblem] = Field(description="The first fifty of those left out.")
    summary: SummaryOutput
    stopped: str | None = Field(description="Why the rest was not sent, such as credits that ran out meanwhile.")
    created_at: Timestamp
    poll_url: str
    result_url: str

    @classmethod
    def of(cls, upload: Upload, summary: BatchSummary) -> UploadOutput:
        """The wire shape of a submitted upload."""
        titles = upload.table().sheet.titles
        url = f"{API_PREFIX}/uploads/{upload.id}"
        return cls(
            upload_id=upload.id,
            file_name=upload.file_name,
            status=BatchStatus.PROCESSING if summary.pending else BatchStatus.COMPLETED,
            schedules=list(upload.schedules),
            columns={name: titles[place] for name, place in upload.columns.items()},
            rows=upload.rows,
            accepted=upload.good,
            left_out=upload.rows - upload.good,
            problems=[RowProblem.model_validate(one) for one in upload.problems],
            summary=SummaryOutput.of(summary),
            stopped=upload.stopped,
            created_at=upload.created_at,
            poll_url=url,
            result_url=f"{url}/result",
        )


@router.post(
    "/uploads",
    status_code=202,
    response_model=UploadOutput,
    responses=creating(charged=True),
    openapi_extra=_FORM,
)
async def classify_file(
    request: Request, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Classify a file of products: CSV, XLSX or JSON Lines, up to 100,000 rows. One credit for each row and schedule.

    Rows that cannot be used are left out and named by row and column. The first thousand rows are sent with the answer,
    the rest as these are analysed.
    """
    _require_form(request)
    async with request.form(max_files=1, max_fields=20, max_part_size=64 * 1024) as form:
        schedules, named = _schedules(form), _columns(form)
        chosen = form.get("file")
        if not isinstance(chosen, UploadFile):
            raise InvalidRequestError(Violation("file", "is required: a file, in a part of its own"))
        name = storable(chosen.filename or "file")
        fingerprint = await asyncio.to_thread(
            _fingerprint, chosen, json.dumps([name, schedules, sorted(named.items())])
        )
        async with ONE_AT_A_TIME:
            read = await asyncio.to_thread(read_file, chosen.file, json_lines=is_json_lines(name))
        with read:
            work = await _accepting(access, uploads.new_upload(name, read, schedules, now=access.now), read, named)
            return await access.write_once(work, fingerprint=fingerprint)


def _require_form(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        msg = "Send the file as multipart/form-data: curl does with -F file=@goods.csv -F schedules=US-HTS."
        raise UnsupportedMediaTypeError(msg)


def _fingerprint(chosen: UploadFile, said: str) -> bytes:
    """A digest of the file and of what was said of it."""
    digest = hashlib.sha256(said.encode())
    while chunk := chosen.file.read(1024 * 1024):
        digest.update(chunk)
    return digest.digest()


async def _accepting(access: Access, upload: Upload, read: ReadFile, named: dict[str, str]) -> Work:
    """What is done once: the rows were looked at before the transaction begins."""
    columns = columns_by_title(named, upload.table().sheet.titles)
    uploads.require_names(upload, columns)
    async with ONE_AT_A_TIME:
        found = await asyncio.to_thread(uploads.survey_of, upload, read, columns)

    async def work(transaction: Transaction) -> Response:
        await uploads.keep(transaction, access.tenant, upload, read, member_id=None)
        submitted = await uploads.submit(transaction, access.tenant, upload, columns, found, now=access.now)
        summary = await uploads.progress(transaction, access.tenant, submitted)
        subject, detail = upload.id, f"{upload.file_name} ({access.tenant.environment})"
        await audit.record(
            transaction, access.actor, Action.FILE_SUBMITTED, subject=subject, detail=detail, now=access.now
        )
        return answer(UploadOutput.of(submitted, summary), 202)

    return work


@router.get("/uploads/{upload_id}", response_model=UploadOutput, responses=refusing(400, 404))
async def get_upload(
    upload_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)], wait: Waiting
) -> Response:
    """Get how far an uploaded file is."""
    if wait is not None:
        await wait.until_final(access, {upload_id})
    async with access.read() as transaction:
        upload = await _submitted(transaction, access, upload_id)
        summary = await uploads.progress(transaction, access.tenant, upload)
    return confirmed(wait, answer(UploadOutput.of(upload, summary)))


@router.get(
    "/uploads/{upload_id}/result",
    response_class=Response,
    responses=refusing(400, 404)
    | {200: {"content": {"text/csv": {}, "application/octet-stream": {}}, "description": "The file with its answers."}},
)
async def get_upload_result(
    upload_id: str,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
    kind: Annotated[ResultKind, Query(alias="format", description="`csv` or `xlsx`.")] = ResultKind.CSV,
) -> Response:
    """Get the file with its answers: its own columns first, then ours, a row for each of its rows, at any time."""
    async with access.read() as transaction:
        upload = await _submitted(transaction, access, upload_id)
    written = await (csv_file if kind is ResultKind.CSV else xlsx_file)(
        access.service.database.autocommit, access.tenant, upload
    )
    headers = {"Content-Disposition": f'attachment; filename="{written.name}"'}
    return StreamingResponse(written.chunks(), media_type=written.media_type, headers=headers)


async def _submitted(transaction: Transaction, access: Access, upload_id: str) -> Upload:
    upload = await uploads.get(transaction, access.tenant, upload_id)
    if upload.submitted_at is None or not upload.rows:  # looked at in the dashboard, or of the first version
        msg = f"There is no upload {upload_id}."
        raise NotFoundError(msg)
    return upload


def _schedules(form: FormData) -> list[ScheduleName]:
    said = [one.strip() for text in form.getlist("schedules") if isinstance(text, str) for one in text.split(",")]
    try:
        return [ScheduleName(one) for one in TypeAdapter(Schedules).validate_python([one for one in said if one])]
    except ValidationError as error:
        found = [violation({**one, "loc": ("body", "schedules", *one["loc"])}) for one in error.errors()]
        raise InvalidRequestError(*found) from None


def _columns(form: FormData) -> dict[str, str]:
    text = form.get("columns")
    try:
        named = json.loads(text) if isinstance(text, str) and text.strip() else {}
        if isinstance(named, dict) and all(isinstance(title, str) for title in named.values()):
            return {str(field): title for field, title in named.items()}
    except (ValueError, RecursionError):
        pass
    raise InvalidRequestError(Violation("columns", 'must be a JSON object of texts such as {"name": "Product"}'))
