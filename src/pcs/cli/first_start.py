"""The first organization, administrator and keys. The trap: showing secrets again on a second start, or leaving a first
one half done: all of it is one transaction, and what exists is left alone."""

from __future__ import annotations

import secrets

from rich.console import Console

from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.organizations import passwords
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey, Role

ADMINISTRATOR = "admin@example.com"


async def ensure_first_organization(service: Service, console: Console) -> str:
    """The first organization's id; made with an administrator and two keys, each shown once, where there is none."""
    password = secrets.token_urlsafe(18)
    shown: list[tuple[str, str]] = []
    async with service.database.begin() as transaction:
        known = await organizations.list_organizations(transaction)
        if known:
            return known[0].id
        now = service.clock()
        first = await organizations.create_organization(transaction, "First organization", now=now)
        hashed = passwords.hashed(password)
        await organizations.create_member(
            transaction, first.id, email=ADMINISTRATOR, password_hash=hashed, role=Role.OWNER, now=now
        )
        shown.append(("administrator", f"{ADMINISTRATOR}  {password}"))
        for environment in Environment:
            new = NewKey(tenant=Tenant(first.id, environment), name=f"first {environment} key")
            _, token = await organizations.create_key(transaction, new, service.secrets, now=now)
            shown.append((f"{environment} key", token))
    console.print("[bold]First start.[/] These are shown once; keep them:")
    for what, secret in shown:
        console.print(f"  {what:<14} {secret}", markup=False)
    return first.id
