"""The second factor of a member: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for a lost one.

The traps: a code that works twice; the last step used is stored, and none up to it is taken again. And a factor put in
the place of another by whoever knows the password alone; `set_up` never replaces one."""

from __future__ import annotations

import base64
import datetime as dt
import secrets as randomness
from dataclasses import dataclass

import pyotp
from pyotp.utils import strings_equal

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, RefusalError, Violation
from pcs.base.secrets import Secrets
from pcs.organizations import audit, members
from pcs.organizations import second_factors_store as store
from pcs.organizations.people import Action, Actor, Member, NotPermittedError

ISSUER = "Product Classification"
RECOVERY_CODES = 10
_RECOVERY_BYTES = 10  # 80 bits, 16 letters and digits
_STEP_SECONDS = 30
_CLOCKS_DIFFER = (0, -1, 1)  # steps: RFC 6238, section 5.2


class FactorExistsError(RefusalError):
    """A member has a second factor already: it has to be removed before another is set up."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A secret that a member is about to put into their app, and the address that says so as a QR picture."""

    secret: str
    address: str


def draft(member: Member, secret: str = "") -> Drafted:
    """A fresh secret, or one made before."""
    secret = secret or pyotp.random_base32()
    return Drafted(secret, pyotp.TOTP(secret).provisioning_uri(name=member.email, issuer_name=ISSUER))


async def has(transaction: Transaction, member: Member) -> bool:
    """Whether the member has a second factor."""
    return await store.find(transaction, member.id) is not None


async def is_asked_for(transaction: Transaction, member: Member) -> bool:
    """Whether a password alone does not let this member in."""
    return await has(transaction, member) or (await members.organization_of(transaction, member)).second_factor


async def set_up(  # noqa: PLR0913 (a secret and the proof that it is in the app)
    transaction: Transaction,
    actor: Actor,
    member: Member,
    secrets: Secrets,
    *,
    secret: str,
    code: str,
    now: dt.datetime,
) -> list[str]:
    """Keep a secret whose code was given; answers the recovery codes, this once.

    Raises InvalidRequestError for a wrong code and FactorExistsError where there is a factor.
    """
    step = _step_of(secret, code, now)
    if step is None:
        raise _not_right()
    if not await store.add(transaction, member.id, secrets.seal(secret, owner=_owner(member.id)), step=step, now=now):
        msg = "You have a second factor already: remove it before you set up another."
        raise FactorExistsError(msg)
    await audit.record(transaction, actor, Action.SECOND_FACTOR_SET, subject=member.id, now=now)
    return await _new_codes(transaction, member, secrets)


async def check(
    transaction: Transaction, actor: Actor, member: Member, secrets: Secrets, *, code: str, now: dt.datetime
) -> None:
    """Take a code of the app or a recovery code, which then works no more. Raises InvalidRequestError."""
    sealed = await store.find(transaction, member.id)
    step = _step_of(secrets.open(bytes(sealed), owner=_owner(member.id)), code, now) if sealed else None
    if step is not None and await store.use_step(transaction, member.id, step):
        return
    if not await store.use_recovery_code(transaction, member.id, _digest(secrets, member.id, code)):
        raise _not_right()
    left = await store.count_recovery_codes(transaction, member.id)
    await audit.record(
        transaction, actor, Action.RECOVERY_CODE_USED, subject=member.id, detail=f"{left} are left", now=now
    )


async def recovery_codes_left(transaction: Transaction, member: Member) -> int:
    """How many recovery codes still work."""
    return await store.count_recovery_codes(transaction, member.id)


async def make_recovery_codes(
    transaction: Transaction, actor: Actor, member: Member, secrets: Secrets, *, now: dt.datetime
) -> list[str]:
    """New recovery codes; the earlier ones work no more."""
    await audit.record(transaction, actor, Action.RECOVERY_CODES_MADE, subject=member.id, now=now)
    return await _new_codes(transaction, member, secrets)


async def remove(transaction: Transaction, actor: Actor, member: Member, *, now: dt.datetime) -> None:
    """Let the member sign in without it. Raises NotFoundError where there is none."""
    if not await store.remove(transaction, member.id):
        msg = f"{member.email} has no second factor."
        raise NotFoundError(msg)
    await audit.record(
        transaction, actor, Action.SECOND_FACTOR_REMOVED, subject=member.id, detail=member.email, now=now
    )


async def remove_of(transaction: Transaction, actor: Actor, by: Member, member_id: str, *, now: dt.datetime) -> None:
    """Remove another member's, who lost it. Raises NotFoundError or NotPermittedError."""
    member, _ = await members.get(transaction, by.organization_id, member_id)
    if member.id == by.id:
        msg = "Remove your own second factor under your account: it asks for a code."
        raise NotPermittedError(msg)
    members.ensure_may_manage(by, member.role)
    await remove(transaction, actor, member, now=now)


async def holders(transaction: Transaction, organization_id: str) -> set[str]:
    """The ids of the members who have one."""
    return await store.holders(transaction, organization_id)


async def require(transaction: Transaction, actor: Actor, *, wanted: bool, now: dt.datetime) -> None:
    """Ask every member of the actor's organization for a second factor from their next sign-in on, or no more."""
    await store.require(transaction, actor.organization_id, wanted=wanted)
    detail = "needed" if wanted else "not needed"
    await audit.record(transaction, actor, Action.SECOND_FACTOR_REQUIRED, detail=detail, now=now)


async def seal_anew(transaction: Transaction, old: Secrets, new: Secrets) -> int:
    """Seal every stored secret with another key; answers how many there are."""
    found = await store.all_sealed(transaction)
    for member_id, sealed in found.items():
        secret = old.open(sealed, owner=_owner(member_id))
        await store.seal(transaction, member_id, new.seal(secret, owner=_owner(member_id)))
    return len(found)


async def _new_codes(transaction: Transaction, member: Member, secrets: Secrets) -> list[str]:
    codes = [_recovery_code() for _ in range(RECOVERY_CODES)]
    await store.put_recovery_codes(transaction, member.id, [_digest(secrets, member.id, code) for code in codes])
    return codes


def _recovery_code() -> str:
    text = base64.b32encode(randomness.token_bytes(_RECOVERY_BYTES)).decode().lower()
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))


def _step_of(secret: str, code: str, now: dt.datetime) -> int | None:
    """The step of time whose code this is, None where it is of none near enough."""
    digits, present, totp = "".join(code.split()), int(now.timestamp()) // _STEP_SECONDS, pyotp.TOTP(secret)
    found = [present + off for off in _CLOCKS_DIFFER if strings_equal(totp.generate_otp(present + off), digits)]
    return found[0] if found else None


def _digest(secrets: Secrets, member_id: str, code: str) -> bytes:
    plain = "".join(code.lower().split()).replace("-", "")
    return secrets.digest(f"recovery code of {member_id} {plain}")


def _owner(member_id: str) -> str:
    return f"second factor {member_id}"


def _not_right() -> InvalidRequestError:
    return InvalidRequestError(Violation("code", "is not right, or was used before"))
