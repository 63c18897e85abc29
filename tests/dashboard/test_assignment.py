"""Classifications assigned to members: by the API and the dashboard, listed, and only to those who may."""

from typing import Any

from dashboard.visitor import Office
from pcs.organizations.model import Role
from service.test_final_codes import unsure

BASE = "/dashboard/live"


async def assign(office: Office, accepted: Any, email: str | None) -> Any:
    address = accepted["classifications"][0]["poll_url"]
    return await office.running.live.put(f"{address}/assignment", json={"assigned_to": email})


async def listed(office: Office, email: str) -> list[str]:
    found = await office.running.live.get("/api/v1/classifications", params={"assigned_to": email})
    return [one["id"] for one in found.json()["data"]]


async def test_what_is_assigned_says_so_and_is_listed_until_it_is_nobodys(office: Office) -> None:
    accepted, other = await office.running.classify(), await office.running.classify(name="Other shirt")
    one, email = accepted["classifications"][0]["id"], (await office.member(Role.MEMBER)).email
    assigned = await assign(office, accepted, email.upper())
    assert (assigned.status_code, assigned.json()["assigned_to"]) == (200, email)
    await office.running.work(unsure)
    assert (await office.running.poll(accepted))["assigned_to"] == email
    assert "assigned_to" not in await office.running.poll(other)
    assert await listed(office, email) == [one]
    assert "assigned_to" not in (await assign(office, accepted, None)).json()
    assert await listed(office, email) == []


async def test_only_a_member_of_ours_who_may_review_is_assigned_anything(office: Office) -> None:
    accepted = await office.running.classify()
    viewer, gone = await office.member(Role.VIEWER), await office.member(Role.MEMBER)
    await office.running.run("UPDATE members SET disabled_at = created_at WHERE id = :id", id=gone.id)
    for email in (viewer.email, gone.email, "nobody@acme.example", "", "x" * 10_000):
        refused = await assign(office, accepted, email)
        assert refused.status_code == 400, email
        assert [one["field"] for one in refused.json()["error"]["details"]] == ["assigned_to"]


async def test_a_member_assigns_to_themselves_and_finds_it_again(office: Office) -> None:
    accepted, _ = await office.running.classify(), await office.running.classify(name="Other shirt")
    one, visitor = accepted["classifications"][0]["id"], await office.signed_in(Role.MEMBER)
    page = (await visitor.open(f"{BASE}/classifications/{one}")).text
    assert "Who is to review it" not in page
    await office.running.work(unsure)
    await visitor.open(f"{BASE}/classifications/{one}")
    assert (
        await visitor.send(f"{BASE}/classifications/{one}/assignment", assigned_to="a@b.example")
    ).status_code == 422
    ours = office.running.organization_id
    query = "SELECT email FROM members WHERE role = 'member' AND organization_id = :id"
    [mine] = await office.running.rows(query, id=ours)
    await visitor.send(f"{BASE}/classifications/{one}/assignment", assigned_to=mine["email"])
    await visitor.follow()
    found = (await visitor.open(f"{BASE}/classifications?assigned={mine['email']}")).text
    assert one in found
    assert "Other shirt" not in found
    query = "SELECT detail FROM audit_entries WHERE action = 'assigned a classification' AND organization_id = :id"
    told = await office.running.rows(query, id=ours)
    assert [each["detail"] for each in told] == [f"to {mine['email']}"]


async def test_a_viewer_sees_who_is_to_review_and_assigns_nothing(office: Office) -> None:
    accepted = await office.running.classify()
    await office.running.work(unsure)
    email = (await office.member(Role.MEMBER)).email
    await assign(office, accepted, email)
    page = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    viewer = await office.signed_in(Role.VIEWER)
    await viewer.open(page)
    assert email in viewer.text
    await viewer.open(f"{BASE}/account")
    assert (await viewer.send(f"{page}/assignment", assigned_to="")).status_code == 403
