"""The first organization, administrator and keys. The trap: showing secrets again on a second start, or leaving a first
one half done: all of it is one transaction, and what exists is left alone."""

from __future__ import annotations

from rich.console import Console

from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli.process import operator
from pcs.organizations import audit, members
from pcs.organizations import service as organizations
from pcs.organizations.model import NewKey
from pcs.organizations.people import Action

_APIS = {Environment.LIVE: "the live API", Environment.TEST: "the sandbox"}


async def ensure_first_organization(service: Service, console: Console) -> bool:
    """Whether this is the first start: an organization is made, where there is none, with two keys and a link.

    The link is its administrator's and works once and for a week; later `pcs admin create-administrator` makes one.
    """
    shown: list[tuple[str, str]] = []
    async with service.database.begin() as transaction:
        if await organizations.list_organizations(transaction):
            return False
        now = service.clock()
        first = await organizations.create_organization(transaction, "First organization", now=now)
        token = await members.offer_first_administrator(transaction, first, service.secrets, now=now)
        shown.append(("the dashboard", f"{service.settings.dashboard_url}/welcome?token={token}"))
        for environment in Environment:
            new = NewKey(tenant=Tenant(first.id, environment), name=f"first {environment} key")
            key, token = await organizations.create_key(transaction, new, service.secrets, now=now)
            detail = f"{key.name} ({environment}, …{key.last_four})"
            who = operator(first.id)
            await audit.record(transaction, who, Action.KEY_CREATED, subject=key.id, detail=detail, now=now)
            shown.append((_APIS[environment], f"export PCS_KEY={token}"))
    console.print("[bold]First start.[/] These are shown once; keep them:")
    for what, secret in shown:
        console.print(f"# {what}\n{secret}", markup=False, soft_wrap=True)
    return True


def show_next_command(settings: Settings, console: Console) -> None:
    """What to do with the key, on one line that nothing cuts."""
    address = f"http://{settings.host}:{settings.live_port}/api/v1/products/classify"
    product = '{"product": {"name": "cotton T-shirt"}, "schedules": ["US-HTS", "EU-CN"]}'
    headers = '-H "Authorization: Bearer $PCS_KEY" -H "Content-Type: application/json"'
    console.print("[bold]Try it[/] in another terminal, with the live key exported:")
    console.print(f"curl -s {address} {headers} -d '{product}'", markup=False, soft_wrap=True)
