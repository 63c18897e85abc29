"""The request log on the wire. The trap: a key that may not read goods and reads them in logged bodies; a body is shown
to keys that may read everything."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from pcs.base import ids
from pcs.http.access import Access, access_for, answer, require
from pcs.http.lists import ListOf, Moment, PageQuery, paged
from pcs.http.openapi import refusing
from pcs.organizations.model import READ_ONLY, Scope
from pcs.requests import service as requests
from pcs.requests.model import LoggedRequest, RequestFilters
from pcs.wire.base import Answer, Matching, Text, Timestamp

router = APIRouter(tags=["account"])


class RequestQuery(PageQuery):
    """Which requests to list."""

    api_key: Text | None = Field(default=None, description="Only those with this key: its id, as `GET /me` shows it.")
    method: Literal["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"] | None = None
    path: Text | None = Field(default=None, description="How the path begins, such as `/api/v1/classifications`.")
    status: (
        Annotated[str, Matching(r"^[1-5](xx|[0-9]{2})$", "must be a status or a class, such as 404 or 4xx")] | None
    ) = Field(default=None, description="A status, or a class such as `4xx`.")
    created_after: Moment | None = None
    created_before: Moment | None = None

    def filters(self) -> RequestFilters:
        """The same, as the service knows it."""
        return RequestFilters(
            self.api_key, self.method, self.path, self.status, self.created_after, self.created_before
        )


class SenderOutput(Answer):
    """The key that a request was sent with."""

    id: str
    name: str
    last_four: str


class RequestOutput(Answer):
    """One request and how it was answered."""

    request_id: str
    api_key: SenderOutput
    method: str
    path: str
    query: str = Field(description="Without secrets.")
    status: int
    duration_ms: float
    created_at: Timestamp


class RequestDetail(RequestOutput):
    """A request with its bodies, shortened and without secrets; null where none is kept."""

    request_body: Any | None
    response_body: Any | None = Field(description="Kept of errors, and of what was not only read; up to 16 KiB.")


def _fields(one: LoggedRequest) -> dict[str, Any]:
    return {
        "request_id": one.id,
        "api_key": SenderOutput(id=one.key_id, name=one.key_name, last_four=one.key_last_four),
        "method": one.method,
        "path": one.path,
        "query": one.query,
        "status": one.status,
        "duration_ms": one.took,
        "created_at": one.created_at,
    }


@router.get("/requests", response_model=ListOf[RequestOutput], responses=refusing(400))
async def list_requests(
    query: Annotated[RequestQuery, Query()], access: Annotated[Access, access_for(Scope.USAGE_READ)]
) -> Response:
    """List the API requests of the last days, newest first. A request is listed within a second of its answer."""
    async with access.read() as transaction:
        found = await requests.list_page(transaction, access.tenant, query.filters(), query.slice(ids.REQUEST))
    return answer(paged(found, [RequestOutput(**_fields(one)) for one in found.items]))


@router.get("/requests/{request_id}", response_model=RequestDetail, responses=refusing(404))
async def get_request(request_id: str, access: Annotated[Access, access_for(Scope.USAGE_READ)]) -> Response:
    """Get one request with its bodies, shortened and without secrets. The key needs every read scope."""
    for scope in sorted(READ_ONLY):
        require(access.key, scope)
    async with access.read() as transaction:
        found = await requests.get(transaction, access.tenant, request_id)
    return answer(
        RequestDetail(
            **_fields(found), request_body=_body(found.request_body), response_body=_body(found.response_body)
        )
    )


def _body(kept: str | None) -> Any:  # noqa: ANN401 (any JSON)
    return None if kept is None else json.loads(kept)
