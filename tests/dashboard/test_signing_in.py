"""Who gets in, and for how long."""

import re

import pytest

from dashboard.visitor import PASSWORD, Office, Visitor
from pcs.dashboard.security import FORM_COOKIE, SESSION_COOKIE
from pcs.organizations.model import Role

HOME = "/dashboard/live"


async def is_in(visitor: Visitor) -> bool:
    return (await visitor.open(HOME)).status_code == 200


async def test_the_right_password_opens_a_session_and_the_cookie_is_well_kept(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    answer = await visitor.sign_in(member.email)
    assert answer.status_code == 303
    assert answer.headers["Location"] == HOME
    cookie = next(one for one in answer.headers.get_list("Set-Cookie") if one.startswith(SESSION_COOKIE))
    assert SESSION_COOKIE.startswith("__Host-")
    flags = {part.strip().lower().partition("=")[0] for part in cookie.split(";")[1:]}
    assert {"secure", "httponly", "path", "samesite"} <= flags
    assert "domain" not in flags
    assert "samesite=lax" in cookie.lower()
    assert "path=/" in cookie.lower().replace(" ", "").split(";")
    assert (await visitor.follow()).status_code == 200


async def test_the_token_in_the_cookie_is_long_and_not_stored(office: Office) -> None:
    visitor = await office.signed_in()
    token = visitor.client.cookies[SESSION_COOKIE]
    assert len(token) >= 43
    rows = await office.running.rows("SELECT * FROM sessions")
    assert not any(
        token in str(value) or token.encode() in bytes(str(value), "utf-8") for row in rows for value in row.values()
    )


async def test_a_wrong_password_and_an_unknown_address_are_answered_alike(office: Office) -> None:
    member = await office.member()
    answers = []
    for email in (member.email, "nobody@example.com"):
        visitor = office.visitor()
        answer = await visitor.sign_in(email, "not the password")
        assert SESSION_COOKIE not in visitor.client.cookies
        answers.append((answer.status_code, re.sub(r'value="[^"]*"', "", answer.text)))
    assert answers[0] == answers[1]
    assert "do not go together" in answers[0][1]


async def test_a_session_that_somebody_else_fixed_is_not_adopted(office: Office) -> None:
    thief, member, victim = await office.signed_in(), await office.member(), office.visitor()
    planted = thief.client.cookies[SESSION_COOKIE]
    await victim.open("/dashboard/sign-in")
    victim.client.cookies.set(SESSION_COOKIE, "made-up-by-somebody-else", domain="dashboard.test", path="/")
    await victim.sign_in(member.email)
    assert victim.client.cookies.get(SESSION_COOKIE, domain="dashboard.test") not in {
        planted,
        "made-up-by-somebody-else",
    }
    assert await is_in(victim)
    thief.client.cookies.clear()
    thief.client.cookies.set(SESSION_COOKIE, "made-up-by-somebody-else", domain="dashboard.test", path="/")
    assert not await is_in(thief)


async def test_too_many_failures_under_an_address_have_to_wait_even_with_the_right_password(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    await office.running.run("DELETE FROM password_guesses")
    for _ in range(10):
        assert (await visitor.sign_in(member.email, "wrong")).status_code == 409
    answer = await visitor.sign_in(member.email.upper())
    assert answer.status_code == 429
    assert "Too many failed attempts" in visitor.text
    other = await office.member()
    assert (await visitor.sign_in(other.email)).status_code == 303
    visitor = office.visitor()
    office.running.clock.turn(minutes=15, seconds=1)
    assert (await visitor.sign_in(member.email)).status_code == 303


async def test_one_place_may_not_try_one_address_after_the_other(office: Office) -> None:
    await office.running.run("DELETE FROM password_guesses")
    await office.running.run("INSERT INTO password_guesses VALUES ('place:127.0.0.1', 0, now(), now())")
    member, visitor = await office.member(), office.visitor()
    try:
        assert (await visitor.sign_in(member.email)).status_code == 429
    finally:
        await office.running.run("DELETE FROM password_guesses")


async def test_a_session_ends_when_it_was_idle_for_twelve_hours(office: Office) -> None:
    visitor = await office.signed_in()
    office.running.clock.turn(hours=11)
    assert await is_in(visitor)
    office.running.clock.turn(hours=11)
    assert await is_in(visitor)
    office.running.clock.turn(hours=12, minutes=1)
    assert not await is_in(visitor)


async def test_no_session_outlives_thirty_days(office: Office) -> None:
    visitor = await office.signed_in()
    for _ in range(65):
        office.running.clock.turn(hours=11)
        still = await is_in(visitor)
    assert still
    office.running.clock.turn(hours=11)
    assert not await is_in(visitor)


async def test_signing_out_ends_the_session_on_the_server_too(office: Office) -> None:
    visitor = await office.signed_in()
    kept = visitor.client.cookies[SESSION_COOKIE]
    await visitor.send("/dashboard/sign-out")
    assert SESSION_COOKIE not in visitor.client.cookies
    visitor.client.cookies.set(SESSION_COOKIE, kept, domain="dashboard.test", path="/")
    assert not await is_in(visitor)


async def test_signing_out_everywhere_reaches_every_browser(office: Office) -> None:
    member = await office.member()
    here, there = office.visitor(), office.visitor()
    for visitor in (here, there):
        await visitor.sign_in(member.email)
        await visitor.follow()
    await here.send("/dashboard/live/account/sign-out-everywhere")
    assert not await is_in(here)
    assert not await is_in(there)


async def test_one_session_can_be_ended_from_another(office: Office) -> None:
    member = await office.member()
    here, there = office.visitor(), office.visitor()
    for visitor in (here, there):
        await visitor.sign_in(member.email)
        await visitor.follow()
    page = await here.open("/dashboard/live/account")
    [other] = re.findall(r"/account/sessions/(session_\w+)/end", page.text)
    await here.send(f"/dashboard/live/account/sessions/{other}/end")
    assert await is_in(here)
    assert not await is_in(there)
    assert (await here.send(f"/dashboard/live/account/sessions/{other}/end")).status_code == 404


async def test_a_changed_password_ends_every_other_session_and_renews_this_one(office: Office) -> None:
    member = await office.member()
    here, there = office.visitor(), office.visitor()
    for visitor in (here, there):
        await visitor.sign_in(member.email)
        await visitor.follow()
    before = here.client.cookies[SESSION_COOKIE]
    await here.open("/dashboard/live/account")
    new = {"password": "another fine passphrase", "password_again": "another fine passphrase"}
    assert (await here.send("/dashboard/live/account/password", old_password="wrong", **new)).status_code == 422
    assert (await here.send("/dashboard/live/account/password", old_password=PASSWORD, **new)).status_code == 303
    assert here.client.cookies[SESSION_COOKIE] != before
    assert await is_in(here)
    assert not await is_in(there)
    assert (await there.sign_in(member.email)).status_code == 409
    assert (await there.sign_in(member.email, "another fine passphrase")).status_code == 303


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaaaaaa", "x" * 201])
async def test_a_weak_password_is_refused(office: Office, password: str) -> None:
    visitor = await office.signed_in()
    await visitor.open("/dashboard/live/account")
    fields = {"old_password": PASSWORD, "password": password, "password_again": password}
    assert (await visitor.send("/dashboard/live/account/password", **fields)).status_code == 422


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ("/dashboard/live/usage", "/dashboard/live/usage"),
        ("https://evil.example/", HOME),
        ("//evil.example/", HOME),
        ("/dashboard/\\evil.example", HOME),
        ("/dashboard/../api", HOME),
    ],
)
async def test_a_sign_in_leads_back_to_our_own_pages_only(office: Office, wanted: str, reached: str) -> None:
    member, visitor = await office.member(), office.visitor()
    await visitor.open("/dashboard/sign-in")
    answer = await visitor.send("/dashboard/sign-in", email=member.email, password=PASSWORD, next=wanted)
    assert answer.headers["Location"] == reached


async def test_the_first_administrator_comes_with_a_token_that_works_once(office: Office) -> None:
    token = await office.first_token()
    visitor = office.visitor()
    await visitor.open(f"/dashboard/welcome?token={token}")
    fields = {
        "token": token,
        "organization": "Northwind",
        "email": f"{token[:8]}@example.com",
        "name": "Ada",
        "password": PASSWORD,
        "password_again": PASSWORD,
    }
    assert (await visitor.send("/dashboard/welcome", **{**fields, "password_again": "other"})).status_code == 422
    assert (await visitor.send("/dashboard/welcome", **fields)).status_code == 303
    await visitor.follow()
    assert "Northwind" in visitor.text
    again = office.visitor()
    assert (await again.open(f"/dashboard/welcome?token={token}")).status_code == 404


async def test_an_invitation_ends_after_a_week(office: Office) -> None:
    token = await office.first_token()
    office.running.clock.turn(days=7, seconds=1)
    assert (await office.visitor().open(f"/dashboard/welcome?token={token}")).status_code == 404


async def test_somebody_who_is_invited_sets_their_own_password_and_gets_their_role(office: Office) -> None:
    owner = await office.signed_in()
    await owner.open("/dashboard/live/settings/members")
    email = f"new-{owner.token[:8]}@example.com"
    await owner.send("/dashboard/live/settings/members", email=email, role="viewer")
    page = await owner.follow()
    [token] = set(re.findall(r"/dashboard/welcome\?token=([\w-]+)", page.text))
    guest = office.visitor()
    await guest.open(f"/dashboard/welcome?token={token}")
    await guest.send("/dashboard/welcome", token=token, name="Grace", password=PASSWORD, password_again=PASSWORD)
    await guest.follow()
    assert "Grace" in guest.text
    assert (await guest.open("/dashboard/live/settings/audit")).status_code == 403
    assert (await owner.send("/dashboard/live/settings/members", email=email, role="admin")).status_code == 422


async def test_an_address_that_is_disabled_is_out_at_once(office: Office) -> None:
    owner, member, visitor = await office.signed_in(), await office.member(Role.MEMBER), office.visitor()
    await visitor.sign_in(member.email)
    assert await is_in(visitor)
    await owner.open("/dashboard/live/settings/members")
    assert (await owner.send(f"/dashboard/live/settings/members/{member.id}/disable")).status_code == 303
    assert not await is_in(visitor)
    assert (await visitor.sign_in(member.email)).status_code == 409
    await owner.open("/dashboard/live/settings/members")
    await owner.send(f"/dashboard/live/settings/members/{member.id}/enable")
    assert (await visitor.sign_in(member.email)).status_code == 303


async def test_a_browser_without_our_cookie_cannot_sign_in(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    await visitor.open("/dashboard/sign-in")
    del visitor.client.cookies[FORM_COOKIE]
    answer = await visitor.send("/dashboard/sign-in", email=member.email, password=PASSWORD)
    assert answer.status_code == 403
