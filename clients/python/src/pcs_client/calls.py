"""Every request of the client as a value, made once for both clients. The trap: a retried POST that does its work
twice; each creating call has its own Idempotency-Key, the same on every try."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel

from pcs_client.errors import KINDS, ApiError
from pcs_client.models import (
    Batch,
    Classification,
    Filters,
    Model,
    Product,
    ProductFields,
    Reanalysed,
    Submitted,
    Upload,
    Webhook,
)

Answer = TypeVar("Answer", bound=BaseModel)
_V1 = "/api/v1"


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A request and the shape of its answer."""

    method: str
    path: str
    shape: type[Answer]
    body: dict[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    file: tuple[str, bytes] | None = None

    @property
    def sent(self) -> dict[str, Any]:
        """What of it goes into the body: JSON, or a form with a file."""
        if self.file is None:
            return {"json": self.body}
        return {"data": dict(self.fields), "files": {"file": self.file}}

    def waiting(self, seconds: int) -> Self:
        """The same, answered when it is final, or after so many seconds; an older service answers at once."""
        return replace(self, query={**self.query, "wait": str(seconds)}) if seconds else self

    def read(self, response: httpx2.Response) -> Answer:
        """The answer. Raises ApiError for what is none."""
        if response.status_code >= 400:
            raise error_of(response)
        if issubclass(self.shape, Content):
            return self.shape(content=response.content)
        return self.shape.model_validate_json(response.content or b"{}")


class Raw(Model):
    """An answer that is given as it is, in `model_extra`."""


class Content(Model):
    """An answer that is a file."""

    content: bytes


class ListPage(Model, Generic[Answer]):
    """One page."""

    data: list[Answer]
    has_more: bool
    next_cursor: str | None


def error_of(response: httpx2.Response) -> ApiError:
    """The error that a response tells of."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = {}
    asked = response.headers.get("Retry-After", "")
    return KINDS.get(response.status_code, ApiError)(
        response.status_code,
        body if isinstance(body, dict) else {},
        request_id=response.headers.get("X-Request-ID"),
        retry_after=int(asked) if asked.isdigit() else None,
    )


def create_product(product: ProductFields, key: str | None) -> Call[Product]:
    """Create a product without classifying it."""
    return _creating("/products", {"product": _given(product)}, Product, key)


def terms(webhook_url: str | None, metadata: Mapping[str, str] | None) -> dict[str, Any]:
    """What may be said of a request as a whole."""
    told = {} if webhook_url is None else {"options": {"webhook_url": webhook_url}}
    return told if metadata is None else told | {"metadata": dict(metadata)}


def classify(
    product: ProductFields, schedules: Sequence[str], terms: Mapping[str, Any], key: str | None
) -> Call[Submitted]:
    """Create a product and classify it."""
    body = {"product": _given(product), "schedules": list(schedules), **terms}
    return _creating("/products/classify", body, Submitted, key)


def classify_existing(
    product_id: str, schedules: Sequence[str], terms: Mapping[str, Any], key: str | None
) -> Call[Submitted]:
    """Classify a product that exists already."""
    body = {"product_id": product_id, "schedules": list(schedules), **terms}
    return _creating("/classifications", body, Submitted, key)


def classify_bulk(
    products: Sequence[ProductFields], schedules: Sequence[str], terms: Mapping[str, Any], key: str | None
) -> Call[Batch]:
    """Submit a batch."""
    goods = [_given(product) for product in products]
    body = {"products": goods, "schedules": list(schedules), **terms}
    return _creating("/classifications/bulk", body, Batch, key)


def get_product(product_id: str) -> Call[Product]:
    """Read a product with its classifications."""
    return Call("GET", f"{_V1}/products/{_segment(product_id)}", Product)


def get_classification(classification_id: str) -> Call[Classification]:
    """Read a classification."""
    return Call("GET", f"{_V1}/classifications/{_segment(classification_id)}", Classification)


def classify_file(
    name: str, content: bytes, schedules: Sequence[str], columns: Mapping[str, str] | None, key: str | None
) -> Call[Upload]:
    """Classify a file of products."""
    fields = {"schedules": ",".join(schedules)} | ({"columns": json.dumps(dict(columns))} if columns else {})
    headers = {"Idempotency-Key": key or str(uuid.uuid4())}
    return Call("POST", f"{_V1}/uploads", Upload, headers=headers, fields=fields, file=(name, content))


def get_upload(upload_id: str) -> Call[Upload]:
    """Read how far a file is."""
    return Call("GET", f"{_V1}/uploads/{_segment(upload_id)}", Upload)


def get_upload_result(upload_id: str, kind: str) -> Call[Content]:
    """Read a file with its answers."""
    return Call("GET", f"{_V1}/uploads/{_segment(upload_id)}/result", Content, query={"format": kind})


def get_batch(batch_id: str) -> Call[Batch]:
    """Read a batch."""
    return Call("GET", f"{_V1}/classifications/bulk/{_segment(batch_id)}", Batch)


def list_classifications(filters: Filters, cursor: str | None) -> Call[ListPage[Classification]]:
    """Read one page of classifications."""
    plain = filters.model_dump(exclude_none=True, exclude={"metadata"})
    query = {name: _text(value) for name, value in plain.items()} | _carrying(filters.metadata)
    return Call("GET", f"{_V1}/classifications", ListPage[Classification], query=query | _page(cursor))


def list_products(
    identifier: str | None, metadata: Mapping[str, str] | None, cursor: str | None
) -> Call[ListPage[Product]]:
    """Read one page of products."""
    query = ({} if identifier is None else {"identifier": identifier}) | _carrying(metadata)
    return Call("GET", f"{_V1}/products", ListPage[Product], query=query | _page(cursor))


def list_batches(cursor: str | None) -> Call[ListPage[Batch]]:
    """Read one page of batches."""
    return Call("GET", f"{_V1}/classifications/bulk", ListPage[Batch], query=_page(cursor))


def cancel(classification_id: str) -> Call[Classification]:
    """Cancel what is still pending."""
    return Call("POST", f"{_V1}/classifications/{_segment(classification_id)}/cancel", Classification)


def answer(classification_id: str, answers: Sequence[Mapping[str, str]]) -> Call[Reanalysed]:
    """Answer questions of a result."""
    body = {"answers": [dict(each) for each in answers]}
    return Call("POST", f"{_V1}/classifications/{_segment(classification_id)}/answers", Reanalysed, body)


def review(classification_id: str, decision: str, code: str | None, note: str | None) -> Call[Classification]:
    """Put a person's word beside a result."""
    said = {"decision": decision, "code": code, "note": note}
    body = {name: value for name, value in said.items() if value is not None}
    return Call("PUT", f"{_V1}/classifications/{_segment(classification_id)}/review", Classification, body=body)


def set_webhook(url: str, secret: str | None, event_types: Sequence[str], *, enabled: bool) -> Call[Webhook]:
    """Set the organization-wide webhook."""
    body: dict[str, Any] = {"url": url, "event_types": list(event_types), "enabled": enabled}
    return Call("PUT", f"{_V1}/webhooks", Webhook, body=body if secret is None else body | {"secret": secret})


def get_webhook() -> Call[Webhook]:
    """Read the organization-wide webhook."""
    return Call("GET", f"{_V1}/webhooks", Webhook)


def remove_webhook() -> Call[Raw]:
    """Remove the organization-wide webhook."""
    return Call("DELETE", f"{_V1}/webhooks", Raw)


def look_up_code(schedule: str, code: str) -> Call[Raw]:
    """Read what a schedule says of a code."""
    return Call("GET", f"{_V1}/schedules/{_segment(schedule)}/codes/{_segment(code)}", Raw)


def search_schedule(schedule: str, words: str, limit: int) -> Call[Raw]:
    """Search a schedule for goods."""
    query = {"q": words, "limit": str(limit)}
    return Call("GET", f"{_V1}/schedules/{_segment(schedule)}/search", Raw, query=query)


def search_rulings(words: str, code: str | None, schedule: str | None) -> Call[Raw]:
    """Search the loaded rulings."""
    asked = {"q": words, "code": code, "schedule": schedule, "limit": "100"}
    return Call("GET", f"{_V1}/rulings", Raw, query={name: value for name, value in asked.items() if value})


def me() -> Call[Raw]:
    """Read whose key it is."""
    return Call("GET", f"{_V1}/me", Raw)


def usage(first: dt.date | None, last: dt.date | None) -> Call[Raw]:
    """Read what was spent."""
    days = {"from": first, "to": last}
    return Call("GET", f"{_V1}/usage", Raw, query={name: _text(day) for name, day in days.items() if day is not None})


def _creating(path: str, body: dict[str, Any], shape: type[Answer], key: str | None) -> Call[Answer]:
    return Call("POST", f"{_V1}{path}", shape, body=body, headers={"Idempotency-Key": key or str(uuid.uuid4())})


def _given(product: ProductFields) -> dict[str, Any]:
    return product.model_dump(exclude_none=True)


def _carrying(metadata: Mapping[str, str] | None) -> dict[str, str]:
    return {f"metadata[{key}]": value for key, value in (metadata or {}).items()}


def _page(cursor: str | None) -> dict[str, str]:
    return {"limit": "100"} if cursor is None else {"limit": "100", "cursor": cursor}


def _segment(text: str) -> str:
    return quote(text, safe="")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, dt.date) else str(value)
