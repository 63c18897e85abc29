"""What must not work: other sites' forms, other people's rights, other organizations' data, hostile text."""

import re
from typing import Any

import pytest
from starlette.routing import Route

from builders import ServiceUnderTest, build_service_under_test
from dashboard.visitor import OURS, Office, Visitor
from pcs.dashboard.app import FEATURES
from pcs.dashboard.security import HEADERS
from pcs.dashboard.visit import Guarded
from pcs.organizations.model import Role
from pcs.organizations.people import Permission

ROUTES = [route for feature in FEATURES for route in feature.ROUTES if isinstance(route, Guarded)]
OPEN = {
    "/dashboard",
    "/dashboard/sign-in",
    "/dashboard/sign-in/code",
    "/dashboard/sign-in/company",
    "/dashboard/sign-in/company/answer",
    "/dashboard/welcome",
}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"

IDS = {
    "environment": "live",
    "schedule": "US-HTS",
    "code": "6109",
    "key_id": "key_01jx0000000000000000000000",
    "member_id": "member_01jx0000000000000000000000",
    "invitation_id": "invite_01jx0000000000000000000000",
    "session_id": "session_01jx0000000000000000000000",
    "delivery_id": "dlv_01jx0000000000000000000000",
    "endpoint_id": "hook_01jx0000000000000000000000",
    "request_id": "req_01jx0000000000000000000000",
    "upload_id": "upload_01jx0000000000000000000000",
    "product_id": "product_01jx0000000000000000000000",
    "classification_id": "clf_01jx0000000000000000000000",
    "decision_id": "dec_01jx0000000000000000000000",
}


def address(route: Route, **ids: str) -> str:
    path = route.path.replace("{environment:environment}", "{environment}")
    return path.format(**{**IDS, **ids})


def of_method(method: str) -> list[Guarded]:
    return [route for route in ROUTES if method in (route.methods or set())]


def test_every_route_but_static_files_is_guarded() -> None:
    plain = [route for feature in FEATURES for route in feature.ROUTES if not isinstance(route, Guarded)]
    assert [route.path for route in plain] == ["/dashboard/static/{name}"]
    assert {route.path for route in ROUTES if route.needs is None} == OPEN
    sensitive = {Permission.MANAGE_KEYS, Permission.MANAGE_MEMBERS}
    assert all(route.confirms for route in of_method("POST") if route.needs in sensitive)


async def test_nobody_gets_in_without_signing_in(office: Office) -> None:
    visitor = office.visitor()
    for route in ROUTES:
        if route.needs is None:
            continue
        for method in (route.methods or set()) & {"GET", "POST"}:
            answer = await visitor.client.request(method, address(route), headers=OURS)
            assert answer.status_code == 303, (method, route.path)
            assert answer.headers["Location"].startswith("/dashboard/sign-in")


async def test_a_form_without_its_token_is_refused_everywhere(office: Office) -> None:
    visitor = await office.signed_in()
    for route in of_method("POST"):
        for token in ({}, {"form_token": "0" * 43}):
            answer = await visitor.client.post(address(route), data=token, headers=OURS)
            assert answer.status_code == 403, route.path
            assert "out of date" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {},
    ],
)
async def test_a_form_from_another_site_is_refused_even_with_its_token(office: Office, headers: dict[str, str]) -> None:
    visitor = await office.signed_in()
    for route in of_method("POST"):
        answer = await visitor.client.post(address(route), data={"form_token": visitor.token}, headers=headers)
        assert answer.status_code == 403, route.path
        assert "another site" in answer.text
    assert (await visitor.open("/dashboard/live")).status_code == 200


async def test_the_token_of_one_session_is_of_no_use_in_another(office: Office) -> None:
    one, other = await office.signed_in(), await office.signed_in()
    data = {"form_token": other.token, "theme": "dark"}
    answer = await one.client.post("/dashboard/live/account/theme", data=data, headers=OURS)
    assert answer.status_code == 403


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
async def test_a_role_reaches_exactly_as_far_as_it_says(office: Office, role: Role) -> None:
    visitor = await office.signed_in(role)
    allowed = {
        Role.VIEWER: {Permission.VIEW},
        Role.MEMBER: {Permission.VIEW, Permission.CLASSIFY, Permission.REVIEW},
    }[role]
    token = visitor.token
    for route in ROUTES:
        if route.needs is None or "sign-out" in route.path or "password" in route.path:
            continue
        for method in (route.methods or set()) & {"GET", "POST"}:
            data = {"form_token": token} if method == "POST" else None
            answer = await visitor.client.request(method, address(route), data=data, headers=OURS)
            assert (answer.status_code != 403) == (route.needs in allowed), (method, route.path, answer.status_code)
            token = visitor.token


async def test_an_admin_cannot_touch_an_owner_nor_make_one(office: Office) -> None:
    admin, owner, member = await office.signed_in(Role.ADMIN), await office.member(), await office.member(Role.MEMBER)
    await admin.open("/dashboard/live/settings/members")
    base = "/dashboard/live/settings/members"
    for path, fields in (
        (f"{base}/{owner.id}/disable", {}),
        (f"{base}/{owner.id}/role", {"role": "viewer"}),
        (f"{base}/{owner.id}/password", {}),
        (f"{base}/{member.id}/role", {"role": "owner"}),
        (base, {"email": "x@example.com", "role": "owner"}),
    ):
        assert (await admin.send(path, **fields)).status_code == 403, path
    assert (await admin.send(f"{base}/{member.id}/role", role="viewer")).status_code == 303


async def test_an_organization_keeps_an_owner(office: Office) -> None:
    owner = await office.member()
    visitor = office.visitor()
    await visitor.sign_in(owner.email)
    await visitor.follow()
    await visitor.open("/dashboard/live/settings/members")
    answer = await visitor.send(f"/dashboard/live/settings/members/{owner.id}/role", role="admin")
    assert answer.status_code == 403
    assert "needs an owner" in visitor.text
    await office.member()
    answer = await visitor.send(f"/dashboard/live/settings/members/{owner.id}/role", role="admin")
    assert answer.status_code == 303


async def test_a_password_given_long_ago_is_asked_for_again_before_what_matters(office: Office) -> None:
    visitor = await office.signed_in()
    office.running.clock.turn(minutes=16)
    page = await visitor.open("/dashboard/live/settings/api")
    assert "current_password" in page.text
    for route in (route for route in of_method("POST") if route.confirms):
        for given in ({}, {"current_password": "wrong"}):
            answer = await visitor.send(address(route), name="x", **given)
            assert answer.status_code in {404, 422}, route.path
            await office.running.run("DELETE FROM password_guesses")  # so many wrong ones have to wait, otherwise
            await visitor.open("/dashboard/live/settings/api")
        await office.running.run("DELETE FROM password_guesses")  # so many wrong ones have to wait, otherwise
    assert "No active keys" not in visitor.text
    fields = {"name": "fresh", "current_password": "correct horse battery"}
    assert (await visitor.send("/dashboard/live/settings/api", **fields)).status_code == 303
    await visitor.follow()
    assert "svc_live_" in visitor.text
    assert "current_password" not in (await visitor.open("/dashboard/live/settings/api")).text


@pytest.fixture
async def stranger(running: ServiceUnderTest) -> Any:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


async def test_another_organizations_things_are_not_there(office: Office, stranger: ServiceUnderTest) -> None:
    theirs = Office(stranger)
    victim = await theirs.signed_in()
    member = await theirs.member(Role.MEMBER)
    accepted = await stranger.classify()
    classification, product = accepted["classifications"][0]["id"], accepted["product_id"]
    request = (await stranger.live.get("/api/v1/me")).headers["X-Request-ID"]
    await stranger.service.recorder.flush()
    await stranger.work()
    await victim.open("/dashboard/live/settings/webhooks")
    fields = {"url": "http://127.0.0.1:65001/x", "event_types": "classification.completed", "secret_choice": "none"}
    answer = await victim.send("/dashboard/live/settings/webhooks", **fields, enabled="yes")
    assert answer.status_code == 303, victim.text
    await victim.open("/dashboard/live/settings/webhooks")
    tested = await victim.send("/dashboard/live/settings/webhooks/test")
    assert tested.status_code == 303, victim.text
    delivery = tested.headers["Location"]
    delivery_id = re.findall(r"dlv_\w{26}", delivery)[0]
    await victim.open("/dashboard/live/settings/webhooks/endpoints/new")
    more = {**fields, "url": "http://127.0.0.1:65001/more"}
    endpoint = (await victim.send("/dashboard/live/settings/webhooks/endpoints", **more)).headers["Location"]
    await victim.open("/dashboard/live/classify")
    files = {"file": ("a.csv", b"name\nx\n", "text/csv")}
    upload = (await victim.send("/dashboard/live/uploads", files=files, schedules="US-HTS")).headers["Location"]
    await victim.open("/dashboard/live/decisions")
    decided = {"file": ("a.csv", b"name,code,schedule\nx,6109100012,US-HTS\n", "text/csv")}
    await victim.send("/dashboard/live/decisions", files=decided)
    [decision] = await stranger.rows(
        "SELECT id FROM decisions WHERE organization_id = :id", id=stranger.organization_id
    )
    [key] = await stranger.rows(
        "SELECT id FROM api_keys WHERE organization_id = :id AND environment = 'live'", id=stranger.organization_id
    )
    [session] = await stranger.rows(
        "SELECT s.id FROM sessions s JOIN members m ON m.id = s.member_id WHERE m.organization_id = :id",
        id=stranger.organization_id,
    )
    ids = {
        "classification_id": classification,
        "product_id": product,
        "delivery_id": delivery_id,
        "endpoint_id": re.findall(r"hook_\w{26}", endpoint)[0],
        "request_id": request,
        "upload_id": re.findall(r"upload_\w{26}", upload)[0],
        "key_id": key["id"],
        "member_id": member.id,
        "session_id": session["id"],
        "decision_id": decision["id"],
    }
    thief = await office.signed_in()
    reached = 0
    for route in ROUTES:
        named = set(re.findall(r"{(\w+)}", route.path)) & set(ids)
        if not named:
            continue
        for method in (route.methods or set()) & {"GET", "POST"}:
            data = {"form_token": thief.token, "role": "viewer", "decision": "rejected"} if method == "POST" else None
            answer = await thief.client.request(method, address(route, **ids), data=data, headers=OURS)
            assert answer.status_code == 404, (method, route.path, answer.status_code)
            own = await victim.client.get(address(route, **ids)) if method == "GET" else None
            reached += own is not None and own.status_code == 200
    assert reached >= 6
    for name in (
        "classifications",
        "decisions",
        "settings/members",
        "settings/webhooks",
        "settings/requests",
        "settings/api",
        "settings/audit",
        "",
    ):
        page = await thief.open(f"/dashboard/live/{name}".rstrip("/"))
        assert not any(each in page.text for each in ids.values()), name
    await theirs.close()


async def test_the_other_environments_things_are_not_there_either(office: Office) -> None:
    visitor, accepted = await office.signed_in(), await office.running.classify()
    classification = accepted["classifications"][0]["id"]
    assert (await visitor.open(f"/dashboard/live/classifications/{classification}")).status_code == 200
    assert (await visitor.open(f"/dashboard/test/classifications/{classification}")).status_code == 404
    assert classification not in (await visitor.open("/dashboard/test/classifications")).text


async def pages_of(visitor: Visitor, accepted: Any) -> list[str]:
    classification, product = accepted["classifications"][0]["id"], accepted["product_id"]
    base = "/dashboard/live"
    paths = (
        base,
        f"{base}/classify",
        f"{base}/classifications",
        f"{base}/classifications/{classification}",
        f"{base}/classifications/{classification}/report",
        f"{base}/products/{product}",
        f"{base}/schedules/US-HTS",
        f"{base}/schedules/US-HTS?q=cotton",
        f"{base}/schedules/US-HTS/codes/6109",
        f"{base}/schedules/EU-CN/changes",
        f"{base}/usage",
        f"{base}/quality",
        f"{base}/settings/organization",
        f"{base}/filed",
        f"{base}/settings/api",
        f"{base}/settings/webhooks",
        f"{base}/settings/webhooks/endpoints/new",
        f"{base}/settings/requests",
        f"{base}/settings/members",
        f"{base}/settings/audit",
        f"{base}/account",
        f"{base}/nothing-here",
        "/dashboard/sign-in?next=%22%3E%3Cscript%3E",
    )
    answers = [await visitor.open(path) for path in paths]
    odd = {str(answer.url.path): answer.status_code for answer in answers if answer.status_code != 200}
    assert odd == {f"{base}/nothing-here": 404, "/dashboard/sign-in": 303}
    return [answer.text for answer in answers]


async def test_hostile_text_is_shown_as_text_and_no_page_has_inline_code(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify(
        product={"name": HOSTILE, "description": HOSTILE, "identifier": "'\"><b>"}, schedules=("US-HTS",)
    )
    await office.running.work()
    shown = 0
    for text in await pages_of(visitor, accepted):
        shown += "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "<script>" not in text
        assert "<img" not in text
        assert not re.search(r"<[^>]+\s(style|on\w+)=", text)
        assert "<style" not in text
        assert re.findall(r"<script[^>]*>", text) == re.findall(
            r'<script src="/dashboard/static/[^"]+" type="module">', text
        )
    assert shown >= 5


async def test_every_answer_carries_the_headers_that_keep_it_safe(office: Office) -> None:
    visitor = await office.signed_in()
    paths = ("/dashboard/live", "/dashboard/nothing", "/dashboard/sign-in", "/dashboard/static/dashboard.css")
    for path in paths:
        answer = await visitor.open(path)
        for name, value in HEADERS.items():
            if name != "Cache-Control" or "static" not in path:
                assert answer.headers[name] == value, (path, name)
        assert re.fullmatch(r"req_\w{26}", answer.headers["X-Request-ID"])
    assert "default-src 'none'" in HEADERS["Content-Security-Policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    for path in ("/dashboard/static/../app.py", "/dashboard/static/%2e%2e%2fapp.py", "/dashboard/static/nothing.css"):
        assert (await visitor.open(path)).status_code == 404


async def test_a_download_has_no_formulas(office: Office) -> None:
    visitor = await office.signed_in()
    await office.running.classify(product={"name": "=cmd|' /C calc'!A0", "identifier": "@x"}, schedules=("US-HTS",))
    answer = await visitor.open("/dashboard/live/classifications.csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert "'=cmd" in answer.text
    assert "'@x" in answer.text


async def test_a_body_without_end_is_cut_off(office: Office) -> None:
    visitor = await office.signed_in()
    for form, mebibytes in (("uploads", 57), ("classify", 7)):  # files may have 50
        await visitor.open("/dashboard/live/classify")
        answer = await visitor.send(
            f"/dashboard/live/{form}", files={"file": ("a.csv", b"x" * (mebibytes * 1024 * 1024), "text/csv")}
        )
        assert answer.status_code == 413, form


async def test_a_fault_of_ours_is_a_page_that_says_nothing_of_the_inside(office: Office) -> None:
    visitor = await office.signed_in()
    await office.running.run("ALTER TABLE audit_entries RENAME TO hidden")
    try:
        answer = await visitor.open("/dashboard/live/settings/audit")
    finally:
        await office.running.run("ALTER TABLE hidden RENAME TO audit_entries")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert "audit_entries" not in answer.text
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


async def test_what_people_do_is_written_down_without_secrets(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open("/dashboard/live/settings/api")
    await visitor.send("/dashboard/live/settings/api", name="Warehouse")
    page = await visitor.follow()
    [token] = set(re.findall(r"svc_live_[0-9A-Za-z]{38}", page.text))
    key = re.findall(r"/settings/api/(key_\w{26})/revoke", page.text)[0]
    await visitor.open(f"/dashboard/live/settings/api/{key}/revoke")
    await visitor.send(f"/dashboard/live/settings/api/{key}/revoke")
    await visitor.open("/dashboard/live/settings/audit")
    for said in ("signed in", "created an API key", "revoked an API key", "Warehouse"):
        assert said in visitor.text
    assert token not in visitor.text
    assert token not in (await visitor.open("/dashboard/live/settings/api")).text
