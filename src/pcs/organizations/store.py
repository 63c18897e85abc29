"""All SQL of organizations, members, keys and windows.

The trap: a key look-up and its rate count in two round trips; they are one statement here."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.tenancy import Environment, Tenant
from pcs.organizations.model import DEMONSTRATION, WINDOW, ApiKey, Organization, RateWindow, Scope

organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("credit_limit", Integer),
    Column("created_at", MOMENT, nullable=False),
    Column("review_below", Double),
    Column("four_eyes", Boolean, nullable=False, server_default="false"),
    Column("second_factor", Boolean, nullable=False, server_default="false"),
)
members = Table(
    "members",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("email", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("disabled_at", MOMENT),
)
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("last_four", Text, nullable=False),
    Column("scopes", ARRAY(Text), nullable=False),
    Column("rate_limit", Integer),
    Column("created_at", MOMENT, nullable=False),
    Column("expires_at", MOMENT),
    Column("revoked_at", MOMENT),
    Column("last_used_at", MOMENT),
)
rate_windows = Table(
    "rate_windows",
    metadata,
    Column("bucket", Text, primary_key=True),
    Column("started_at", MOMENT, nullable=False),
    Column("used", Integer, nullable=False),
    prefixes=["UNLOGGED"],
)

_FOUND = ", ".join(f"found.{column.name}" for column in api_keys.c)  # a `*` prepared here would break in an upgrade
# a window that begins later than now was made by a wrong clock: it ends a minute from now at the latest
_RENEWED = """
    ON CONFLICT (bucket) DO UPDATE SET
        started_at = CASE WHEN w.started_at <= :horizon THEN excluded.started_at
                          ELSE least(w.started_at, excluded.started_at) END,
        used = CASE WHEN w.started_at <= :horizon THEN excluded.used ELSE w.used + excluded.used END
    RETURNING w.bucket, w.started_at AS window_started_at, w.used
"""
_COUNT = text(
    "INSERT INTO rate_windows AS w (bucket, started_at, used) VALUES (:bucket, :now, 1)" + _RENEWED,  # noqa: S608 (constants)
)
ADMITTING = (
    """
    WITH asked AS (
        SELECT decode(sender, 'hex') AS digest, which, place
          FROM json_to_recordset(CAST(:asked AS json)) AS a (sender text, which text, place int)
    ),
    sent AS (SELECT digest, CAST(count(*) AS int) AS times FROM asked GROUP BY digest),
    found AS (SELECT k.*, sent.times FROM sent JOIN api_keys k ON k.digest = sent.digest),
    counted AS (
        INSERT INTO rate_windows AS w (bucket, started_at, used)
        SELECT id, CAST(:now AS timestamptz), times FROM found
         WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)
         ORDER BY id -- so that two who count for the same keys never wait for one another
    """  # noqa: S608 (constants)
    + _RENEWED
    + f") SELECT {_FOUND}, found.times, counted.window_started_at, counted.used"
)
"""The beginning of a statement that looks up the keys of requests and counts them; what `admitted` reads."""
ADMITTED_FROM = " FROM found LEFT JOIN counted ON counted.bucket = found.id"
AT = (bindparam("now", type_=MOMENT), bindparam("horizon", type_=MOMENT))
_LOOK_UP_AND_COUNT = Prepared(text(ADMITTING + ADMITTED_FROM).bindparams(*AT))
_KEY = select(api_keys).where(api_keys.c.id == bindparam("key_id"))
_GET_KEY, _HOLD_KEY = Prepared(_KEY), Prepared(_KEY.with_for_update(read=True))


async def find_key_and_count(
    transaction: Transaction, digest: bytes, *, now: dt.datetime, default_limit: int
) -> tuple[ApiKey, RateWindow | None] | None:
    """The key with this digest and its window, this request counted; no window where the key may not be used."""
    row = await _LOOK_UP_AND_COUNT.row(transaction, **admitting([(digest, None)], now))
    return None if row is None else admitted(row, default_limit)


def admitting(requests: Sequence[tuple[bytes, str | None]], now: dt.datetime) -> dict[str, object]:
    """The arguments of a statement that begins with `ADMITTING`: of each request its key's digest and what it asks for.

    As JSON, since the database plans anew for each length of an array, which takes five times as long as the look-up.
    """
    asked = [{"sender": digest.hex(), "which": which, "place": at} for at, (digest, which) in enumerate(requests)]
    return {"asked": json.dumps(asked), "now": now, "horizon": now - WINDOW}


def admitted(row: Mapping[str, Any], default_limit: int, *, before: int = 0) -> tuple[ApiKey, RateWindow | None]:
    """The key and its window in a row of such a statement, as they are for the request that came after so many."""
    key = _key(row)
    if row["used"] is None:
        return key, None
    limit = default_limit if key.rate_limit is None else key.rate_limit
    used = row["used"] - row["times"] + before + 1
    return key, RateWindow(limit=limit, started_at=row["window_started_at"], used=used)


async def count(transaction: Transaction, bucket: str, *, now: dt.datetime, limit: int) -> RateWindow:
    """Count one request in a bucket that is not a key's."""
    arguments = {"bucket": bucket, "now": now, "horizon": now - WINDOW}
    row = (await transaction.execute(_COUNT, arguments)).mappings().one()
    return RateWindow(limit=limit, started_at=row["window_started_at"], used=row["used"])


async def forget_windows(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop the windows that started earlier."""
    await transaction.execute(rate_windows.delete().where(rate_windows.c.started_at < before))


async def hold_key(transaction: Transaction, key_id: str, check: Callable[[ApiKey], None]) -> None:
    """Let nobody revoke the key before the transaction ends; `check` is given it as it is then."""
    await _HOLD_KEY.post(transaction, lambda row: check(_known(row)), key_id=key_id)


async def get_key(transaction: Transaction, key_id: str) -> ApiKey:
    """The key as it is now."""
    return _known(await _GET_KEY.row(transaction, key_id=key_id))


async def touch_key(transaction: Transaction, key_id: str, *, now: dt.datetime) -> None:
    """Remember that the key was used, unless somebody else is writing to it just now."""
    free = select(api_keys.c.id).where(api_keys.c.id == key_id).with_for_update(skip_locked=True)
    await transaction.execute(update(api_keys).where(api_keys.c.id.in_(free)).values(last_used_at=now))


async def add_key(transaction: Transaction, key: ApiKey, digest: bytes) -> None:
    """Store a new key."""
    await transaction.execute(
        insert(api_keys).values(
            id=key.id,
            **key.tenant.columns,
            name=key.name,
            digest=digest,
            last_four=key.last_four,
            scopes=sorted(key.scopes),
            rate_limit=key.rate_limit,
            created_at=key.created_at,
            expires_at=key.expires_at,
        ),
    )


async def organization_of_key(transaction: Transaction, key_id: str) -> str | None:
    """Whose key it is."""
    query = select(api_keys.c.organization_id).where(api_keys.c.id == key_id)
    return (await transaction.execute(query)).scalar_one_or_none()


async def list_keys(transaction: Transaction, organization_id: str) -> list[ApiKey]:
    """Every key of an organization, revoked ones too, oldest first."""
    query = select(api_keys).where(api_keys.c.organization_id == organization_id).order_by(api_keys.c.id)
    return [_key(dict(row)) for row in (await transaction.execute(query)).mappings()]


async def count_active_keys(transaction: Transaction, organization_id: str, *, now: dt.datetime) -> int:
    """How many keys of an organization work now; further creations wait until the transaction ends."""
    await transaction.execute(select(organizations.c.id).where(organizations.c.id == organization_id).with_for_update())
    query = select(func.count()).where(
        api_keys.c.organization_id == organization_id,
        api_keys.c.revoked_at.is_(None),
        func.coalesce(api_keys.c.expires_at, dt.datetime.max.replace(tzinfo=dt.UTC)) > now,
    )
    return (await transaction.execute(query)).scalar_one()


async def revoke_key(transaction: Transaction, key_id: str, organization_id: str, *, now: dt.datetime) -> bool:
    """Revoke a key of this organization; False where there is none or it is revoked already."""
    query = update(api_keys).where(
        api_keys.c.id == key_id,
        api_keys.c.organization_id == organization_id,
        api_keys.c.revoked_at.is_(None),
    )
    return (await transaction.execute(query.values(revoked_at=now))).rowcount == 1


async def set_rate_limit(
    transaction: Transaction, key_id: str, organization_id: str, limit: int | None
) -> ApiKey | None:
    """Change the limit of an active key of this organization; None where there is none."""
    query = update(api_keys).where(
        api_keys.c.id == key_id,
        api_keys.c.organization_id == organization_id,
        api_keys.c.revoked_at.is_(None),
    )
    row = (await transaction.execute(query.values(rate_limit=limit).returning(api_keys))).mappings().one_or_none()
    return None if row is None else _key(dict(row))


async def add_organization(transaction: Transaction, organization: Organization) -> None:
    """Store a new organization."""
    await transaction.execute(
        insert(organizations).values(
            id=organization.id,
            name=organization.name,
            credit_limit=organization.credit_limit,
            created_at=organization.created_at,
        ),
    )


async def ensure_organization(transaction: Transaction, organization: Organization) -> None:
    """Store an organization, unless it is there."""
    query = upsert(organizations).values(**dataclasses.asdict(organization))
    await transaction.execute(query.on_conflict_do_nothing(index_elements=["id"]))


async def list_organizations(transaction: Transaction) -> list[Organization]:
    """Every organization but the demonstration's, oldest first."""
    query = select(organizations).where(organizations.c.id != DEMONSTRATION).order_by(organizations.c.id)
    return [Organization(**row) for row in (await transaction.execute(query)).mappings()]


async def get_organization(transaction: Transaction, organization_id: str) -> Organization:
    """An organization that is known to exist."""
    query = select(organizations).where(organizations.c.id == organization_id)
    return Organization(**(await transaction.execute(query)).mappings().one())


async def set_review_below(transaction: Transaction, organization_id: str, threshold: float | None) -> None:
    """Change an organization's threshold of review."""
    query = update(organizations).where(organizations.c.id == organization_id).values(review_below=threshold)
    await transaction.execute(query)


async def set_four_eyes(transaction: Transaction, organization_id: str, *, wanted: bool) -> None:
    """Ask for a second person, or no more."""
    await transaction.execute(
        update(organizations).where(organizations.c.id == organization_id).values(four_eyes=wanted)
    )


async def add_member(transaction: Transaction, *, member_id: str, values: dict[str, Any]) -> bool:
    """Store a member; False where the e-mail address is taken."""
    query = upsert(members).values(id=member_id, **values).on_conflict_do_nothing().returning(members.c.id)
    return (await transaction.execute(query)).first() is not None


def _known(row: Mapping[str, Any] | None) -> ApiKey:
    assert row is not None  # keys are revoked, never deleted
    return _key(row)


def _key(row: Mapping[str, Any]) -> ApiKey:
    return ApiKey(
        id=row["id"],
        tenant=Tenant(row["organization_id"], Environment(row["environment"])),
        name=row["name"],
        last_four=row["last_four"],
        scopes=frozenset(map(Scope, row["scopes"])),
        created_at=row["created_at"],
        rate_limit=row["rate_limit"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
    )
