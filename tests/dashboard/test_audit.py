"""What is written down: by whom, from where, and never a secret."""

import re

from builders import ServiceUnderTest
from dashboard.visitor import Office, Visitor

URL = "https://93.184.216.34/hook"


async def entries(running: ServiceUnderTest) -> list[tuple[str, str, str]]:
    query = "SELECT action, actor, detail FROM audit_entries WHERE organization_id = :id ORDER BY id"
    return [tuple(row.values()) for row in await running.rows(query, id=running.organization_id)]


async def test_what_a_key_does_is_written_down_under_its_name(running: ServiceUnderTest) -> None:
    put = await running.live.put("/api/v1/webhooks", json={"url": URL, "secret": "very-secret-indeed"})
    assert put.status_code == 200, put.text
    sent = (await running.live.post("/api/v1/webhooks/test")).json()["delivery_id"]
    await running.run("UPDATE deliveries SET status = 'failed', finished_at = now() WHERE id = :id", id=sent)
    assert (await running.live.post(f"/api/v1/webhooks/deliveries/{sent}/redeliver")).status_code == 202
    assert (await running.live.delete("/api/v1/webhooks")).status_code == 204
    accepted = await running.classify()
    one = accepted["classifications"][0]["poll_url"]
    assert (await running.live.post(f"{one}/cancel")).status_code == 200
    assert (await running.live.put(f"{one}/review", json={"decision": "rejected"})).status_code == 200
    written = await entries(running)
    assert [action for action, _, _ in written] == [
        "set the webhook",
        "sent a test webhook",
        "redelivered a webhook",
        "removed the webhook",
        "cancelled a classification",
        "reviewed a classification",
    ]
    assert {actor for _, actor, _ in written} == {f"API key a test's (…{running.live_key[-4:]})"}
    assert written[0][2] == f"{URL} (live), new secret"
    assert "very-secret-indeed" not in str(written)


async def test_a_refused_request_writes_nothing_down(running: ServiceUnderTest) -> None:
    assert (await running.live.delete("/api/v1/webhooks")).status_code == 404
    assert await entries(running) == []


async def test_uploads_and_cancels_in_the_dashboard_are_written_down(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open("/dashboard/live/classify")
    file = {"file": ("goods.csv", b"name\nCotton T-shirt\n", "text/csv")}
    answer = await visitor.send("/dashboard/live/uploads", files=file, schedules=["US-HTS"])
    assert answer.status_code == 303, visitor.text
    await visitor.follow()
    upload = str(visitor.page.url.path if visitor.page else "")
    assert (await visitor.send(upload)).status_code == 303, visitor.text
    [one] = await office.running.rows(
        "SELECT id FROM classifications WHERE organization_id = :id", id=office.running.organization_id
    )
    await visitor.open(f"/dashboard/live/classifications/{one['id']}")
    assert (await visitor.send(f"/dashboard/live/classifications/{one['id']}/cancel")).status_code == 303
    written = [(action, detail) for action, _, detail in await entries(office.running) if action != "signed in"]
    assert written[0] == ("uploaded a file", "goods.csv (live)")
    assert written[1] == ("submitted an uploaded file", "goods.csv (live)")
    assert written[2][0] == "cancelled a classification"


async def link_of(visitor: Visitor, host: str) -> str:
    visitor.client.headers["Host"] = host
    await visitor.open("/dashboard/live/settings/members")
    email = f"guest-{visitor.token[:12]}@example.com"
    await visitor.send("/dashboard/live/settings/members", email=email, role="viewer")
    page = await visitor.follow()
    [link] = set(re.findall(r'value="(http[^"]*token=[^"]*)"', page.text))
    return str(link)


async def test_an_invitation_never_leads_where_a_request_said_that_we_are(office: Office) -> None:
    link = await link_of(await office.signed_in(), "evil.example")
    assert link.startswith(f"{office.running.service.settings.dashboard_url}/welcome?token=")
    assert "evil.example" not in link
