"""Members, their sessions, invitations and what is written down of them.

The trap: a role tested in the page that shows a button and forgotten in the action behind it; both ask `Member.may`."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.errors import RefusalError
from pcs.organizations.model import Organization, Role

SESSION = "session"
INVITATION = "invite"
AUDIT_ENTRY = "audit"

IDLE = dt.timedelta(hours=12)
"""A session that nobody used for so long is over."""
LONGEST = dt.timedelta(days=30)
"""No session lasts longer, used or not."""
CONFIRMED = dt.timedelta(minutes=15)
"""How long a password that was given counts as given just now."""
INVITATION_LASTS = dt.timedelta(days=7)
PASSWORD_LENGTH = (12, 200)
"""Source: NIST SP 800-63B asks for length and refuses rules of composition."""


class Permission(StrEnum):
    """What may be done in the dashboard."""

    VIEW = "view"
    CLASSIFY = "classify"
    REVIEW = "review"
    MANAGE_KEYS = "manage_keys"
    MANAGE_WEBHOOKS = "manage_webhooks"
    MANAGE_MEMBERS = "manage_members"
    MANAGE_ORGANIZATION = "manage_organization"
    READ_AUDIT = "read_audit"


_VIEWER = frozenset({Permission.VIEW})
_MEMBER = _VIEWER | {Permission.CLASSIFY, Permission.REVIEW}
_ADMIN = frozenset(Permission)
_ALLOWED = {Role.OWNER: _ADMIN, Role.ADMIN: _ADMIN, Role.MEMBER: _MEMBER, Role.VIEWER: _VIEWER}


class SignInRefusedError(RefusalError):
    """Wrong address or password, and nothing tells which."""


class ThrottledError(RefusalError):
    """Too many failures; `retry_after` is in whole seconds."""

    def __init__(self, retry_after: int) -> None:
        wait = f"{retry_after} s" if retry_after < 60 else f"{round(retry_after / 60)} min"
        super().__init__(f"Too many failed attempts: try again in {wait}.")
        self.retry_after = retry_after


class NotPermittedError(RefusalError):
    """The member's role does not reach so far."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person in an organization. `disabled_at` None means that they may sign in."""

    id: str
    organization_id: str
    email: str
    name: str
    role: Role
    created_at: dt.datetime
    disabled_at: dt.datetime | None = None
    last_seen_at: dt.datetime | None = None

    def may(self, permission: Permission) -> bool:
        """Whether the role allows it."""
        return permission in _ALLOWED[self.role]

    def may_manage(self, role: Role) -> bool:
        """Whether members with that role may be invited, changed or disabled: only an owner touches owners."""
        return self.may(Permission.MANAGE_MEMBERS) and (self.role is Role.OWNER or role is not Role.OWNER)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from, as far as the network tells."""

    address: str
    agent: str


@dataclass(frozen=True, slots=True)
class Session:
    """A member signed in on one browser. `confirmed_at` is when the password was given last."""

    id: str
    member: Member
    organization: Organization
    created_at: dt.datetime
    last_seen_at: dt.datetime
    confirmed_at: dt.datetime
    origin: Origin

    def is_fresh(self, now: dt.datetime) -> bool:
        """Whether the password was given a short while ago."""
        return now - self.confirmed_at < CONFIRMED

    def is_over(self, now: dt.datetime) -> bool:
        """Whether it was idle for too long, or lasted too long."""
        return now - self.last_seen_at >= IDLE or now - self.created_at >= LONGEST


class Purpose(StrEnum):
    """What a one-time link is for."""

    FIRST_ADMINISTRATOR = "first_administrator"
    INVITATION = "invitation"
    PASSWORD_RESET = "password_reset"  # noqa: S105 (a word, not a password)


@dataclass(frozen=True, slots=True)
class Invitation:
    """A one-time link: to become the first administrator, to join, or to set a new password."""

    id: str
    organization: Organization
    purpose: Purpose
    email: str | None
    role: Role
    member_id: str | None
    created_at: dt.datetime
    expires_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, for the audit log; `member_id` None is a key, the command line, or nobody yet."""

    organization_id: str
    member_id: str | None
    name: str
    address: str


class Action(StrEnum):
    """What is written down."""

    SIGNED_IN = "signed in"
    SIGN_IN_FAILED = "sign-in failed"
    SIGNED_OUT = "signed out"
    SIGNED_OUT_EVERYWHERE = "signed out everywhere"
    SESSION_ENDED = "ended a session"
    SECOND_FACTOR_SET = "set up a second factor"
    SECOND_FACTOR_REMOVED = "removed a second factor"
    RECOVERY_CODES_MADE = "made new recovery codes"
    RECOVERY_CODE_USED = "used a recovery code"
    SECOND_FACTOR_REQUIRED = "set whether members need a second factor"
    PASSWORD_CHANGED = "changed the password"  # noqa: S105 (a word, not a password)
    MEMBER_INVITED = "invited a member"
    MEMBER_JOINED = "joined"
    INVITATION_WITHDRAWN = "withdrew an invitation"
    ROLE_CHANGED = "changed a role"
    MEMBER_DISABLED = "disabled a member"
    MEMBER_ENABLED = "enabled a member"
    RESET_OFFERED = "made a password link"
    KEY_CREATED = "created an API key"
    KEY_REVOKED = "revoked an API key"
    RATE_LIMIT_SET = "set an API key's rate limit"
    WEBHOOK_SET = "set the webhook"
    WEBHOOK_REMOVED = "removed the webhook"
    ENDPOINT_ADDED = "added a webhook endpoint"
    ENDPOINT_CHANGED = "changed a webhook endpoint"
    ENDPOINT_REMOVED = "removed a webhook endpoint"
    WEBHOOK_TESTED = "sent a test webhook"
    WEBHOOK_REDELIVERED = "redelivered a webhook"
    REVIEWED = "reviewed a classification"
    ASSIGNED = "assigned a classification"
    SENT_BACK = "sent a proposed review back"
    CANCELLED = "cancelled a classification"
    ANSWERED = "answered questions of a classification"
    DECISIONS_KEPT = "kept decisions"
    DECISION_FORGOTTEN = "forgot a decision"
    FILE_UPLOADED = "uploaded a file"
    FILE_SUBMITTED = "submitted an uploaded file"
    REVIEW_BELOW_SET = "set the threshold of review"
    CREDIT_LIMIT_SET = "set the credit limit"
    FOUR_EYES_SET = "set whether reviews take a second person"
    PROMISE_SET = "set the promise"
    PROMISE_WITHDRAWN = "withdrew the promise"
    PROMISE_BROKEN = "found by reviews that the promise was not kept"
    REVISION_STORED = "stored a new revision of a schedule"
    REVISION_PROMOTED = "promoted a new revision of a schedule"
    REVISION_REFUSED = "refused a new revision of a schedule"
    ORGANIZATION_CREATED = "created the organization"
    ADMINISTRATOR_CREATED = "created an administrator"
    SECRET_KEY_CHANGED = "changed the installation's secret key"  # noqa: S105 (words, not a key)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that somebody did."""

    id: str
    actor: Actor
    action: str
    subject: str
    detail: str
    created_at: dt.datetime
