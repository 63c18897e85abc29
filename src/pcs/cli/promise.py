"""`pcs admin promise`: what an organization promises of the answers that nobody looks at. The trap: a share read as a
percentage; 95 is refused, 0.95 is meant."""

from __future__ import annotations

from typing import Annotated

import typer

from pcs.base.database import Transaction
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli.options import AsJson, a_number
from pcs.cli.output import say
from pcs.cli.process import operator
from pcs.cli.transactions import OrganizationOption, in_transaction, organization_id
from pcs.evaluation.promise import Promise
from pcs.promises import service as promises
from pcs.promises.model import FEWEST_RIGHT, LEAST_SHARE, MOST_RIGHT, USUAL_SHARE, PromiseReport, PromiseTerms
from pcs.promises.words import broken_words, promise_words, threshold_words
from pcs.wire.promises import PromiseOutput

app = typer.Typer(help="How right the answers must be that nobody looks at: set, show, withdraw.", no_args_is_help=True)
Sandbox = Annotated[bool, typer.Option("--sandbox", help="The sandbox's promise, not the live one.")]


@app.command("set")
def set_(
    *,
    right: Annotated[
        float, typer.Option(min=FEWEST_RIGHT, max=MOST_RIGHT, callback=a_number, help="The share that is right.")
    ] = 0.95,
    digits: Annotated[int, typer.Option(help="To how many digits: 4, 6, 8 or 10.")] = 6,
    asked_share: Annotated[
        float,
        typer.Option(
            min=LEAST_SHARE, max=1, callback=a_number, help="The share of answers, drawn by chance, to be asked about."
        ),
    ] = USUAL_SHARE,
    sandbox: Sandbox = False,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Promise how often answers that nobody looks at are right; reviews of a random share say from where on."""
    wanted = PromiseTerms(Promise(right, digits), asked_share)

    async def work(service: Service, transaction: Transaction) -> PromiseReport:
        tenant = await _tenant(transaction, organization, sandbox=sandbox)
        return await promises.put(transaction, tenant, operator(tenant.organization_id), wanted, now=service.clock())

    _print(in_transaction(work), as_json=as_json)


@app.command()
def show(*, sandbox: Sandbox = False, organization: OrganizationOption = None, as_json: AsJson = False) -> None:
    """Show what is promised and what reviews bear of it under each schedule."""

    async def work(_: Service, transaction: Transaction) -> PromiseReport:
        return await promises.get(transaction, await _tenant(transaction, organization, sandbox=sandbox))

    _print(in_transaction(work), as_json=as_json)


@app.command()
def withdraw(*, sandbox: Sandbox = False, organization: OrganizationOption = None) -> None:
    """Promise nothing from now on; the fixed threshold decides again what needs review."""

    async def work(service: Service, transaction: Transaction) -> None:
        tenant = await _tenant(transaction, organization, sandbox=sandbox)
        await promises.withdraw(transaction, tenant, operator(tenant.organization_id), now=service.clock())

    in_transaction(work)
    say("Nothing is promised any more.")


async def _tenant(transaction: Transaction, organization: str | None, *, sandbox: bool) -> Tenant:
    environment = Environment.TEST if sandbox else Environment.LIVE
    return Tenant(await organization_id(transaction, organization), environment)


def _print(report: PromiseReport, *, as_json: bool) -> None:
    if as_json:
        say(PromiseOutput.of(report).model_dump_json(indent=1))
        return
    say(promise_words(report.terms))
    say(f"{report.terms.asked_share * 100:g} % of the answers, drawn by chance, wait for a person to look.")
    for one in report.schedules:
        say(f"{one.schedule}: {threshold_words(one)}")
        if one.broken is not None:
            say(f"{one.schedule}: {broken_words(one.broken)}")
