"""Somebody at a browser, without the browser. The trap: a test that posts what no page offered; forms are sent with the
token of a page that was really shown."""

import html
import re
from dataclasses import dataclass, field
from typing import Any

import httpx2

from builders import ServiceUnderTest
from pcs.base import ids
from pcs.dashboard.app import create_dashboard
from pcs.organizations import members, members_store, passwords
from pcs.organizations.model import Role
from pcs.organizations.people import Member

PASSWORD = "correct horse battery"
HASH = passwords.hashed(PASSWORD)
OURS = {"Sec-Fetch-Site": "same-origin"}
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


@dataclass
class Visitor:
    """A browser with its cookies. `page` is what it shows."""

    client: httpx2.AsyncClient
    page: httpx2.Response | None = field(default=None)

    async def open(self, path: str) -> httpx2.Response:
        self.page = await self.client.get(path)
        return self.page

    async def send(self, path: str, /, *, files: Any = None, **fields: Any) -> httpx2.Response:
        """Send a form with the token of the page shown, and show what came back."""
        data = {"form_token": self.token, **fields}
        self.page = await self.client.post(path, data=data, files=files, headers=OURS)
        return self.page

    async def follow(self) -> httpx2.Response:
        """Go where the last answer leads."""
        assert self.page is not None
        assert self.page.status_code == 303, self.page.text
        return await self.open(self.page.headers["Location"])

    @property
    def token(self) -> str:
        assert self.page is not None
        found = _TOKEN.search(self.page.text)
        assert found, self.page.text
        return found[1]

    @property
    def text(self) -> str:
        """What the page says, its markup taken away."""
        assert self.page is not None
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.page.text)).split())

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx2.Response:
        await self.open("/dashboard/sign-in")
        return await self.send("/dashboard/sign-in", email=email, password=password)


@dataclass
class Office:
    """A dashboard and the people of one organization."""

    running: ServiceUnderTest
    visitors: list[Visitor] = field(default_factory=list)

    def visitor(self) -> Visitor:
        """A browser in which nobody is signed in."""
        transport = httpx2.ASGITransport(create_dashboard(self.running.service), raise_app_exceptions=False)
        visitor = Visitor(httpx2.AsyncClient(transport=transport, base_url="https://dashboard.test"))
        self.visitors.append(visitor)
        return visitor

    async def member(self, role: Role = Role.OWNER, *, organization_id: str | None = None) -> Member:
        """Somebody new with this role."""
        member_id = ids.new_id(ids.MEMBER)
        organization = organization_id or self.running.organization_id
        now = self.running.clock()
        member = Member(member_id, organization, f"{member_id}@example.com", f"A {role}", role, now)
        async with self.running.service.database.begin() as transaction:
            assert await members_store.add_member(transaction, member, HASH)
        return member

    async def signed_in(self, role: Role = Role.OWNER) -> Visitor:
        """A browser in which somebody with this role is signed in."""
        member, visitor = await self.member(role), self.visitor()
        await visitor.sign_in(member.email)
        await visitor.follow()
        return visitor

    async def first_token(self) -> str:
        """The token with which an organization's first administrator comes."""
        async with self.running.service.database.begin() as transaction:
            someone = await self.member()
            organization = await members.organization_of(transaction, someone)
            return await members.offer_first_administrator(
                transaction, organization, self.running.service.secrets, now=self.running.clock()
            )

    async def close(self) -> None:
        for visitor in self.visitors:
            await visitor.client.aclose()
