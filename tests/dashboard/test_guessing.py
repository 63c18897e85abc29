"""Guessing passwords: hurry gets nobody further, and nobody can keep the owner out."""

import asyncio
import dataclasses
import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from builders import ServiceUnderTest
from dashboard.visitor import OURS, PASSWORD, Office, Visitor
from pcs.dashboard.app import Shell, create_dashboard
from pcs.dashboard.hashing import Hasher
from pcs.organizations.people import Member

GUESSES = 300
SIGN_IN = "/dashboard/sign-in"


class CountingHasher(Hasher):
    """The real one, which knows how many passwords it was asked to try."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = 0

    async def matches(self, stored: str | None, password: str) -> bool:
        self.tried += 1
        return await super().matches(stored, password)


@pytest.fixture(autouse=True)
async def _unthrottled(running: ServiceUnderTest) -> AsyncIterator[None]:
    """Every test's browsers have one address; no test inherits another's guesses."""
    await running.run("DELETE FROM password_guesses")
    yield
    await running.run("DELETE FROM password_guesses")


def counting(office: Office) -> tuple[Any, CountingHasher]:
    """The dashboard with a hasher that counts."""
    app, hasher = create_dashboard(office.running.service), CountingHasher()
    assert isinstance(app, Shell)
    app.app.state.dashboard = dataclasses.replace(app.app.state.dashboard, hasher=hasher)
    return app, hasher


def visitor_of(office: Office, app: Any, address: str = "198.51.100.7") -> Visitor:
    """A browser at a network address."""
    transport = httpx2.ASGITransport(app, client=(address, 40000), raise_app_exceptions=False)
    visitor = Visitor(httpx2.AsyncClient(transport=transport, base_url="https://dashboard.test", timeout=60))
    office.visitors.append(visitor)
    return visitor


async def guess_at_once(visitor: Visitor, path: str, fields: dict[str, str], right: str, field: str) -> Counter[int]:
    """Many forms at the same moment, the right password somewhere behind the middle; the statuses."""
    passwords = [f"guess {number}" for number in range(GUESSES)]
    passwords[GUESSES * 2 // 3] = right
    bodies = [{"form_token": visitor.token, **fields, field: password} for password in passwords]
    answers = await asyncio.gather(*(visitor.client.post(path, data=body, headers=OURS) for body in bodies))
    return Counter(answer.status_code for answer in answers)


async def test_of_three_hundred_guesses_at_once_ten_are_tried(office: Office) -> None:
    member = await office.member()
    app, hasher = counting(office)
    thief = visitor_of(office, app)
    await thief.open(SIGN_IN)
    statuses = await guess_at_once(thief, SIGN_IN, {"email": member.email}, PASSWORD, "password")
    assert 1 <= hasher.tried <= 10
    assert statuses[429] > GUESSES // 2
    assert statuses[429] + statuses[503] == GUESSES - hasher.tried, statuses  # 503 where the machine is too busy
    refused = await thief.sign_in(member.email)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("page", "path", "fields", "field"),
    [
        ("settings/api", "settings/api", {"name": "a key"}, "current_password"),
        (
            "account",
            "account/password",
            {"password": "another fine passphrase", "password_again": "another fine passphrase"},
            "old_password",
        ),
    ],
)
async def test_nor_are_more_tried_of_somebody_who_found_a_session(
    office: Office, page: str, path: str, fields: dict[str, str], field: str
) -> None:
    member = await office.member()
    app, hasher = counting(office)
    thief = visitor_of(office, app)
    await thief.sign_in(member.email)
    office.running.clock.turn(minutes=16)
    await thief.open(f"/dashboard/live/{page}")
    hasher.tried = 0
    statuses = await guess_at_once(thief, f"/dashboard/live/{path}", fields, "not the password", field)
    assert 1 <= hasher.tried <= 10
    assert statuses[429] > GUESSES // 2
    assert statuses[429] + statuses[503] == GUESSES - hasher.tried, statuses  # 503 where the machine is too busy


async def fail(visitor: Visitor, email: str, times: int) -> None:
    for _ in range(times):
        await visitor.sign_in(email, "wrong")


async def test_a_delay_grows_and_ends_and_is_never_longer_than_a_quarter_of_an_hour(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    await fail(visitor, member.email, 10)
    waits = []
    for _ in range(7):
        refused = await visitor.sign_in(member.email, "wrong")
        assert refused.status_code == 429
        waits.append(int(refused.headers["Retry-After"]))
        office.running.clock.turn(seconds=waits[-1] + 1)
        assert (await visitor.sign_in(member.email, "wrong")).status_code == 409
    assert waits == sorted(waits)
    assert waits[0] <= 60 < waits[1]
    assert 890 < waits[-1] <= 900
    office.running.clock.turn(minutes=15, seconds=1)
    assert (await visitor.sign_in(member.email)).status_code == 303
    assert (await office.visitor().sign_in(member.email, "wrong")).status_code == 409, "a success begins anew"


async def at(office: Office, address: str) -> Visitor:
    return visitor_of(office, create_dashboard(office.running.service), address)


async def used_browser(office: Office, member: Member) -> Visitor:
    """A browser in which the member has signed in and out."""
    visitor = await at(office, "203.0.113.9")
    await visitor.sign_in(member.email)
    await visitor.follow()
    await visitor.send("/dashboard/sign-out")
    return visitor


async def test_whoever_guesses_keeps_out_nobody_elsewhere(office: Office) -> None:
    member = await office.member()
    thief, owner = await at(office, "198.51.100.7"), await at(office, "203.0.113.9")
    await fail(thief, member.email, 12)
    assert (await thief.sign_in(member.email)).status_code == 429
    assert (await owner.sign_in(member.email)).status_code == 303


async def test_whoever_guesses_from_everywhere_keeps_out_no_browser_that_has_signed_in_before(office: Office) -> None:
    member = await office.member()
    known = await used_browser(office, member)
    for number in range(6):
        await fail(await at(office, f"198.51.100.{number}"), member.email, 10)
    assert (await (await at(office, "192.0.2.1")).sign_in(member.email)).status_code == 429
    assert (await known.sign_in(member.email)).status_code == 303
    other = await office.member()
    assert (await (await at(office, "192.0.2.1")).sign_in(other.email)).status_code == 303


async def test_a_browser_that_has_signed_in_before_has_ten_guesses_too(office: Office) -> None:
    member = await office.member()
    known = await used_browser(office, member)
    await fail(known, member.email, 10)
    assert (await known.sign_in(member.email)).status_code == 429


async def test_a_made_up_mark_and_another_member_s_are_no_mark(office: Office) -> None:
    member, other = await office.member(), await office.member()
    theirs = await used_browser(office, other)
    for number in range(6):
        await fail(await at(office, f"198.51.100.{number}"), member.email, 10)
    assert (await theirs.sign_in(member.email)).status_code == 429
    theirs.client.cookies.set("__Host-pcs_known", "made.up", domain="dashboard.test", path="/")
    assert (await theirs.sign_in(member.email)).status_code == 429


async def test_an_ipv6_subscriber_is_one_place(office: Office) -> None:
    for number in range(60):
        visitor = await at(office, f"2001:db8:1:2::{number}")
        await visitor.sign_in(f"somebody-{number}@example.com", "wrong")
    assert visitor.page is not None
    assert visitor.page.status_code == 429


async def test_a_success_forgives_no_other_s_guesses(office: Office) -> None:
    member, own = await office.member(), await office.member()
    for number in range(5):
        thief = await at(office, f"198.51.100.{number}")
        await fail(thief, member.email, 10)
        await thief.sign_in(own.email)
    assert (await (await at(office, "192.0.2.1")).sign_in(member.email)).status_code == 429
    rows = await office.running.rows(
        "SELECT bucket FROM password_guesses WHERE bucket ~ :own", own=re.escape(own.email)
    )
    assert len(rows) == 1, "of the account alone, with its guesses given back"
