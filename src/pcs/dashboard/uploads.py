"""Classify a file of products: look at it first, then send it, watch it, and take the results home.

The trap: a double click on what costs; an upload is submitted once."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
from collections.abc import Iterable

from starlette.responses import Response, StreamingResponse

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.dashboard import classify
from pcs.dashboard.pages import dotted
from pcs.dashboard.visit import Visit, action, page
from pcs.lists import service as lists
from pcs.lists.model import Listed
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.products.intake import FIELDS
from pcs.products.tables import chosen_columns
from pcs.spreadsheets.model import letter
from pcs.spreadsheets.writing import write_csv, write_xlsx
from pcs.uploads import service as uploads
from pcs.uploads.model import Upload
from pcs.uploads.reading import ONE_AT_A_TIME, is_json_lines, read_file
from pcs.uploads.results import ResultFile, csv_file, xlsx_file

_PATH = "/dashboard/{environment:environment}/uploads"
_PREVIEW = 10
_REPEATS = 20
_SHOWN = 100


async def receive(visit: Visit) -> Response:
    """Keep a file that can be read. Raises InvalidRequestError."""
    chosen = visit.file("file")
    if chosen is None:
        raise InvalidRequestError(Violation("file", "is needed"))
    schedules = classify.schedules_of(visit)
    async with ONE_AT_A_TIME:
        read = await asyncio.to_thread(read_file, chosen.file, json_lines=is_json_lines(chosen.filename or ""))
    with read:
        upload = uploads.new_upload(chosen.filename or "", read, schedules, now=visit.now)
        async with visit.service.database.begin() as transaction:
            await uploads.keep(transaction, visit.tenant, upload, read, member_id=visit.member.id)
            await _record(visit, transaction, upload, Action.FILE_UPLOADED)
    return visit.go(f"/uploads/{upload.id}")


async def _record(visit: Visit, transaction: Transaction, upload: Upload, done: Action) -> None:
    detail = f"{upload.file_name} ({visit.environment})"
    await audit.record(transaction, visit.actor, done, subject=upload.id, detail=detail, now=visit.now)


async def show(visit: Visit) -> Response:
    """A file before it is sent, or how far it is. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        upload = await _upload(visit, transaction)
        if upload.submitted_at is None:
            return await _preview(visit, transaction, upload)
        batch_ids = await uploads.batch_ids(transaction, upload)
        summary = await uploads.progress(transaction, visit.tenant, upload)
        lines = await lists.of_batches(transaction, visit.tenant, batch_ids, limit=_SHOWN)
    return visit.render("upload.html", upload=upload, summary=summary, batch_ids=batch_ids, lines=lines, most=_SHOWN)


async def _upload(visit: Visit, transaction: Transaction) -> Upload:
    return await uploads.get(transaction, visit.tenant, visit.request.path_params["upload_id"])


async def _preview(visit: Visit, transaction: Transaction, upload: Upload) -> Response:
    """What was recognised, which columns may be chosen instead, and the first rows as they will be sent."""
    table = upload.table(_columns(visit, upload))
    found = await uploads.survey(transaction, upload, table.columns)
    return visit.render(
        "upload_preview.html",
        upload=upload,
        table=table,
        found=found,
        choices=[(place, letter(place), title) for place, title in enumerate(table.sheet.titles)],
        good=found.first[:_PREVIEW],
        repeats=found.repeats[:_REPEATS],
        repeated=len({each.row for each in found.repeats}),
    )


def _columns(visit: Visit, upload: Upload) -> dict[str, int] | None:
    """The columns that somebody chose, in the address or in the form that sends; None where nobody did."""
    sources = (visit.form, visit.request.query_params)
    said = next((source for source in sources if any(name in source for name in FIELDS)), None)
    chosen = {name: str(value) for name, value in said.items()} if said else None
    return None if chosen is None else chosen_columns(chosen, upload.table().sheet.titles)


async def submit(visit: Visit) -> Response:
    """Send the good rows.

    Raises NotFoundError, InvalidRequestError, SubmittedAlreadyError or InsufficientCreditsError.
    """
    async with visit.service.database.begin() as transaction:
        upload = await _upload(visit, transaction)
        columns = upload.table(_columns(visit, upload)).columns
        uploads.require_names(upload, columns)
        found = await uploads.survey(transaction, upload, columns)
        await uploads.submit(transaction, visit.tenant, upload, columns, found, now=visit.now)
        await _record(visit, transaction, upload, Action.FILE_SUBMITTED)
    return visit.go(f"/uploads/{upload.id}")


async def download_csv(visit: Visit) -> Response:
    """The file with its answers, as CSV in the dialect in which it came. Raises NotFoundError."""
    upload, lines = await _submitted(visit)
    if not upload.rows:
        return csv_response(lines, "results.csv")
    return _sent(await csv_file(visit.service.database.autocommit, visit.tenant, upload))


async def download_xlsx(visit: Visit) -> Response:
    """The file with its answers, as a workbook. Raises NotFoundError."""
    upload, lines = await _submitted(visit)
    if not upload.rows:
        return await asyncio.to_thread(_xlsx, lines)
    return _sent(await xlsx_file(visit.service.database.autocommit, visit.tenant, upload))


def _sent(found: ResultFile) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{found.name}"'}
    return StreamingResponse(found.chunks(), media_type=found.media_type, headers=headers)


def _xlsx(lines: Iterable[Listed]) -> Response:
    file = io.BytesIO()
    write_xlsx(file, itertools.chain([_HEADER], map(_cells, lines)))
    headers = {"Content-Disposition": 'attachment; filename="results.xlsx"'}
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return Response(file.getvalue(), media_type=media_type, headers=headers)


async def _submitted(visit: Visit) -> tuple[Upload, list[Listed]]:
    """A submitted upload; the lines of one that was submitted to a version that did not keep its rows."""
    async with visit.service.database.begin() as transaction:
        upload = await _upload(visit, transaction)
        if upload.submitted_at is None:
            msg = "This file has not been submitted."
            raise NotFoundError(msg)
        kept = bool(upload.rows)
        lines = [] if kept else await lists.of_batches(transaction, visit.tenant, upload.batch_ids, limit=None)
        return upload, lines


def csv_response(lines: Iterable[Listed], file_name: str) -> Response:
    """Classifications as a file for a spreadsheet."""
    file = io.StringIO(newline="")
    write_csv(file, itertools.chain([_HEADER], map(_cells, lines)))
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return Response(file.getvalue().encode(), media_type="text/csv; charset=utf-8", headers=headers)


_HEADER = (
    "identifier",
    "name",
    "schedule",
    "status",
    "final code",
    "decided by",
    "description",
    "code",
    "confidence",
    "needs review",
    "review",
    "error",
    "classification id",
    "metadata",
)


def _cells(line: Listed) -> tuple[str, ...]:
    return (
        line.identifier or "",
        line.product_name,
        line.schedule,
        line.status,
        dotted(line.final_code),
        line.decided_by or "",
        line.description,
        dotted(line.code),
        "" if line.confidence is None else f"{line.confidence:.3f}",
        "yes" if line.needs_review else "",
        line.decision or "",
        line.error or "",
        line.id,
        json.dumps(dict(line.metadata), ensure_ascii=False) if line.metadata else "",
    )


ROUTES = (
    action(_PATH, receive, shown=classify.show, needs=Permission.CLASSIFY),
    page(f"{_PATH}/{{upload_id}}/results.csv", download_csv),
    page(f"{_PATH}/{{upload_id}}/results.xlsx", download_xlsx),
    page(f"{_PATH}/{{upload_id}}", show),
    action(f"{_PATH}/{{upload_id}}", submit, shown=show, needs=Permission.CLASSIFY),
)
