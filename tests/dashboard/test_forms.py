"""Every form of the dashboard: what it does, it does once. The trap: a list of forms kept by hand; the routes are
asked, and one that nobody tells how to fill in fails."""

import html
import re
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dashboard.answered_before import GONE, classified
from dashboard.factors import CODE, FACTOR, now, offered, set_up, with_factor
from dashboard.visitor import PASSWORD, Office, Visitor
from determinations import OUTER, ask
from pcs.dashboard.app import FEATURES
from pcs.organizations.model import Role
from pcs.schedules.service import Revisions
from whole_schedule import edition

LIVE = "/dashboard/live"
ROUTES = {route.path: route for feature in FEATURES for route in feature.ROUTES if "POST" in (route.methods or ())}
SECRET = re.compile(r"svc_(?:live|test)_\w{38}|whsec_[\w+/]{20,}={0,2}|token=[\w-]{20,}")

Filled = tuple[str, dict[str, Any]]
Fill = Callable[["Somebody"], Awaitable[Filled]]
FORMS: dict[str, Fill] = {}


@dataclass(frozen=True)
class Somebody:
    """An owner at a browser, and the organization they belong to."""

    office: Office
    visitor: Visitor


def form(path: str) -> Callable[[Fill], Fill]:
    """Opens the page of the form and tells its address and what to fill in."""

    def keep(fill: Fill) -> Fill:
        FORMS[path.replace("LIVE", "/dashboard/{environment:environment}")] = fill
        return fill

    return keep


@form("/dashboard/sign-in")
async def _sign_in(who: Somebody) -> Filled:
    await who.visitor.open(LIVE)
    await who.visitor.send("/dashboard/sign-out")
    await who.visitor.open("/dashboard/sign-in")
    return "/dashboard/sign-in", {"email": (await who.office.member()).email, "password": PASSWORD}


@form("/dashboard/sign-in/code")
async def _second_step(who: Somebody) -> Filled:
    member, _, totp, _ = await with_factor(who.office)
    who.visitor.client.cookies.clear()
    await who.visitor.sign_in(member.email)
    await who.visitor.follow()
    return CODE, {"code": now(who.office, totp)}


@form("LIVE/account/second-factor")
async def _set_up_a_factor(who: Somebody) -> Filled:
    await who.visitor.open(FACTOR)
    totp, draft = offered(who.visitor)
    return FACTOR, {**draft, "code": now(who.office, totp)}


@form("LIVE/account/second-factor/codes")
async def _new_recovery_codes(who: Somebody) -> Filled:
    totp, _ = await set_up(who.office, who.visitor)
    return f"{FACTOR}/codes", {"code": now(who.office, totp)}


@form("LIVE/account/second-factor/remove")
async def _remove_a_factor(who: Somebody) -> Filled:
    totp, _ = await set_up(who.office, who.visitor)
    return f"{FACTOR}/remove", {"code": now(who.office, totp)}


@form("LIVE/settings/members/{member_id}/second-factor")
async def _remove_another_s_factor(who: Somebody) -> Filled:
    member, _, _, _ = await with_factor(who.office)
    await who.visitor.open(f"{LIVE}/settings/members")
    return f"{LIVE}/settings/members/{member.id}/second-factor", {}


@form("LIVE/settings/organization/second-factor")
async def _ask_for_factors(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{LIVE}/settings/organization/second-factor", {"second_factor": "no"}


@form("/dashboard/sign-out")
async def _sign_out(who: Somebody) -> Filled:
    await who.visitor.open(LIVE)
    return "/dashboard/sign-out", {}


@form("/dashboard/welcome")
async def _welcome(who: Somebody) -> Filled:
    await who.visitor.open(LIVE)
    await who.visitor.send("/dashboard/sign-out")
    token = await who.office.first_token()
    await who.visitor.open(f"/dashboard/welcome?token={token}")
    passwords = {"password": "a new long password", "password_again": "a new long password"}
    newcomer = {"email": f"{uuid.uuid4().hex}@example.com", "name": "New", "organization": "Newcomers"}
    return "/dashboard/welcome", {"token": token, **newcomer, **passwords}


@form("LIVE/classify")
async def _classify(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/classify")
    return f"{LIVE}/classify", {"name": "Cotton T-shirt", "schedules": ["US-HTS"]}


@form("LIVE/uploads")
async def _upload(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/classify")
    return f"{LIVE}/uploads", {"files": {"file": ("a.csv", b"name\nshirt\n", "text/csv")}, "schedules": ["US-HTS"]}


@form("LIVE/uploads/{upload_id}")
async def _submit(who: Somebody) -> Filled:
    address, fields = await _upload(who)
    await who.visitor.send(address, **fields)
    return str((await who.visitor.follow()).url.path), {}


async def _classification(who: Somebody) -> str:
    accepted = await who.office.running.classify()
    address = f"{LIVE}/classifications/{accepted['classifications'][0]['id']}"
    await who.visitor.open(address)
    return address


@form("LIVE/classifications/{classification_id}/review")
async def _review(who: Somebody) -> Filled:
    address = await _classification(who)
    await who.office.running.work()
    return f"{address}/review", {"decision": "accepted"}


@form("LIVE/classifications/{classification_id}/assignment")
async def _assign(who: Somebody) -> Filled:
    return f"{await _classification(who)}/assignment", {"assigned_to": ""}


@form("LIVE/settings/organization/four-eyes")
async def _four_eyes(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{LIVE}/settings/organization/four-eyes", {"four_eyes": "yes"}


@form("LIVE/classifications/{classification_id}/review/send-back")
async def _send_back(who: Somebody) -> Filled:
    settings, wanted = await _four_eyes(who)
    await who.visitor.send(settings, **wanted)
    address, fields = await _review(who)
    await who.visitor.send(address, **fields)
    await who.visitor.open(address.removesuffix("/review"))
    return f"{address}/send-back", {"reason": "Which note?"}


@form("LIVE/classifications/{classification_id}/answers")
async def _answer(who: Somebody) -> Filled:
    address = await _classification(who)
    await who.office.running.work(ask)
    await who.visitor.open(address)
    return f"{address}/answers", {f"option:{OUTER.id}": "leather"}


@form("LIVE/classifications/{classification_id}/cancel")
async def _cancel(who: Somebody) -> Filled:
    return f"{await _classification(who)}/cancel", {}


@form("LIVE/settings/api")
async def _create_key(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/api")
    return f"{LIVE}/settings/api", {"name": "Warehouse", "key_environment": "live"}


@form("LIVE/settings/api/{key_id}/revoke")
async def _revoke_key(who: Somebody) -> Filled:
    page = await who.visitor.open(f"{LIVE}/settings/api")
    [address, *_] = re.findall(rf'href="({LIVE}/settings/api/key_\w+/revoke)"', page.text)
    await who.visitor.open(address)
    return address, {}


@form("LIVE/settings/api/{key_id}/limit")
async def _limit_key(who: Somebody) -> Filled:
    page = await who.visitor.open(f"{LIVE}/settings/api")
    [address, *_] = re.findall(rf'href="({LIVE}/settings/api/key_\w+/limit)"', page.text)
    await who.visitor.open(address)
    return address, {"rate_limit": "600"}


@form("LIVE/settings/webhooks")
async def _set_webhook(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/webhooks")
    endpoint = {"url": "http://127.0.0.1:65001/x", "event_types": "classification.completed", "enabled": "yes"}
    return f"{LIVE}/settings/webhooks", {**endpoint, "secret_choice": "make"}


async def _webhook(who: Somebody) -> None:
    address, fields = await _set_webhook(who)
    await who.visitor.send(address, **fields)
    await who.visitor.open(address)


@form("LIVE/settings/webhooks/remove")
async def _remove_webhook(who: Somebody) -> Filled:
    await _webhook(who)
    return f"{LIVE}/settings/webhooks/remove", {}


@form("LIVE/settings/webhooks/test")
async def _test_webhook(who: Somebody) -> Filled:
    await _webhook(who)
    return f"{LIVE}/settings/webhooks/test", {}


@form("LIVE/settings/webhooks/endpoints")
async def _add_endpoint(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/webhooks/endpoints/new")
    _, fields = await _set_webhook(who)
    return f"{LIVE}/settings/webhooks/endpoints", {**fields, "url": "http://127.0.0.1:65001/y", "description": "Shop"}


async def _endpoint(who: Somebody) -> tuple[str, dict[str, Any]]:
    address, fields = await _add_endpoint(who)
    await who.visitor.send(address, **fields)
    return str((await who.visitor.follow()).url.path), fields


@form("LIVE/settings/webhooks/endpoints/{endpoint_id}")
async def _change_endpoint(who: Somebody) -> Filled:
    address, fields = await _endpoint(who)
    return address, {**fields, "secret_choice": "keep", "description": "The shop"}


@form("LIVE/settings/webhooks/endpoints/{endpoint_id}/remove")
async def _remove_endpoint(who: Somebody) -> Filled:
    return f"{(await _endpoint(who))[0]}/remove", {}


@form("LIVE/settings/webhooks/endpoints/{endpoint_id}/test")
async def _test_endpoint(who: Somebody) -> Filled:
    return f"{(await _endpoint(who))[0]}/test", {}


@form("LIVE/settings/webhooks/endpoints/{endpoint_id}/replay")
async def _replay(who: Somebody) -> Filled:
    address, _ = await _endpoint(who)
    test = await who.visitor.send(f"{address}/test")
    await who.office.running.run("UPDATE deliveries SET status = 'failed', finished_at = now()")
    assert test.status_code == 303
    await who.visitor.open(address)
    return f"{address}/replay", {"hours": "24"}


@form("LIVE/settings/webhooks/deliveries/{delivery_id}/redeliver")
async def _redeliver(who: Somebody) -> Filled:
    address, fields = await _test_webhook(who)
    await who.visitor.send(address, **fields)
    delivery = str((await who.visitor.follow()).url.path)
    await who.office.running.run(
        "UPDATE deliveries SET status = 'failed', finished_at = now() WHERE id = :id", id=delivery.rpartition("/")[2]
    )
    return f"{delivery}/redeliver", {}


async def _somebody(who: Somebody) -> str:
    await who.visitor.open(f"{LIVE}/settings/members")
    return f"{LIVE}/settings/members/{(await who.office.member(Role.MEMBER)).id}"


@form("LIVE/settings/organization/credits")
async def _set_credit_limit(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{LIVE}/settings/organization/credits", {"credit_limit": "10,000"}


@form("LIVE/settings/organization")
async def _set_review_below(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{LIVE}/settings/organization", {"review_below": "70"}


@form("LIVE/settings/organization/promise")
async def _promise(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{LIVE}/settings/organization/promise", {"right": "90", "digits": "6", "asked_share": "10"}


@form("LIVE/settings/organization/promise/withdraw")
async def _withdraw_promise(who: Somebody) -> Filled:
    address, fields = await _promise(who)
    await who.visitor.send(address, **fields)
    await who.visitor.open(f"{LIVE}/settings/organization")
    return f"{address}/withdraw", {}


@form("LIVE/settings/members")
async def _invite(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/settings/members")
    return f"{LIVE}/settings/members", {"email": "new@example.com", "role": "member"}


@form("LIVE/settings/members/invitations/{invitation_id}/withdraw")
async def _withdraw(who: Somebody) -> Filled:
    address, fields = await _invite(who)
    await who.visitor.send(address, **fields)
    page = await who.visitor.open(address)
    [withdrawing] = re.findall(rf'action="({LIVE}/settings/members/invitations/invite_\w+/withdraw)"', page.text)
    return withdrawing, {}


@form("LIVE/settings/members/{member_id}/role")
async def _role(who: Somebody) -> Filled:
    return f"{await _somebody(who)}/role", {"role": "viewer"}


@form("LIVE/settings/members/{member_id}/disable")
async def _disable(who: Somebody) -> Filled:
    return f"{await _somebody(who)}/disable", {}


@form("LIVE/settings/members/{member_id}/enable")
async def _enable(who: Somebody) -> Filled:
    somebody = await _somebody(who)
    await who.visitor.send(f"{somebody}/disable")
    await who.visitor.open(f"{LIVE}/settings/members")
    return f"{somebody}/enable", {}


@form("LIVE/settings/members/{member_id}/password")
async def _reset(who: Somebody) -> Filled:
    return f"{await _somebody(who)}/password", {}


@form("LIVE/account/password")
async def _password(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/account")
    new = {"password": "a new long password", "password_again": "a new long password"}
    return f"{LIVE}/account/password", {"old_password": PASSWORD, **new}


@form("LIVE/account/sessions/{session_id}/end")
async def _end_session(who: Somebody) -> Filled:
    member, other = await who.office.member(), who.office.visitor()
    await other.sign_in(member.email)
    await who.visitor.send("/dashboard/sign-out")
    await who.visitor.sign_in(member.email)
    page = await who.visitor.open(f"{LIVE}/account")
    [address] = re.findall(rf'action="({LIVE}/account/sessions/session_\w+/end)"', page.text)
    return address, {}


@form("LIVE/account/sign-out-everywhere")
async def _sign_out_everywhere(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/account")
    return f"{LIVE}/account/sign-out-everywhere", {}


@form("LIVE/account/theme")
async def _theme(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/account")
    return f"{LIVE}/account/theme", {"theme": "dark"}


@form("LIVE/schedules/{schedule}/changes")
async def _classify_again(who: Somebody) -> Filled:
    revisions = Revisions(who.office.running.service.settings.data_dir)
    before, after = revisions.stage(edition("2025")), revisions.stage(edition("2026", dropped=GONE))
    await classified(who.office.running, GONE, schedule="EU-CN", revision="2025")
    address = f"{LIVE}/schedules/EU-CN/changes"
    await who.visitor.open(f"{address}?from={before.key}&to={after.key}")
    return address, {"from": before.key, "to": after.key}


async def _everything(office: Office) -> dict[str, Any]:
    """What every table holds."""
    tables = await office.running.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    held = {}
    for name in (table["tablename"] for table in tables):
        digest = "SELECT count(*) AS rows, md5(string_agg(t::text, '|' ORDER BY t::text)) AS digest FROM"
        [held[name]] = await office.running.rows(f'{digest} "{name}" t')
    return held


@form("LIVE/decisions")
async def _take_in(who: Somebody) -> Filled:
    await who.visitor.open(f"{LIVE}/decisions")
    decided = b"name,code,schedule\nshirt,6109100012,US-HTS\n"
    return f"{LIVE}/decisions", {"files": {"file": ("decided.csv", decided, "text/csv")}}


@form("LIVE/decisions/{decision_id}/forget")
async def _forget(who: Somebody) -> Filled:
    address, fields = await _take_in(who)
    await who.visitor.send(address, **fields)
    page = await who.visitor.follow()
    return re.findall(r'action="([^"]+/forget)"', page.text)[0], {}


@form("LIVE/review/{classification_id}")
async def _decide(who: Somebody) -> Filled:
    address = await _classification(who)
    await who.office.running.work()
    return address.replace("/classifications/", "/review/"), {"act": "accepted"}


def test_somebody_says_how_to_fill_in_each_form() -> None:
    assert set(FORMS) == set(ROUTES)


@pytest.mark.parametrize("path", ROUTES)
async def test_a_form_that_is_sent_leads_to_a_page_whose_reload_does_nothing(office: Office, path: str) -> None:
    visitor = await office.signed_in()
    address, fields = await FORMS[path](Somebody(office, visitor))
    before = await _everything(office)
    answer = await visitor.send(address, **fields)
    assert answer.status_code == 303, visitor.text
    assert path.endswith("/theme") or await _everything(office) != before, "the form did nothing"
    assert not SECRET.search(answer.headers["Location"])
    shown = await visitor.follow()
    after = await _everything(office)
    for _ in range(2):
        again = await visitor.open(answer.headers["Location"])
        assert again.status_code == shown.status_code
        assert not SECRET.search(html.unescape(again.text)), "what is shown once is shown twice"
    assert await _everything(office) == after


@pytest.mark.parametrize("path", ["settings/api", "settings/webhooks", "settings/members"])
async def test_a_secret_is_shown_once_to_the_session_that_made_it(office: Office, path: str) -> None:
    visitor, other = await office.signed_in(), await office.signed_in()
    address, fields = await FORMS[f"/dashboard/{{environment:environment}}/{path}"](Somebody(office, visitor))
    await visitor.send(address, **fields)
    assert not SECRET.search((await other.open(address)).text)
    kept = " ".join(str(row) for row in await office.running.rows("SELECT encode(sealed, 'escape') FROM shown_once"))
    page = await visitor.open(address)
    [secret] = set(SECRET.findall(html.unescape(page.text)))
    assert secret not in kept
    assert kept
    assert not SECRET.search((await visitor.open(address)).text)


async def test_a_secret_that_nobody_fetched_is_gone_after_a_while(office: Office) -> None:
    visitor = await office.signed_in()
    address, fields = await _create_key(Somebody(office, visitor))
    await visitor.send(address, **fields)
    office.running.clock.turn(minutes=11)
    assert not SECRET.search((await visitor.open(address)).text)


async def test_a_webhook_saved_twice_keeps_the_secret_that_was_made_the_first_time(office: Office) -> None:
    visitor = await office.signed_in()
    address, fields = await _set_webhook(Somebody(office, visitor))
    await visitor.send(address, **fields)
    page = await visitor.follow()
    chosen = re.findall(r'name="secret_choice" value="(\w+)" checked', page.text)
    assert chosen == ["keep"]
    stored = "SELECT secret FROM webhook_endpoints WHERE organization_id = :id"
    [before] = await office.running.rows(stored, id=office.running.organization_id)
    assert (await visitor.send(address, **{**fields, "secret_choice": chosen[0]})).status_code == 303
    assert await office.running.rows(stored, id=office.running.organization_id) == [before]
