"""Signing in at a company's identity provider: who gets in, and what is refused of what it says, or seems to say."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from builders import ServiceUnderTest
from dashboard.factors import CODE, first_step, now, with_factor
from dashboard.provider_server import (
    CLIENT,
    SECRET,
    ProviderServer,
    Sign,
    by_another_key,
    by_another_key_of_the_same_name,
    by_nothing,
    by_the_public_key,
)
from dashboard.visitor import OURS, PASSWORD, Office, Visitor
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.dashboard.app import create_dashboard
from pcs.dashboard.security import PROVIDER_COOKIE, SESSION_COOKIE
from pcs.organizations.company import Rules
from pcs.organizations.model import Role

START = "/dashboard/sign-in/company"
MEMBERS = "/dashboard/live/settings/members"


@pytest.fixture
def provider(running: ServiceUnderTest) -> Iterator[ProviderServer]:
    with ProviderServer(clock=lambda: running.clock().timestamp()) as server:
        yield server


@pytest.fixture(autouse=True)
async def _unthrottled(running: ServiceUnderTest) -> None:
    await running.run("DELETE FROM password_guesses")


def browser(office: Office, provider: ProviderServer, **more: Any) -> Visitor:
    """A browser before a dashboard with this provider."""
    own = {"oidc_issuer": provider.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    service = office.running.service
    organization = {"oidc_organization": office.running.organization_id}
    settings = dataclasses.replace(service.settings, **{**own, **organization, **more})
    app = create_dashboard(dataclasses.replace(service, settings=settings))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    visitor = Visitor(httpx2.AsyncClient(transport=transport, base_url="https://dashboard.test"))
    office.visitors.append(visitor)
    return visitor


async def to_provider(visitor: Visitor, start: str = START) -> str:
    """Go there as a browser does; where it sends the browser back to."""
    answer = await visitor.open(start)
    assert answer.status_code == 303, visitor.text
    async with httpx2.AsyncClient() as client:
        there = await client.get(answer.headers["Location"])
    assert there.status_code == 302
    address = there.headers["Location"]
    return address[address.index("/dashboard/") :]


async def come_in(visitor: Visitor, start: str = START) -> httpx2.Response:
    return await visitor.open(await to_provider(visitor, start))


async def test_a_member_is_known_by_the_address_that_the_provider_verified(
    office: Office, provider: ProviderServer
) -> None:
    member = await office.member()
    provider.claims = {"email": member.email.upper()}
    visitor = browser(office, provider)
    assert "Sign in with your company" in (await visitor.open("/dashboard/sign-in?next=/dashboard/live/usage")).text
    answer = await come_in(visitor, f"{START}?next=/dashboard/live/usage")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/dashboard/live/usage")
    assert PROVIDER_COOKIE not in visitor.client.cookies
    assert (await visitor.follow()).status_code == 200
    asked = provider.asked[0]
    assert len(asked["state"]) >= 43
    assert len(asked["nonce"]) >= 43
    assert (await office.visitor().sign_in(member.email)).headers["Location"] == "/dashboard/live", "passwords go on"


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": ["another-client", "a-third"]},
        {"aud": [CLIENT, "another-client"]},
        {"aud": None},
        {"azp": "another-client"},
        {"nonce": "made up"},
        {"nonce": None},
        {"exp": 1},
        {"exp": None},
        {"iat": 99_999_999_999},
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "true"},
        {"email": None},
        {"email": ["a@acme.example"]},
        {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"auth_time": "yesterday"},
    ],
    ids=str,
)
async def test_a_token_that_says_something_else_opens_nothing(
    office: Office, provider: ProviderServer, claims: dict[str, Any]
) -> None:
    member = await office.member()
    provider.claims = {"email": member.email, **claims}
    await refused(browser(office, provider))


async def refused(visitor: Visitor, start: str = START) -> None:
    answer = await come_in(visitor, start)
    assert answer.status_code == 409, visitor.text
    assert "did not work" in visitor.text
    assert SESSION_COOKIE not in visitor.client.cookies


@pytest.mark.parametrize(
    "sign",
    [by_nothing, by_the_public_key, by_another_key, by_another_key_of_the_same_name],
    ids=lambda one: one.__name__,
)
async def test_a_token_that_the_provider_did_not_sign_opens_nothing(
    office: Office, provider: ProviderServer, sign: Sign
) -> None:
    member = await office.member()
    provider.claims, provider.sign = {"email": member.email}, sign
    await refused(browser(office, provider))


async def test_an_answer_that_this_browser_did_not_ask_for_opens_nothing(
    office: Office, provider: ProviderServer
) -> None:
    member = await office.member()
    provider.claims = {"email": member.email}
    thief, victim = browser(office, provider), browser(office, provider)
    stolen = await to_provider(thief)
    assert (await victim.open(stolen)).headers["Location"].endswith("too_late"), "it asked for nothing"
    await to_provider(victim)
    assert (await victim.open(stolen)).status_code == 409, "another state"
    late = await to_provider(victim)
    office.running.clock.turn(minutes=10, seconds=1)
    assert (await victim.open(late)).headers["Location"].endswith("too_late")
    assert SESSION_COOKIE not in victim.client.cookies


async def test_a_code_counts_once_and_only_with_its_own_verifier(office: Office, provider: ProviderServer) -> None:
    member = await office.member()
    provider.claims = {"email": member.email}
    visitor = browser(office, provider)
    back = await to_provider(visitor)
    kept = visitor.client.cookies[PROVIDER_COOKIE]
    assert (await visitor.open(back)).status_code == 303
    visitor.client.cookies.clear()
    visitor.client.cookies.set(PROVIDER_COOKIE, kept, domain="dashboard.test", path="/")
    assert (await visitor.open(back)).status_code == 409
    one = await to_provider(visitor)
    other = await to_provider(visitor)
    mixed = other.replace("code-3", "code-2")
    assert mixed != other
    assert one != mixed
    assert (await visitor.open(mixed)).status_code == 409
    assert SESSION_COOKIE not in visitor.client.cookies


@pytest.mark.parametrize(
    "published",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "ftp://127.0.0.1/token"},
        {"jwks_uri": None},
    ],
    ids=str,
)
async def test_a_provider_that_says_wrong_things_of_itself_is_not_gone_to(
    office: Office, provider: ProviderServer, published: dict[str, Any]
) -> None:
    provider.published = published
    visitor = browser(office, provider)
    assert (await visitor.open(START)).status_code == 409
    assert "did not work" in visitor.text


async def test_a_provider_out_of_reach_is_told_in_words(office: Office, provider: ProviderServer) -> None:
    visitor = browser(office, provider, oidc_issuer="http://127.0.0.1:9/realms/acme")
    assert (await visitor.open(START)).status_code == 409
    assert "its log says why" in visitor.text
    assert (await office.visitor().open(START)).status_code == 404, "where there is none"


async def test_who_was_invited_joins_with_the_role_of_the_invitation(office: Office, provider: ProviderServer) -> None:
    admin, visitor = await office.signed_in(), browser(office, provider)
    provider.claims = {"email": "invited@acme.example"}
    assert (await come_in(visitor)).status_code == 409
    assert "ask an owner or admin for an invitation" in visitor.text
    await admin.open(MEMBERS)
    await admin.send(MEMBERS, email="Invited@acme.example", role="member")
    await admin.follow()
    assert (await come_in(visitor)).status_code == 303
    joined = await office.running.rows(
        "SELECT role, name, password_hash FROM members WHERE email = 'invited@acme.example'"
    )
    assert joined == [{"role": "member", "name": "Jo Doe", "password_hash": "none"}]
    await admin.open(MEMBERS)
    assert "Invited@acme.example" not in admin.text
    assert (await office.visitor().sign_in("invited@acme.example", "none")).status_code == 409
    await office.running.run("UPDATE members SET disabled_at = now() WHERE email = 'invited@acme.example'")
    assert (await come_in(browser(office, provider))).status_code == 409


@pytest.mark.parametrize(
    ("email", "status"),
    [("new@acme.example", 303), ("new2@ACME.example", 303), ("new@evil-acme.example", 409), ("x@a.acme.example", 409)],
)
async def test_addresses_of_the_company_s_domain_become_members_at_their_first_sign_in(
    office: Office, provider: ProviderServer, email: str, status: int
) -> None:
    provider.claims = {"email": email}
    visitor = browser(office, provider, oidc_domains=("acme.example",), oidc_role="member")
    assert (await come_in(visitor)).status_code == status
    rows = await office.running.rows("SELECT role, organization_id FROM members WHERE email = :email", email=email)
    expected = [{"role": "member", "organization_id": office.running.organization_id}]
    assert rows == (expected if status == 303 else [])


async def test_where_passwords_let_nobody_in_the_right_one_does_not(office: Office, provider: ProviderServer) -> None:
    member, visitor = await office.member(), browser(office, provider, oidc_only=True)
    shown = await visitor.open("/dashboard/sign-in")
    assert 'name="password"' not in shown.text
    await visitor.open(f"/dashboard/welcome?token={await office.first_token()}")
    body = {"form_token": visitor.token, "email": member.email, "password": PASSWORD}
    answer = await visitor.client.post("/dashboard/sign-in", data=body, headers=OURS)
    assert (answer.status_code, SESSION_COOKIE in visitor.client.cookies) == (409, False)
    assert "company" in answer.text


async def test_a_second_factor_is_asked_for_behind_the_provider_too(office: Office, provider: ProviderServer) -> None:
    member, _, totp, _ = await with_factor(office)
    provider.claims = {"email": member.email}
    visitor = browser(office, provider)
    assert (await come_in(visitor)).headers["Location"] == CODE
    assert SESSION_COOKIE not in visitor.client.cookies
    await visitor.follow()
    assert (await visitor.send(CODE, code=now(office, totp))).status_code == 303
    assert (await first_step(office, member)).page is not None


async def test_what_matters_asks_for_proof_that_the_provider_saw_just_now(
    office: Office, provider: ProviderServer
) -> None:
    member = await office.member()
    provider.claims = {"email": member.email}
    visitor = browser(office, provider)
    await come_in(visitor)
    page = await visitor.open("/dashboard/live/settings/api")
    assert "again=yes" in page.text, "a sign-in that may have asked for nothing is no proof"
    assert (await visitor.send("/dashboard/live/settings/api", name="x")).status_code == 422
    answer = await come_in(visitor, f"{START}?again=yes&next=/dashboard/live/settings/api")
    assert provider.asked[-1]["prompt"] == "login"
    assert provider.asked[-1]["max_age"] == "0"
    assert answer.headers["Location"] == "/dashboard/live/settings/api"
    await visitor.follow()
    assert (await visitor.send("/dashboard/live/settings/api", name="x")).status_code == 303


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"PCS_OIDC_ISSUER": "http://login.example.com"}, "https"),
        ({"PCS_OIDC_ISSUER": "https://login.example.com?x=1"}, "issuer"),
        ({"PCS_OIDC_ISSUER": "https://login.example.com"}, "PCS_OIDC_CLIENT_ID"),
        ({"PCS_OIDC_ROLE": "owner"}, "PCS_OIDC_ROLE"),
        ({"PCS_OIDC_ONLY": "true"}, "nobody could sign in"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(said: dict[str, str], why: str) -> None:
    with pytest.raises(OperatorError, match=why):
        Rules.of(Settings.from_environment(said))


def test_the_provider_s_secret_is_not_shown() -> None:
    settings = Settings.from_environment({"PCS_OIDC_CLIENT_SECRET": SECRET})
    assert SECRET not in repr(settings)
    assert Role(Rules.of(settings).role) is Role.VIEWER
