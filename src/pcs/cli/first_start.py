"""The first organization, administrator and keys. The trap: showing secrets again on a second start, or leaving a first
one half done: all of it is one transaction, and what exists is left alone."""

from __future__ import annotations

from rich.console import Console

from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli.process import operator
from pcs.organizations import audit, members
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey
from pcs.organizations.people import Action


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
        shown.append(("dashboard", f"{service.settings.dashboard_url}/welcome?token={token}"))
        for environment in Environment:
            new = NewKey(tenant=Tenant(first.id, environment), name=f"first {environment} key")
            key, token = await organizations.create_key(transaction, new, service.secrets, now=now)
            detail = f"{key.name} ({environment}, …{key.last_four})"
            who = operator(first.id)
            await audit.record(transaction, who, Action.KEY_CREATED, subject=key.id, detail=detail, now=now)
            shown.append((f"{environment} key", token))
    console.print("[bold]First start.[/] These are shown once; keep them:")
    for what, secret in shown:
        console.print(f"  {what:<14} {secret}", markup=False, soft_wrap=True)
    return first.id
