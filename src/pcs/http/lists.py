"""Lists on the wire: `{"data": […], "has_more": …, "next_cursor": …}` and the query that asks for a page.

The trap: a cursor that is trusted; it is a place in the order of identifiers, without any, and a text of another shape
is a 400."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pcs.base import ids
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.paging import Page, Slice
from pcs.wire.base import Answer, Matching, clean

Item = TypeVar("Item")

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


class ListOf(Answer, Generic[Item]):
    """One page of a list, newest first."""

    data: list[Item]
    has_more: bool = Field(description="Whether there is a next page.")
    next_cursor: str | None = Field(description="Give it as `cursor` to get the next page; null on the last.")


def whole_number(value: object) -> object:
    """A number as a query writes it: digits only. Raises ValueError."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,9}", value):
        msg = "must be a whole number"
        raise ValueError(msg)
    return value


def _truth(value: object) -> object:
    if isinstance(value, str):
        if value not in {"true", "false"}:
            msg = "must be true or false"
            raise ValueError(msg)
        return value == "true"
    return value


def _moment(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        if _RFC3339.fullmatch(value):
            return dt.datetime.fromisoformat(value.upper()).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        pass
    msg = "must be a time such as 2026-01-31T12:00:00Z"
    raise ValueError(msg)


Truth = Annotated[bool, BeforeValidator(_truth)]
Moment = Annotated[dt.datetime, BeforeValidator(_moment)]


_TAGGED = re.compile(r"metadata\[(.*)\]", re.DOTALL)
_STORABLE = {"type": "string", "pattern": r"^[^\u0000]*$"}
BY_METADATA: dict[str, Any] = {
    "parameters": [
        {
            "name": "metadata",
            "in": "query",
            "required": False,
            "style": "deepObject",
            "explode": True,
            "description": "Only those that carry all of these, such as `metadata[order]=4711`.",
            "schema": {"type": "object", "propertyNames": _STORABLE, "additionalProperties": _STORABLE},
        }
    ]
}
"""What the document says of a list that can be asked for by metadata."""


async def _metadata(request: Request) -> dict[str, str]:
    asked = dict[str, str]()
    for name, value in request.query_params.multi_items():
        found = _TAGGED.fullmatch(name)
        if found is None:
            continue
        try:
            asked[str(clean(found[1]))] = str(clean(value))
        except ValueError as error:
            raise InvalidRequestError(Violation("metadata", str(error))) from None
    return asked


AskedMetadata = Annotated[dict[str, str], Depends(_metadata)]
"""The metadata that a query asks for, as `metadata[key]=value`."""


class PageQuery(BaseModel):
    """Which page: at most `limit` items, after `cursor`."""

    model_config = ConfigDict(extra="ignore")

    limit: Annotated[int, BeforeValidator(whole_number)] = Field(
        default=20, ge=1, le=100, description="How many items at most."
    )
    cursor: Annotated[str, Matching(f"^{ids.SHAPE}$", "must be the `next_cursor` of a page")] | None = Field(
        default=None, description="The `next_cursor` of the page before."
    )

    def slice(self, kind: str) -> Slice:
        """The part of a list of things of this kind."""
        return Slice(self.limit, None if self.cursor is None else f"{kind}_{self.cursor}")


def paged(found: Page[Any], data: list[Item]) -> ListOf[Item]:
    """The wire shape of a page, whose items have been given theirs."""
    cursor = None if found.next_after is None else found.next_after.rpartition("_")[2]
    return ListOf(data=data, has_more=cursor is not None, next_cursor=cursor)
