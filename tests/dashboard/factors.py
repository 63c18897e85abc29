"""Members with a second factor, and their authenticator app. The trap: a code that was used before; the clock is
turned on behind each one that is."""

import html
import re

import pyotp

from dashboard.visitor import Office, Visitor
from pcs.organizations.model import Role
from pcs.organizations.people import Member

CODE = "/dashboard/sign-in/code"
FACTOR = "/dashboard/live/account/second-factor"


def field(visitor: Visitor, pattern: str) -> str:
    assert visitor.page is not None
    found = re.search(pattern, visitor.page.text)
    assert found, visitor.page.text
    return html.unescape(found[1])


def offered(visitor: Visitor) -> tuple[pyotp.TOTP, dict[str, str]]:
    """The app into which the key of the page shown was put, and the form's own field."""
    totp = pyotp.parse_uri(field(visitor, r'href="(otpauth:[^"]+)"'))
    assert isinstance(totp, pyotp.TOTP)
    return totp, {"draft": field(visitor, r'name="draft" value="([^"]+)"')}


def codes_shown(visitor: Visitor) -> list[str]:
    assert visitor.page is not None
    return re.findall(r"[a-z2-7]{4}(?:-[a-z2-7]{4}){3}", re.sub(r"data-copy.*?>", "", visitor.page.text))


async def with_factor(office: Office, role: Role = Role.OWNER) -> tuple[Member, Visitor, pyotp.TOTP, list[str]]:
    """A member who has set it up, their browser, their app, and their recovery codes."""
    member, visitor = await office.member(role), office.visitor()
    await visitor.sign_in(member.email)
    totp, codes = await set_up(office, visitor)
    return member, visitor, totp, codes


async def set_up(office: Office, visitor: Visitor) -> tuple[pyotp.TOTP, list[str]]:
    """The app and the recovery codes of whoever is signed in there."""
    await visitor.open(FACTOR)
    totp, draft = offered(visitor)
    assert (await visitor.send(FACTOR, **draft, code=now(office, totp))).status_code == 303, visitor.text
    await visitor.follow()
    codes = codes_shown(visitor)
    office.running.clock.turn(seconds=60)
    return totp, codes


def now(office: Office, totp: pyotp.TOTP) -> str:
    return totp.at(office.running.clock())


async def first_step(office: Office, member: Member) -> Visitor:
    visitor = office.visitor()
    answer = await visitor.sign_in(member.email)
    assert answer.headers["Location"] == CODE, visitor.text
    await visitor.follow()
    return visitor
