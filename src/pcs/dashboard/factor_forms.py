"""The forms of a second factor: what to put into an app, and the code that it answers with. The trap: a secret
stored before its code was given, which others may have seen; until then it is in the form alone, for one member."""

from __future__ import annotations

import segno
from markupsafe import Markup

from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.carried import opened, sealed
from pcs.dashboard.visit import Visit
from pcs.organizations import second_factors
from pcs.organizations.people import Member

_LONGEST_CODE = 60


def draft_shown(visit: Visit, member: Member) -> dict[str, object]:
    """The picture, the key and the sealed draft of a form; the one that was sent, where it is shown again."""
    draft = second_factors.draft(member, _drafted(visit, member))
    kept = sealed(visit, _purpose(member), {"secret": draft.secret})
    return {"key": _grouped(draft.secret), "address": draft.address, "picture": picture(draft.address), "draft": kept}


def given_secret(visit: Visit, member: Member) -> str:
    """The secret of the form that was sent. Raises InvalidRequestError."""
    secret = _drafted(visit, member)
    if not secret:
        raise InvalidRequestError(Violation("code", "came too late: scan the new picture"))
    return secret


def given_code(visit: Visit) -> str:
    """The code of the form that was sent. Raises InvalidRequestError."""
    code = visit.line("code", longest=_LONGEST_CODE)
    if not code:
        raise InvalidRequestError(Violation("code", "is needed for this"))
    return code


def picture(address: str) -> Markup:
    """A QR code as SVG without a style of its own; nothing of the address is in it as text.

    >>> str(picture("otpauth://totp/x?secret=A"))[:5], "style" in str(picture("<b>"))
    ('<svg ', False)
    """
    drawn = segno.make(address, error="m", micro=False)
    return Markup(drawn.svg_inline(scale=4, border=4, light="#fff", svgclass="qr", lineclass=None))  # noqa: S704 (drawn)


def _drafted(visit: Visit, member: Member) -> str:
    return opened(visit, _purpose(member), visit.text("draft")).get("secret", "")


def _purpose(member: Member) -> str:
    return f"draft of a second factor {member.id}"


def _grouped(secret: str) -> str:
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
