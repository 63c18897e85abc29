"""What pages say of deliveries and people is so."""

import re

import httpx2

from dashboard.visitor import PASSWORD, Office, Visitor
from pcs.organizations.model import Role
from receiver import Receiver

WEBHOOKS = "/dashboard/live/settings/webhooks"
MEMBERS = "/dashboard/live/settings/members"


async def test_a_retry_is_called_one_and_its_time_is_in_words(office: Office, receiver: Receiver) -> None:
    receiver.statuses = [500] * 4
    running, visitor = office.running, await office.signed_in()
    await visitor.open(f"{WEBHOOKS}?show=failed")
    assert "No delivery has failed." in visitor.text
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    sent = (await running.live.post("/api/v1/webhooks/test")).json()["delivery_id"]
    await visitor.open(WEBHOOKS)
    assert "Queued" in visitor.text
    await running.work()
    await visitor.open(WEBHOOKS)
    assert "Will be retried" in visitor.text
    assert "Queued" not in visitor.text
    await visitor.open(f"{WEBHOOKS}/deliveries/{sent}")
    assert "Will be retried" in visitor.text
    assert re.search(r"Next attempt retrying 1 of 3, next in \d\d s", visitor.text)
    running.clock.turn(minutes=1, seconds=5)
    await visitor.open(f"{WEBHOOKS}/deliveries/{sent}")
    assert "Next attempt retrying 1 of 3, next now" in visitor.text
    assert "in just now" not in visitor.text


def refreshing(visitor: Visitor) -> float | None:
    """After how many seconds the part of the page that shows deliveries is fetched again."""
    assert visitor.page is not None
    found = re.search(r'id="deliver(?:y|ies)" data-refresh="(\d+)"', visitor.page.text)
    return int(found[1]) / 1000 if found else None


async def test_what_is_sent_again_is_watched_until_it_has_ended(office: Office, receiver: Receiver) -> None:
    receiver.statuses = [500, 500]
    running, visitor = office.running, await office.signed_in()
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    sent = (await running.live.post("/api/v1/webhooks/test")).json()["delivery_id"]
    pages = (WEBHOOKS, f"{WEBHOOKS}/endpoints/default", f"{WEBHOOKS}/deliveries/{sent}")

    async def after() -> list[float | None]:
        found = []
        for page in pages:
            await visitor.open(page)
            found.append(refreshing(visitor))
        return found

    assert await after() == [1, 1, 1], "queued"
    await running.work()
    assert all(wait and 5 < wait < 7 for wait in await after()), "it failed; the next attempt is a minute away"
    running.clock.turn(seconds=58)
    assert await after() == [1, 1, 1], "due in a moment"
    running.clock.turn(minutes=61)
    assert all(wait and wait > 300 for wait in await after()), "an hour late: no worker runs"
    await running.run("UPDATE deliveries SET next_attempt_at = now() WHERE id = :id", id=sent)
    await running.run("UPDATE deliveries SET status = 'delivered', finished_at = now() WHERE id = :id", id=sent)
    assert await after() == [None] * 3


def link_in(page: httpx2.Response) -> str:
    [token] = set(re.findall(r"welcome\?token=([\w-]+)", page.text))
    return str(token)


async def invited(owner: Visitor, email: str) -> str:
    await owner.open(MEMBERS)
    await owner.send(MEMBERS, email=email, role="viewer")
    return link_in(await owner.follow())


async def test_who_has_joined_is_not_invited_any_more(office: Office) -> None:
    owner = await office.signed_in()
    await owner.open(MEMBERS)
    email = f"guest-{owner.token[:12]}@example.com"
    first, second = await invited(owner, email), await invited(owner, email.upper())
    assert owner.text.count("Withdraw") == 1, "the second link takes the place of the first"
    guest = office.visitor()
    assert (await guest.open(f"/dashboard/welcome?token={first}")).status_code == 404
    await guest.open(f"/dashboard/welcome?token={second}")
    joined = {"name": "Grace", "password": PASSWORD, "password_again": PASSWORD}
    assert (await guest.send("/dashboard/welcome", token=second, **joined)).status_code == 303
    await owner.open(MEMBERS)
    assert "Grace" in owner.text
    assert "Withdraw" not in owner.text


async def test_who_became_a_member_by_another_way_is_not_invited_any_more(office: Office) -> None:
    owner = await office.signed_in()
    await owner.open(MEMBERS)
    member = await office.member(Role.VIEWER)
    await office.running.run(
        "INSERT INTO invitations (id, digest, organization_id, purpose, email, role, created_at, expires_at)"
        " VALUES (:id, CAST(CAST(gen_random_uuid() AS text) AS bytea), :owner, 'invitation', :email, 'viewer', now(),"
        " now() + interval '7 days')",
        id=f"invite_{member.id}",
        owner=office.running.organization_id,
        email=member.email.upper(),
    )
    await owner.open(MEMBERS)
    assert "Withdraw" not in owner.text


def focused(visitor: Visitor) -> list[str]:
    assert visitor.page is not None
    return re.findall(r'<input id="([\w-]+)"[^>]* autofocus', visitor.page.text)


async def test_the_field_that_was_wrong_is_where_writing_goes_on(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    await visitor.open("/dashboard/sign-in")
    assert focused(visitor) == ["email"]
    await visitor.sign_in(member.email, "wrong")
    await visitor.send("/dashboard/sign-in", email=member.email, password="wrong")
    assert focused(visitor) == ["password"]
    token = await office.first_token()
    await visitor.open(f"/dashboard/welcome?token={token}")
    assert focused(visitor) == ["organization"]
    fields = {"organization": "Acme", "email": "ada@example.com", "name": "Ada", "password_again": "other"}
    await visitor.send("/dashboard/welcome", token=token, password=PASSWORD, **fields)
    assert focused(visitor) == ["password_again"]
    await visitor.send("/dashboard/welcome", token=token, password="short", **fields)
    assert focused(visitor) == ["password"]


async def test_a_key_that_was_never_used_is_said_to_be(office: Office) -> None:
    visitor = await office.signed_in()
    page = await visitor.open("/dashboard/live/settings/api")
    key_id = re.findall(r"settings/api/(key_\w+)/revoke", page.text)[0]
    await visitor.open(f"/dashboard/live/settings/api/{key_id}/revoke")
    assert "has never been used" in visitor.text
    assert "last used never" not in visitor.text
