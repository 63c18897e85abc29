"""The asynchronous client, and the source of the synchronous one: `make client` writes that from this file."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx2
from pydantic import BaseModel

from pcs_client import calls
from pcs_client.calls import Call
from pcs_client.errors import StillRunningError
from pcs_client.models import (
    Batch,
    Classification,
    Filters,
    Product,
    ProductFields,
    Reanalysed,
    Submitted,
    Upload,
    Webhook,
)
from pcs_client.policy import Policy
from pcs_client.tries import Tries

Answer = TypeVar("Answer", bound=BaseModel)
Final = TypeVar("Final", Classification, Batch, Upload)


class AsyncClient:
    """The service at one address, live or sandbox, with one key. Safe to share; close it at the end.

    Every method raises ApiError for an error answer, and ConnectionFailedError where the service cannot be reached.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        policy: Policy | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._policy = policy or Policy()
        headers = {"Authorization": f"Bearer {api_key}"}
        self._http = httpx2.AsyncClient(
            base_url=base_url, headers=headers, timeout=self._policy.timeout, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def create_product(self, product: ProductFields, *, idempotency_key: str | None = None) -> Product:
        """Create a product without classifying it; no credits are consumed."""
        return await self._send(calls.create_product(product, idempotency_key))

    async def classify(
        self,
        product: ProductFields,
        schedules: Sequence[str],
        *,
        webhook_url: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Submitted:
        """Create a product and queue one classification for each schedule."""
        return await self._send(calls.classify(product, schedules, calls.terms(webhook_url, metadata), idempotency_key))

    async def classify_existing(
        self,
        product_id: str,
        schedules: Sequence[str],
        *,
        webhook_url: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Submitted:
        """Queue one classification for each schedule of a product that exists already."""
        return await self._send(
            calls.classify_existing(product_id, schedules, calls.terms(webhook_url, metadata), idempotency_key)
        )

    async def classify_bulk(
        self,
        products: Sequence[ProductFields],
        schedules: Sequence[str],
        *,
        webhook_url: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Batch:
        """Submit up to 100 products at once."""
        return await self._send(
            calls.classify_bulk(products, schedules, calls.terms(webhook_url, metadata), idempotency_key)
        )

    async def classify_and_wait(self, product: ProductFields, schedules: Sequence[str]) -> list[Classification]:
        """Create a product, classify it and wait for every result. Raises StillRunningError after five minutes."""
        submitted = await self.classify(product, schedules)
        return [await self.wait(stub.id) for stub in submitted.classifications]

    async def get_product(self, product_id: str) -> Product:
        """Read a product with every classification under it."""
        return await self._send(calls.get_product(product_id))

    async def get_classification(self, classification_id: str) -> Classification:
        """Read a classification."""
        return await self._send(calls.get_classification(classification_id))

    async def classify_file(
        self,
        name: str,
        content: bytes,
        schedules: Sequence[str],
        *,
        columns: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Upload:
        """Classify a CSV, XLSX or JSON Lines file of up to 100,000 rows; `name` is what it is called.

        `columns` says which column, by its title, gives which field, where that is not to be recognised."""
        return await self._send(calls.classify_file(name, content, schedules, columns, idempotency_key))

    async def get_upload(self, upload_id: str) -> Upload:
        """Read how far a file is."""
        return await self._send(calls.get_upload(upload_id))

    async def wait_for_upload(self, upload_id: str) -> Upload:
        """Wait until all of a file is final: the service answers as soon as it is. Raises StillRunningError."""
        return await self._poll(calls.get_upload(upload_id))

    async def get_upload_result(self, upload_id: str, *, kind: str = "csv") -> bytes:
        """The file with its answers, as `csv` or `xlsx`: its own columns first, then the answers, at any time."""
        return (await self._send(calls.get_upload_result(upload_id, kind))).content

    async def get_batch(self, batch_id: str) -> Batch:
        """Read a batch's progress and its results so far."""
        return await self._send(calls.get_batch(batch_id))

    async def wait(self, classification_id: str) -> Classification:
        """Wait until a classification is final: the service answers as soon as it is. Raises StillRunningError."""
        return await self._poll(calls.get_classification(classification_id))

    async def wait_for_batch(self, batch_id: str) -> Batch:
        """Wait until all of a batch is final: the service answers as soon as it is. Raises StillRunningError."""
        return await self._poll(calls.get_batch(batch_id))

    async def classifications(self, filters: Filters | None = None) -> AsyncIterator[Classification]:
        """Every classification that the filters let through, newest first, page by page."""
        cursor, more = None, True
        while more:
            page = await self._send(calls.list_classifications(filters or Filters(), cursor))
            for one in page.data:
                yield one
            cursor, more = page.next_cursor, page.has_more

    async def products(
        self, identifier: str | None = None, *, metadata: Mapping[str, str] | None = None
    ) -> AsyncIterator[Product]:
        """Every product, newest first, page by page; with `identifier` or `metadata` only those that carry it."""
        cursor, more = None, True
        while more:
            page = await self._send(calls.list_products(identifier, metadata, cursor))
            for one in page.data:
                yield one
            cursor, more = page.next_cursor, page.has_more

    async def batches(self) -> AsyncIterator[Batch]:
        """Every batch without its classifications, newest first, page by page."""
        cursor, more = None, True
        while more:
            page = await self._send(calls.list_batches(cursor))
            for one in page.data:
                yield one
            cursor, more = page.next_cursor, page.has_more

    async def cancel(self, classification_id: str) -> Classification:
        """Cancel a classification that is still pending. Raises ConflictError where it is not."""
        return await self._send(calls.cancel(classification_id))

    async def answer(self, classification_id: str, answers: Sequence[Mapping[str, str]]) -> Reanalysed:
        """Answer questions of a result: each has the `question`'s id and an `option` or a `text`.

        Raises ConflictError where they were answered before."""
        return await self._send(calls.answer(classification_id, answers))

    async def review(
        self, classification_id: str, decision: str, *, code: str | None = None, note: str | None = None
    ) -> Classification:
        """Put a person's word beside a result: `accepted`, `corrected` (with the right `code`) or `rejected`."""
        return await self._send(calls.review(classification_id, decision, code, note))

    async def set_webhook(
        self,
        url: str,
        *,
        secret: str | None = None,
        event_types: Sequence[str] = ("classification.completed",),
        enabled: bool = True,
    ) -> Webhook:
        """Set the organization-wide webhook."""
        return await self._send(calls.set_webhook(url, secret, event_types, enabled=enabled))

    async def get_webhook(self) -> Webhook:
        """Read the organization-wide webhook. Raises NotFoundError where there is none."""
        return await self._send(calls.get_webhook())

    async def remove_webhook(self) -> None:
        """Remove the organization-wide webhook. Raises NotFoundError where there is none."""
        await self._send(calls.remove_webhook())

    async def look_up_code(self, schedule: str, code: str) -> dict[str, Any]:
        """What a schedule says of a code: words, path, duty, units, notes, and what lies below it."""
        return (await self._send(calls.look_up_code(schedule, code))).model_extra or {}

    async def search_schedule(self, schedule: str, words: str, *, limit: int = 20) -> list[dict[str, Any]]:
        """Places of a schedule where goods may be, the likeliest first; no classification, and no credit."""
        return list(
            ((await self._send(calls.search_schedule(schedule, words, limit))).model_extra or {}).get("data", [])
        )

    async def search_rulings(
        self, words: str = "", *, code: str | None = None, schedule: str | None = None
    ) -> list[dict[str, Any]]:
        """Up to 100 loaded rulings, newest first, with all the words in their subject, on the code or one below it."""
        found = await self._send(calls.search_rulings(words, code, schedule))
        return list((found.model_extra or {}).get("data", []))

    async def me(self) -> dict[str, Any]:
        """Whose key this is, where it works and what it may do."""
        return (await self._send(calls.me())).model_extra or {}

    async def usage(self, first: dt.date | None = None, last: dt.date | None = None) -> dict[str, Any]:
        """What was spent, day by day."""
        return (await self._send(calls.usage(first, last))).model_extra or {}

    async def _send(self, call: Call[Answer]) -> Answer:
        tries = Tries(self._policy)
        while True:
            try:
                response = await self._http.request(
                    call.method, call.path, params=call.query, headers=call.headers, **call.sent
                )
            except httpx2.TransportError as fault:
                pause = tries.after_fault(fault)
            else:
                again = tries.after_answer(response)
                if again is None:
                    return call.read(response)
                pause = again
            await asyncio.sleep(pause)

    async def _poll(self, call: Call[Final]) -> Final:
        for pause in (*self._policy.polls(), 0.0):
            began = time.monotonic()
            found = await self._send(call.waiting(self._policy.waited(pause)))
            if found.is_final:
                return found
            await asyncio.sleep(max(0.0, began + pause - time.monotonic()))
        msg = f"{call.path} is not final yet."
        raise StillRunningError(msg)
