"""Classify a file of products: look at it first, then send it, watch it, and take the results home.

The trap: a double click on what costs; an upload is submitted once."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.classifications import browse, uploads
from pcs.classifications.listing import Listed
from pcs.classifications.model import Status
from pcs.classifications.tables import Upload, decoded, read_table
from pcs.dashboard import classify
from pcs.dashboard.pages import dotted
from pcs.dashboard.visit import Visit, action, page
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.spreadsheets.writing import write_csv

_PATH = "/dashboard/{environment:environment}/uploads"
_PREVIEW = 10
_BAD_SHOWN = 50
_SHOWN = 100


async def receive(visit: Visit) -> Response:
    """Keep a file that can be read. Raises InvalidRequestError."""
    chosen = visit.file("file")
    if chosen is None:
        raise InvalidRequestError(Violation("file", "is needed"))
    content = decoded(await chosen.read())
    read_table(content)
    schedules = classify.schedules_of(visit)
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
        upload = await uploads.get(transaction, visit.tenant, visit.request.path_params["upload_id"])
        if upload.submitted_at is None:
            return _preview(visit, upload)
        counts = await browse.progress(transaction, visit.tenant, upload.batch_ids)
        lines = await browse.of_batches(transaction, visit.tenant, upload.batch_ids, limit=_SHOWN)
    total = sum(counts.values())
    done = counts.get(Status.COMPLETED, 0) + counts.get(Status.FAILED, 0)
    return visit.render(
        "upload.html", upload=upload, counts=counts, states=Status, total=total, done=done, lines=lines, most=_SHOWN
    )


def _preview(visit: Visit, upload: Upload) -> Response:
    table = read_table(upload.content)
    return visit.render(
        "upload_preview.html",
        upload=upload,
        table=table,
        good=[row for row in table.rows if row.product][:_PREVIEW],
        bad=table.bad[:_BAD_SHOWN],
    )


async def submit(visit: Visit) -> Response:
    """Send the good rows. Raises NotFoundError, SubmittedAlreadyError or InsufficientCreditsError."""
    async with visit.service.database.begin() as transaction:
        upload = await uploads.get(transaction, visit.tenant, visit.request.path_params["upload_id"])
        await uploads.submit(transaction, visit.tenant, upload, now=visit.now)
        await _record(visit, transaction, upload, Action.FILE_SUBMITTED)
    return visit.go(f"/uploads/{upload.id}")


async def download(visit: Visit) -> Response:
    """The results as CSV. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        upload = await uploads.get(transaction, visit.tenant, visit.request.path_params["upload_id"])
        if upload.submitted_at is None:
            msg = "This file has not been submitted."
            raise NotFoundError(msg)
        lines = await browse.of_batches(transaction, visit.tenant, upload.batch_ids, limit=None)
    return csv_response(lines, "results.csv")


def csv_response(lines: Iterable[Listed], file_name: str) -> Response:
    """Classifications as a file for a spreadsheet."""
    file = io.StringIO(newline="")
    write_csv(file, itertools.chain([_HEADER], map(_cells, lines)))
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return Response(file.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


_HEADER = (
    "identifier",
    "name",
    "schedule",
    "status",
    "code",
    "description",
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
        dotted(line.code),
        line.description,
        "" if line.confidence is None else f"{line.confidence:.3f}",
        "yes" if line.needs_review else "",
        line.decision or "",
        line.error or "",
        line.id,
    )


ROUTES = (
    action(_PATH, receive, shown=classify.show, needs=Permission.CLASSIFY),
    page(f"{_PATH}/{{upload_id}}/results.csv", download),
    page(f"{_PATH}/{{upload_id}}", show),
    action(f"{_PATH}/{{upload_id}}", submit, shown=show, needs=Permission.CLASSIFY),
)
