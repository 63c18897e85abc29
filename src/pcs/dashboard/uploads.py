"""Classify a file of products: look at it first, then send it, watch it, and take the results home.

The trap: a double click on what costs; an upload is submitted once."""

from __future__ import annotations

import asyncio
import io
import itertools
import re
from collections.abc import Iterable, Sequence

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.classifications.model import Classification, Status
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
from pcs.uploads.results import result_rows

_PATH = "/dashboard/{environment:environment}/uploads"
_PREVIEW = 10
_REPEATS = 20
_SHOWN = 100
_ONE_AT_A_TIME = asyncio.Semaphore(1)
"""A workbook of five thousand rows takes seconds of a core."""


async def receive(visit: Visit) -> Response:
    """Keep a file that can be read. Raises InvalidRequestError."""
    chosen = visit.file("file")
    if chosen is None:
        raise InvalidRequestError(Violation("file", "is needed"))
    schedules = classify.schedules_of(visit)
    async with _ONE_AT_A_TIME:
        content = await asyncio.to_thread(uploads.read_file, await chosen.read())
    upload = uploads.new_upload(chosen.filename or "", content, schedules, now=visit.now)
    async with visit.service.database.begin() as transaction:
        await uploads.keep(transaction, visit.tenant, upload, member_id=visit.member.id)
        await _record(visit, transaction, upload, Action.FILE_UPLOADED)
    return visit.go(f"/uploads/{upload.id}")


async def _record(visit: Visit, transaction: Transaction, upload: Upload, done: Action) -> None:
    detail = f"{upload.file_name} ({visit.environment})"
    await audit.record(transaction, visit.actor, done, subject=upload.id, detail=detail, now=visit.now)


async def show(visit: Visit) -> Response:
    """A file before it is sent, or how far it is. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        upload = await _upload(visit, transaction)
        if upload.submitted_at is not None:
            counts = await lists.progress(transaction, visit.tenant, upload.batch_ids)
            lines = await lists.of_batches(transaction, visit.tenant, upload.batch_ids, limit=_SHOWN)
    if upload.submitted_at is None:
        return await _preview(visit, upload)
    total = sum(counts.values())
    done = counts.get(Status.COMPLETED, 0) + counts.get(Status.FAILED, 0)
    return visit.render(
        "upload.html", upload=upload, counts=counts, states=Status, total=total, done=done, lines=lines, most=_SHOWN
    )


async def _upload(visit: Visit, transaction: Transaction) -> Upload:
    return await uploads.get(transaction, visit.tenant, visit.request.path_params["upload_id"])


async def _preview(visit: Visit, upload: Upload) -> Response:
    """What was recognised, which columns may be chosen instead, and the first rows as they will be sent."""
    table = upload.table(_columns(visit, upload))
    found = await asyncio.to_thread(table.survey)
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
        await uploads.submit(transaction, visit.tenant, upload, columns, now=visit.now)
        await _record(visit, transaction, upload, Action.FILE_SUBMITTED)
    return visit.go(f"/uploads/{upload.id}")


async def download_csv(visit: Visit) -> Response:
    """The file with its answers, as CSV in the dialect in which it came. Raises NotFoundError."""
    upload, found, lines = await _results(visit)
    if not upload.sent:  # submitted to a version that did not keep its rows
        return csv_response(lines, "results.csv")
    return await asyncio.to_thread(_csv, upload, found)


def _csv(upload: Upload, found: Sequence[Classification]) -> Response:
    style, file = upload.table().sheet.style, io.StringIO(newline="")
    write_csv(file, result_rows(upload, found), style.delimiter or ",")
    text = file.getvalue().encode("utf-8-sig" if style.marked else "utf-8")
    return _file(text, "text/csv; charset=utf-8", _result_name(upload, "csv"))


async def download_xlsx(visit: Visit) -> Response:
    """The file with its answers, as a workbook. Raises NotFoundError."""
    upload, found, lines = await _results(visit)
    rows = result_rows(upload, found) if upload.sent else itertools.chain([_HEADER], map(_cells, lines))
    return await asyncio.to_thread(_xlsx, rows, _result_name(upload, "xlsx"))


def _xlsx(rows: Iterable[Sequence[object]], name: str) -> Response:
    file = io.BytesIO()
    write_xlsx(file, rows)
    return _file(file.getvalue(), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", name)


async def _results(visit: Visit) -> tuple[Upload, list[Classification], list[Listed]]:
    async with visit.service.database.begin() as transaction:
        upload = await _upload(visit, transaction)
        if upload.submitted_at is None:
            msg = "This file has not been submitted."
            raise NotFoundError(msg)
        if upload.sent:
            return upload, await uploads.answers(transaction, visit.tenant, upload), []
        return upload, [], await lists.of_batches(transaction, visit.tenant, upload.batch_ids, limit=None)


def _result_name(upload: Upload, ending: str) -> str:
    """The name of the file that came, as far as every system takes it, and what this one is.

    >>> from unittest.mock import Mock
    >>> _result_name(Mock(file_name="Preisliste \u20ac.xlsx"), "csv")
    'Preisliste--results.csv'
    """
    stem = re.sub(r"[^A-Za-z0-9._ -]", "", upload.file_name.rpartition(".")[0] or upload.file_name)
    return f"{stem.replace(' ', '-') or 'file'}-results.{ending}"


def _file(content: bytes, media_type: str, name: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def csv_response(lines: Iterable[Listed], file_name: str) -> Response:
    """Classifications as a file for a spreadsheet."""
    file = io.StringIO(newline="")
    write_csv(file, itertools.chain([_HEADER], map(_cells, lines)))
    return _file(file.getvalue().encode(), "text/csv; charset=utf-8", file_name)


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
    )


ROUTES = (
    action(_PATH, receive, shown=classify.show, needs=Permission.CLASSIFY),
    page(f"{_PATH}/{{upload_id}}/results.csv", download_csv),
    page(f"{_PATH}/{{upload_id}}/results.xlsx", download_xlsx),
    page(f"{_PATH}/{{upload_id}}", show),
    action(f"{_PATH}/{{upload_id}}", submit, shown=show, needs=Permission.CLASSIFY),
)
