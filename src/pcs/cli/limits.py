"""`pcs admin set-rate-limit` and `set-credit-limit`. The trap: a limit left out by mistake; what holds then is said."""

from __future__ import annotations

from typing import Annotated

import typer

from pcs.base.database import Transaction
from pcs.base.plurals import counted
from pcs.bootstrap import Service
from pcs.cli.options import AsJson
from pcs.cli.output import print_json, say
from pcs.cli.process import operator
from pcs.cli.transactions import OrganizationOption, in_transaction, organization_id
from pcs.organizations import limits
from pcs.organizations import service as organizations
from pcs.organizations.limits import MOST_CREDITS, MOST_REQUESTS


def set_rate_limit(
    key_id: Annotated[str, typer.Argument(help="The key's id, `key_…`: `pcs admin list-keys` shows it.")],
    limit: Annotated[
        int | None,
        typer.Argument(min=1, max=MOST_REQUESTS, help="Requests a minute; left out, PCS_RATE_LIMIT_PER_MINUTE holds."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Set how many requests a minute a key may send, from its next request on."""

    async def work(service: Service, transaction: Transaction) -> tuple[str, int]:
        owner = await organizations.organization_of_key(transaction, key_id)
        key = await limits.set_rate_limit(transaction, operator(owner), key_id, limit, now=service.clock())
        return key.name, key.rate_limit or service.settings.rate_limit_per_minute

    name, allowed = in_transaction(work)
    if as_json:
        print_json({"id": key_id, "rate_limit_per_minute": allowed})
    else:
        say(f"{name} may send {counted(allowed, 'request')} a minute.")


def set_credit_limit(
    limit: Annotated[
        int | None,
        typer.Argument(min=0, max=MOST_CREDITS, help="Credits in all, those consumed included; left out, no limit."),
    ] = None,
    *,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Set how many credits an organization may consume in all, from its next request on."""

    async def work(service: Service, transaction: Transaction) -> tuple[str, str]:
        who = operator(await organization_id(transaction, organization))
        changed = await limits.set_credit_limit(transaction, who, limit, now=service.clock())
        return changed.id, changed.name

    changed, name = in_transaction(work)
    if as_json:
        print_json({"id": changed, "credit_limit": limit})
    elif limit is None:
        say(f"{name} has no credit limit.")
    else:
        say(f"{name} may consume {counted(limit, 'credit')} in all.")
