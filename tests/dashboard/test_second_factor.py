"""A second factor: what it asks for, what does not get past it, and how a lost one is replaced."""

import datetime as dt
from collections.abc import AsyncIterator

import pytest

from builders import ServiceUnderTest
from dashboard.factors import CODE, FACTOR, codes_shown, field, first_step, now, offered, with_factor
from dashboard.visitor import HASH, PASSWORD, Office
from pcs.base.secrets import Secrets, changed_key
from pcs.dashboard.security import SESSION_COOKIE, STEP_COOKIE
from pcs.organizations import second_factors
from pcs.organizations.model import Role

ORGANIZATION = "/dashboard/live/settings/organization"


@pytest.fixture(autouse=True)
async def _unthrottled(running: ServiceUnderTest) -> AsyncIterator[None]:
    await running.run("DELETE FROM password_guesses")
    yield
    await running.run("UPDATE organizations SET second_factor = false")


async def test_a_password_alone_opens_no_session_and_the_code_does(office: Office) -> None:
    member, _, totp, _ = await with_factor(office)
    visitor = office.visitor()
    await visitor.open("/dashboard/sign-in?next=/dashboard/live/usage")
    await visitor.send("/dashboard/sign-in", email=member.email, password=PASSWORD, next="/dashboard/live/usage")
    assert SESSION_COOKIE not in visitor.client.cookies
    await visitor.follow()
    assert "otpauth" not in visitor.page.text  # type: ignore[union-attr]
    refused = await visitor.send(CODE, code="000000")
    assert (refused.status_code, SESSION_COOKIE in visitor.client.cookies) == (422, False)
    assert "not right" in visitor.text
    answer = await visitor.send(CODE, code=now(office, totp))
    assert answer.headers["Location"] == "/dashboard/live/usage"
    assert STEP_COOKIE not in visitor.client.cookies
    assert (await visitor.follow()).status_code == 200
    logged = await office.running.rows("SELECT action, detail FROM audit_entries WHERE actor ~ :email", email=member.id)
    assert {"action": "sign-in failed", "detail": "a wrong code of the second factor"} in logged


async def test_a_code_works_once_and_none_older_after_it(office: Office) -> None:
    member, _, totp, _ = await with_factor(office)
    earlier, code = totp.at(office.running.clock() - dt.timedelta(seconds=30)), now(office, totp)
    assert (await (await first_step(office, member)).send(CODE, code=code)).status_code == 303
    for again in (code, earlier):
        assert (await (await first_step(office, member)).send(CODE, code=again)).status_code == 422
    office.running.clock.turn(seconds=30)
    assert (await (await first_step(office, member)).send(CODE, code=now(office, totp))).status_code == 303


async def test_the_code_that_set_it_up_is_used_up_too(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    await visitor.sign_in(member.email)
    await visitor.open(FACTOR)
    totp, draft = offered(visitor)
    code = now(office, totp)
    await visitor.send(FACTOR, **draft, code=code)
    assert (await (await first_step(office, member)).send(CODE, code=code)).status_code == 422


async def test_a_recovery_code_is_shown_once_stored_as_a_digest_and_works_once(office: Office) -> None:
    member, visitor, _, codes = await with_factor(office)
    assert len(set(codes)) == 10
    await visitor.open(FACTOR)
    assert codes_shown(visitor) == []
    stored = str(await office.running.rows("SELECT * FROM recovery_codes"))
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
    typed = codes[3].upper().replace("-", " ")
    assert (await (await first_step(office, member)).send(CODE, code=typed)).status_code == 303
    assert (await (await first_step(office, member)).send(CODE, code=codes[3])).status_code == 422
    assert "9 recovery codes are left" in (await visitor.open(FACTOR)).text


async def test_codes_are_counted_before_they_are_tried(office: Office) -> None:
    member, _, totp, _ = await with_factor(office)
    visitor = await first_step(office, member)
    for _ in range(10):
        assert (await visitor.send(CODE, code="000000")).status_code == 422
    refused = await visitor.send(CODE, code=now(office, totp))
    assert (refused.status_code, SESSION_COOKIE in visitor.client.cookies) == (429, False)
    assert int(refused.headers["Retry-After"]) <= 60
    office.running.clock.turn(seconds=61)
    assert (await visitor.send(CODE, code=now(office, totp))).status_code == 303


async def test_the_secret_is_sealed_for_its_member_and_survives_a_change_of_the_key(office: Office) -> None:
    member, _, totp, _ = await with_factor(office)
    rows = await office.running.rows("SELECT sealed FROM second_factors WHERE member_id = :id", id=member.id)
    assert totp.secret.encode() not in bytes(rows[0]["sealed"])
    old, new = office.running.service.secrets, Secrets(changed_key("another key of this test"))
    async with office.running.service.database.begin() as transaction:
        assert await second_factors.seal_anew(transaction, old, new) >= 1
        assert await second_factors.seal_anew(transaction, new, old) >= 1
    assert (await (await first_step(office, member)).send(CODE, code=now(office, totp))).status_code == 303


async def test_what_the_browser_carries_ends_with_its_time_and_with_the_password(office: Office) -> None:
    member, _, totp, _ = await with_factor(office)
    late = await first_step(office, member)
    office.running.clock.turn(minutes=10, seconds=1)
    assert (await late.send(CODE, code=now(office, totp))).headers["Location"].endswith("too_late")
    changed = await first_step(office, member)
    await office.running.run("UPDATE members SET password_hash = 'x' WHERE id = :id", id=member.id)
    assert (await changed.send(CODE, code=now(office, totp))).headers["Location"].endswith("too_late")
    await office.running.run("UPDATE members SET password_hash = :hash WHERE id = :id", hash=HASH, id=member.id)
    disabled = await first_step(office, member)
    await office.running.run("UPDATE members SET disabled_at = now() WHERE id = :id", id=member.id)
    assert (await disabled.send(CODE, code=now(office, totp))).headers["Location"].endswith("too_late")
    assert SESSION_COOKIE not in disabled.client.cookies


@pytest.mark.parametrize("cookie", ["", "made up", "AAAA", "A" * 200])
async def test_nobody_comes_to_the_second_step_without_the_first(office: Office, cookie: str) -> None:
    visitor = office.visitor()
    await visitor.open("/dashboard/sign-in")
    visitor.client.cookies.set(STEP_COOKIE, cookie, domain="dashboard.test", path="/")
    assert (await visitor.send(CODE, code="000000")).headers["Location"].endswith("too_late")
    assert (await visitor.open(CODE)).status_code == 303


async def test_a_factor_is_never_replaced_by_whoever_knows_the_password(office: Office) -> None:
    member, visitor, _, _ = await with_factor(office)
    other = await office.signed_in()
    await other.open(FACTOR)
    foreign, draft = offered(other)
    thief = await first_step(office, member)
    assert (await thief.send(CODE, **draft, code=now(office, foreign))).status_code == 422
    await visitor.open(FACTOR)
    assert (await visitor.send(FACTOR, **draft, code=now(office, foreign))).status_code == 422, "another member's draft"


async def test_a_link_for_a_new_password_asks_for_the_code_too(office: Office) -> None:
    member, _, totp, _ = await with_factor(office, Role.MEMBER)
    admin, visitor = await office.signed_in(), office.visitor()
    await admin.open("/dashboard/live/settings/members")
    await admin.send(f"/dashboard/live/settings/members/{member.id}/password")
    await admin.follow()
    await visitor.open(field(admin, r'value="[^"]*(/dashboard/welcome\?token=[^"]+)"'))
    token = field(visitor, r'name="token" value="([^"]+)"')
    new = "another fine passphrase"
    answer = await visitor.send("/dashboard/welcome", token=token, password=new, password_again=new)
    assert (answer.headers["Location"], SESSION_COOKIE in visitor.client.cookies) == (CODE, False)
    await visitor.follow()
    assert (await visitor.send(CODE, code=now(office, totp))).status_code == 303


async def test_an_organization_leads_those_without_one_to_set_it_up(office: Office) -> None:
    owner, viewer = await office.signed_in(), await office.signed_in(Role.VIEWER)
    await owner.open(ORGANIZATION)
    assert (await owner.send(f"{ORGANIZATION}/second-factor", second_factor="yes")).status_code == 303
    assert (await viewer.send(f"{ORGANIZATION}/second-factor", second_factor="no")).status_code == 403
    member = await office.member(Role.MEMBER)
    visitor = await first_step(office, member)
    totp, draft = offered(visitor)
    assert (await visitor.send(CODE, **draft, code="000000")).status_code == 422
    assert offered(visitor)[0].secret == totp.secret, "the key in the app is still the one asked for"
    assert SESSION_COOKIE not in visitor.client.cookies
    answer = await visitor.send(CODE, **offered(visitor)[1], code=now(office, totp))
    assert answer.headers["Location"] == FACTOR
    await visitor.follow()
    codes = codes_shown(visitor)
    assert len(codes) == 10
    await visitor.open(FACTOR)
    assert "remove" not in visitor.text.lower().replace("can remove one", "")
    refused = await visitor.send(f"{FACTOR}/remove", code=codes[0])
    assert refused.status_code == 403


async def test_switching_it_off_asks_for_the_password_and_a_code(office: Office) -> None:
    member, visitor, totp, _ = await with_factor(office)
    await visitor.open(FACTOR)
    assert (await visitor.send(f"{FACTOR}/remove")).status_code == 422
    assert (await visitor.send(f"{FACTOR}/remove", code="000000")).status_code == 422
    office.running.clock.turn(minutes=16)
    assert (await visitor.send(f"{FACTOR}/remove", code=now(office, totp))).status_code == 422
    fields = {"code": now(office, totp), "current_password": PASSWORD}
    assert (await visitor.send(f"{FACTOR}/remove", **fields)).status_code == 303
    assert (await office.visitor().sign_in(member.email)).headers["Location"] == "/dashboard/live"


async def test_new_recovery_codes_end_the_earlier_ones(office: Office) -> None:
    member, visitor, totp, codes = await with_factor(office)
    await visitor.open(FACTOR)
    assert (await visitor.send(f"{FACTOR}/codes", code=now(office, totp))).status_code == 303
    await visitor.follow()
    new = codes_shown(visitor)
    assert len(new) == 10
    assert not set(new) & set(codes)
    assert (await (await first_step(office, member)).send(CODE, code=codes[0])).status_code == 422
    assert (await (await first_step(office, member)).send(CODE, code=new[0])).status_code == 303


async def test_an_admin_removes_a_lost_one_but_not_their_own_nor_an_owner_s(office: Office) -> None:
    owner, _, _, _ = await with_factor(office)
    admin, admins_browser, _, _ = await with_factor(office, Role.ADMIN)
    member, _, _, _ = await with_factor(office, Role.MEMBER)
    base = "/dashboard/live/settings/members"
    await admins_browser.open(base)
    for other in (owner, admin):
        assert (await admins_browser.send(f"{base}/{other.id}/second-factor")).status_code == 403
    assert (await admins_browser.send(f"{base}/{member.id}/second-factor")).status_code == 303
    assert (await office.visitor().sign_in(member.email)).headers["Location"] == "/dashboard/live"
    done = await office.running.rows("SELECT action FROM audit_entries WHERE subject = :id", id=member.id)
    assert [row["action"] for row in done] == ["set up a second factor", "removed a second factor"]
