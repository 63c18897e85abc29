"""What can be done with organizations, keys and credits. Every function takes the transaction and never commits;
the gatekeeper's statements stand alone.

The trap: a positive cache of keys; revocation is immediate, so each request asks, and each write asks again."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import Protocol

from pcs.base import ids
from pcs.base.database import Database, Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, OperatorError, RefusalError, Violation
from pcs.base.secrets import Secrets
from pcs.base.tenancy import Environment, Tenant
from pcs.organizations import audit, credits_store, guesses, sessions, shown_once, store, tokens
from pcs.organizations.model import (
    DEMONSTRATION,
    MAX_ACTIVE_KEYS,
    Admission,
    ApiKey,
    ForbiddenError,
    InsufficientCreditsError,
    NewKey,
    Organization,
    RateWindow,
    Role,
    TooManyKeysError,
    UnauthenticatedError,
)
from pcs.organizations.people import Action, Actor

_TOUCH_EVERY = dt.timedelta(minutes=1)


class FindKey(Protocol):
    """Looks up the key with a digest, its request counted; no window where it may not be used, None without a key."""

    async def __call__(
        self, database: Database, digest: bytes, *, now: dt.datetime, default_limit: int
    ) -> tuple[ApiKey, RateWindow | None] | None:
        """Look it up."""


async def find_key_and_count(
    database: Database, digest: bytes, *, now: dt.datetime, default_limit: int
) -> tuple[ApiKey, RateWindow | None] | None:
    """See `FindKey`."""
    async with database.autocommit() as transaction:
        return await store.find_key_and_count(transaction, digest, now=now, default_limit=default_limit)


class Gatekeeper:
    """Admits requests to one environment's listener."""

    __slots__ = ("_database", "_default_limit", "_environment", "_secrets")

    def __init__(self, database: Database, secrets: Secrets, environment: Environment, *, default_limit: int) -> None:
        self._database = database
        self._secrets = secrets
        self._environment = environment
        self._default_limit = default_limit

    async def admit(
        self, token: str | None, *, address: str, now: dt.datetime, find: FindKey = find_key_and_count
    ) -> Admission:
        """Who sends this request, and its rate window with this request counted.

        Without a usable key the bucket of the sender's network address serves, and `refusal` says what to answer.
        `find` may read more in the same statement.
        """
        refusal, sender = self._misplaced(token), None
        if refusal is None and token is not None:
            digest = self._secrets.digest(token)
            found = await find(self._database, digest, now=now, default_limit=self._default_limit)
            if found is not None and found[1] is not None:
                await self._remember_use(found[0], now=now)
                return Admission(window=found[1], key=found[0], sender=found[0])
            sender = found[0] if found else None
            refusal = (sender.refusal(now) if sender else None) or UnauthenticatedError("invalid_api_key")
        async with self._database.autocommit() as transaction:
            window = await store.count(transaction, f"address:{address}", now=now, limit=self._default_limit)
        return Admission(window=window, refusal=refusal, sender=sender)

    async def _remember_use(self, key: ApiKey, *, now: dt.datetime) -> None:
        """Note when a key was used, once a minute at most."""
        if key.last_used_at is None or now - key.last_used_at >= _TOUCH_EVERY:
            async with self._database.autocommit() as transaction:
                await store.touch_key(transaction, key.id, now=now)

    def _misplaced(self, token: str | None) -> RefusalError | None:
        if token is None:
            return UnauthenticatedError("missing_api_key")
        environment = tokens.environment_of(token)
        if environment is None:
            return UnauthenticatedError("invalid_api_key")
        if environment is not self._environment:
            message = f"A {environment} key does not work in the {self._environment} environment."
            return ForbiddenError("wrong_environment", message)
        return None


async def ensure_still_valid(transaction: Transaction, key: ApiKey, *, now: dt.datetime) -> None:
    """Raise UnauthenticatedError if the key was revoked meanwhile."""
    _require_valid(await store.get_key(transaction, key.id), now)


async def hold_valid(transaction: Transaction, key: ApiKey, *, now: dt.datetime) -> None:
    """Let nobody revoke the key before the transaction ends; the next statement raises UnauthenticatedError where
    somebody has."""
    await store.hold_key(transaction, key.id, lambda present: _require_valid(present, now))


def _require_valid(key: ApiKey, now: dt.datetime) -> None:
    if refusal := key.refusal(now):
        raise refusal


async def charge(
    transaction: Transaction, tenant: Tenant, classification_ids: Sequence[str], *, now: dt.datetime
) -> None:
    """Enter one credit a classification. Raises InsufficientCreditsError where a limit does not cover them all.

    The sandbox's entries are shown and never charged, so no limit holds there.
    """
    if not await credits_store.enter(transaction, tenant, classification_ids, now=now):
        limit = (await store.get_organization(transaction, tenant.organization_id)).credit_limit
        raise _uncovered(limit, len(classification_ids))


async def require_credits(transaction: Transaction, tenant: Tenant, number: int) -> None:
    """Raise InsufficientCreditsError where the organization's limit does not cover so many credits now.

    Nothing is held: others may spend them before they are charged.
    """
    limit = (await store.get_organization(transaction, tenant.organization_id)).credit_limit
    live = tenant.environment is Environment.LIVE
    if live and limit is not None and await credits_spent(transaction, tenant) + number > limit:
        raise _uncovered(limit, number)


def _uncovered(limit: int | None, number: int) -> InsufficientCreditsError:
    return InsufficientCreditsError(f"The organization's limit of {limit} credits does not cover {number} more.")


async def credits_spent(transaction: Transaction, tenant: Tenant) -> int:
    """All credits that a tenant has consumed."""
    return await credits_store.spent(transaction, tenant)


async def create_organization(transaction: Transaction, name: str, *, now: dt.datetime) -> Organization:
    """A new organization without members or keys."""
    organization = Organization(id=ids.new_id(ids.ORGANIZATION), name=name, credit_limit=None, created_at=now)
    await store.add_organization(transaction, organization)
    return organization


async def get_organization(transaction: Transaction, organization_id: str) -> Organization:
    """An organization that is known to exist, such as a key's own."""
    return await store.get_organization(transaction, organization_id)


async def set_review_below(
    transaction: Transaction, actor: Actor, threshold: float | None, *, now: dt.datetime
) -> Organization:
    """Mark the answers of the actor's organization for review below another confidence, 0 to 1, from now on; None for
    the service's own. Answers that are stored keep what they were. Raises InvalidRequestError."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise InvalidRequestError(Violation("review_below", "must be between 0 and 1"))
    before = await store.get_organization(transaction, actor.organization_id)
    after = dataclasses.replace(before, review_below=threshold)
    await store.set_review_below(transaction, before.id, threshold)
    detail = f"from {before.threshold * 100:g}% to {after.threshold * 100:g}%"
    await audit.record(transaction, actor, Action.REVIEW_BELOW_SET, detail=detail, now=now)
    return after


async def set_four_eyes(transaction: Transaction, actor: Actor, *, wanted: bool, now: dt.datetime) -> None:
    """Let reviews count from now on only when a second person says the same, or as soon as they are said."""
    before = await store.get_organization(transaction, actor.organization_id)
    if before.four_eyes != wanted:
        await store.set_four_eyes(transaction, before.id, wanted=wanted)
        await audit.record(transaction, actor, Action.FOUR_EYES_SET, detail="on" if wanted else "off", now=now)


async def ensure_demonstration(transaction: Transaction, *, now: dt.datetime) -> str:
    """The id of the demonstration's organization, which is made where there is none."""
    await store.ensure_organization(transaction, Organization(DEMONSTRATION, "Demonstration", None, now))
    return DEMONSTRATION


async def list_organizations(transaction: Transaction) -> list[Organization]:
    """Every organization but the demonstration's, oldest first."""
    return await store.list_organizations(transaction)


async def create_key(
    transaction: Transaction, new: NewKey, secrets: Secrets, *, now: dt.datetime
) -> tuple[ApiKey, str]:
    """A new key and its token, which nobody sees again. Raises TooManyKeysError."""
    if await store.count_active_keys(transaction, new.tenant.organization_id, now=now) >= MAX_ACTIVE_KEYS:
        msg = f"An organization has at most {MAX_ACTIVE_KEYS} active keys: revoke one first."
        raise TooManyKeysError(msg)
    token = tokens.new_token(new.tenant.environment)
    key = ApiKey(
        id=ids.new_id(ids.KEY),
        tenant=new.tenant,
        name=new.name,
        last_four=token[-4:],
        scopes=new.scopes,
        created_at=now,
        rate_limit=new.rate_limit,
        expires_at=new.expires_at,
    )
    await store.add_key(transaction, key, secrets.digest(token))
    return key, token


async def list_keys(transaction: Transaction, organization_id: str) -> list[ApiKey]:
    """Every key of an organization, revoked ones too, oldest first."""
    return await store.list_keys(transaction, organization_id)


async def revoke_key(transaction: Transaction, key_id: str, organization_id: str, *, now: dt.datetime) -> None:
    """Reject a key from now on. Raises NotFoundError where the organization has no such active key."""
    if not await store.revoke_key(transaction, key_id, organization_id, now=now):
        msg = f"There is no active key {key_id}."
        raise NotFoundError(msg)


async def organization_of_key(transaction: Transaction, key_id: str) -> str:
    """Whose key it is. Raises NotFoundError where there is none of that id."""
    owner = await store.organization_of_key(transaction, key_id)
    if owner is None:
        msg = f"There is no key {key_id}: `pcs admin list-keys` shows their ids."
        raise NotFoundError(msg)
    return owner


async def create_member(
    transaction: Transaction, organization_id: str, *, email: str, password_hash: str, role: Role, now: dt.datetime
) -> str:
    """A new member's id. Raises OperatorError where the e-mail address is taken."""
    member_id = ids.new_id(ids.MEMBER)
    values = {
        "organization_id": organization_id,
        "email": email,
        "name": email.partition("@")[0],
        "role": role,
        "password_hash": password_hash,
        "created_at": now,
    }
    if not await store.add_member(transaction, member_id=member_id, values=values):
        msg = f"There is a member with the e-mail address {email} already."
        raise OperatorError(msg)
    return member_id


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Forget rate windows that ended long ago, sessions that are over, secrets nobody fetched, and guesses."""
    await store.forget_windows(transaction, before=now - dt.timedelta(minutes=10))
    await sessions.tidy(transaction, now=now)
    await shown_once.tidy(transaction, now=now)
    await guesses.tidy(transaction, now=now)
