"""`pcs admin remove-second-factor`. The trap: an operator who is talked into it; the audit log of the organization says
that it was done."""

from __future__ import annotations

from typing import Annotated

import typer

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.bootstrap import Service
from pcs.cli.options import AsJson
from pcs.cli.output import print_json, say
from pcs.cli.process import operator
from pcs.cli.transactions import in_transaction
from pcs.organizations import members, second_factors


def remove_second_factor(
    email: Annotated[str, typer.Argument(help="The address that they sign in with.")], *, as_json: AsJson = False
) -> None:
    """Let a member who lost their second factor sign in by their password alone."""

    async def work(service: Service, transaction: Transaction) -> str:
        found = await members.find_by_email(transaction, email)
        if found is None:
            msg = f"There is no member with the e-mail address {email}: see Members in the dashboard."
            raise OperatorError(msg)
        member = found[0]
        await second_factors.remove(transaction, operator(member.organization_id), member, now=service.clock())
        return member.email

    removed = in_transaction(work)
    if as_json:
        print_json({"email": removed})
    else:
        say(f"{removed} signs in without a second factor now.")
