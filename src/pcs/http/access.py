"""What an endpoint is given: the caller, and the transactions that it may open.

The traps: a key revoked while its request is in flight, which writes ask about under a lock and reads ask about before
the response starts; and an answer kept for replay outside the transaction of its work."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.tenancy import Tenant
from pcs.bootstrap import Service
from pcs.http.interface import KEY_DESCRIPTION, KEY_SCHEME
from pcs.idempotency import service as idempotency
from pcs.idempotency.model import KeptAnswer, RequestIdentity
from pcs.organizations import service as organizations
from pcs.organizations.model import ApiKey, ForbiddenError, Scope
from pcs.organizations.people import Actor

_BEARER = HTTPBearer(auto_error=False, scheme_name=KEY_SCHEME, description=KEY_DESCRIPTION)
_IDEMPOTENCY_KEY = re.compile(r"[\x20-\x7e]{1,255}")

Work = Callable[[Transaction], Awaitable[Response]]


class Access:
    """What one request may reach: its caller, and the transactions that it may open."""

    def __init__(self, request: Request, service: Service, key: ApiKey) -> None:
        self._request = request
        self._key = key
        self.service = service
        now = service.clock()
        self.now = now.replace(microsecond=now.microsecond // 1000 * 1000)  # what is stored is what is shown

    @property
    def key(self) -> ApiKey:
        """The caller's key."""
        return self._key

    @property
    def actor(self) -> Actor:
        """Who does what is done, for the audit log."""
        client = self._request.client
        name = f"API key {self._key.name} (…{self._key.last_four})"
        return Actor(self.tenant.organization_id, None, name, client.host if client else "unknown")

    @property
    def tenant(self) -> Tenant:
        """Whose request it is."""
        return self._key.tenant

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """A connection to read with; at its end the key is looked at once more."""
        async with self.service.database.autocommit() as transaction:
            yield transaction
            await organizations.ensure_still_valid(transaction, self._key, now=self.service.clock())

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction to write in; the key cannot be revoked before it ends."""
        async with self.service.database.begin() as transaction:
            await organizations.hold_valid(transaction, self._key, now=self.service.clock())
            yield transaction

    async def write_once(self, work: Work, *, fingerprint: bytes | None = None) -> Response:
        """Do work in a transaction, or replay its answer where its Idempotency-Key came before.

        `fingerprint` is the digest of a body that is not JSON.
        """
        key = self._request.headers.get("Idempotency-Key")
        if key is None:
            async with self.write() as transaction:
                return await work(transaction)
        identity = await self._identity(key, fingerprint)
        async with self.write() as transaction:
            retention = self.service.settings.idempotency_retention
            kept = await idempotency.begin(transaction, identity, retention=retention, now=self.now)
            if kept is not None:
                replayed = {"Idempotent-Replayed": "true"}
                return Response(kept.body, kept.status, replayed, media_type="application/json")
            response = await work(transaction)
            kept = KeptAnswer(status=response.status_code, body=bytes(response.body))
            await idempotency.keep(transaction, identity, kept, now=self.now)
            return response

    async def _identity(self, key: str, fingerprint: bytes | None) -> RequestIdentity:
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            message = "must have 1 to 255 printable ASCII characters"
            raise InvalidRequestError(Violation("Idempotency-Key", message))
        if fingerprint is None:
            canonical = json.dumps(await self._request.json(), sort_keys=True, separators=(",", ":"))
            fingerprint = hashlib.sha256(canonical.encode()).digest()
        return RequestIdentity(
            tenant=self.tenant,
            method=self._request.method,
            path=self._request.url.path,
            key=key,
            fingerprint=fingerprint,
        )


def require(key: ApiKey, scope: Scope) -> None:
    """Raise ForbiddenError unless the key has the scope."""
    if scope not in key.scopes:
        message = f"The API key lacks the scope {scope}."
        raise ForbiddenError(reason="insufficient_permissions", message=message)


def access_for(scope: Scope | None) -> Any:  # noqa: ANN401 (FastAPI's own type for a dependency)
    """The dependency that lets in a key with this scope, or any key with None. Raises ForbiddenError."""

    async def enter(
        request: Request, _: Annotated[object, Security(_BEARER)]
    ) -> Access:  # sync ones cost a thread each
        key: ApiKey = request.state.key
        if scope is not None:
            require(key, scope)
        return Access(request, request.state.service, key)

    return Depends(enter)


def answer(model: BaseModel, status: int = 200) -> Response:
    """A wire shape as a response; fields that were not set are left out."""
    return Response(model.model_dump_json(exclude_unset=True, by_alias=True), status, media_type="application/json")
