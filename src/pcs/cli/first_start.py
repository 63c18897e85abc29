"""The first organization, administrator and keys. The trap: showing secrets again on a second start, or leaving a first
one half done: all of it is one transaction, and what exists is left alone."""

from __future__ import annotations

from rich.console import Console

from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.organizations import members
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey


async def ensure_first_organization(service: Service, console: Console) -> str:
    """The first organization's id; made, where there is none, with two keys and a link for its administrator.

    The link works once and for a week; afterwards `pcs admin create-administrator` makes one.
    """
    shown: list[tuple[str, str]] = []
    async with service.database.begin() as transaction:
        known = await organizations.list_organizations(transaction)
        if known:
            return known[0].id
        now = service.clock()
        first = await organizations.create_organization(transaction, "First organization", now=now)
        token = await members.offer_first_administrator(transaction, first, service.secrets, now=now)
        shown.append(("dashboard", f"{dashboard_address(service.settings)}/welcome?token={token}"))
        for environment in Environment:
            new = NewKey(tenant=Tenant(first.id, environment), name=f"first {environment} key")
            _, token = await organizations.create_key(transaction, new, service.secrets, now=now)
            shown.append((f"{environment} key", token))
    console.print("[bold]First start.[/] These are shown once; keep them:")
    for what, secret in shown:
        console.print(f"  {what:<14} {secret}", markup=False, soft_wrap=True)
    return first.id


def dashboard_address(settings: Settings) -> str:
    """Where the dashboard is, as seen from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 (read, not bound)
    return f"http://{host}:{settings.live_port}/dashboard"
