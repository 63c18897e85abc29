"""`pcs decisions`: what an organization has decided, in from a file, listed, forgotten. The trap: a row left out in
silence; each is named, with what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.paging import Page, Slice
from pcs.base.plurals import counted
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli.options import AsJson
from pcs.cli.output import print_json, print_table, say, say_aside
from pcs.cli.process import operator
from pcs.cli.product_files import is_json_lines
from pcs.cli.transactions import OrganizationOption, in_transaction, organization_id
from pcs.decisions import service as decisions
from pcs.decisions.files import LIMITS, DecisionTable, read_decisions
from pcs.decisions.importing import Import
from pcs.decisions.model import KeptDecision
from pcs.decisions.standing import standing
from pcs.decisions.store import Filters
from pcs.engine.decided import Standing
from pcs.organizations import audit
from pcs.organizations.people import Action
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName

app = typer.Typer(help="What you have decided: import, list, remove.", no_args_is_help=True)
_SHOWN = 20
Sandbox = Annotated[bool, typer.Option("--sandbox", help="The sandbox's decisions, not the live ones.")]


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="CSV, XLSX or JSON Lines.", exists=True, dir_okay=False)],
    *,
    schedule: Annotated[
        ScheduleName | None, typer.Option(help="The schedule of rows that name none.", case_sensitive=False)
    ] = None,
    sandbox: Sandbox = False,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Keep the codes of a file (identifier, name, description, code, schedule): the same goods get them from now on."""
    try:
        with file.open("rb") as opened:
            table = read_decisions(opened, LIMITS, otherwise=schedule, json_lines=is_json_lines(file))
            found = in_transaction(
                lambda service, transaction: _keep(service, transaction, table, organization, sandbox)
            )
    except SpreadsheetError as error:
        msg = f"{file.name} {error}."
        raise OperatorError(msg) from error
    if as_json:
        print_json(dict(found.counts) | {"problems": found.problems})
        return
    for problem in found.problems[:_SHOWN]:
        say_aside(problem)
    if (more := len(found.problems) - _SHOWN) > 0:
        say_aside(f"And {counted(more, 'more row is', 'more rows are')} left out: --json names all.")
    told = f"{counted(found.counts['added'], 'decision')} added, {found.counts['changed']:,} changed"
    gone = counted(found.counts["not_in_force"], "has", "have")
    say(f"{told}, {found.counts['left_out']:,} left out; {gone} a code that the loaded revision lacks.")


@app.command("list")
def list_(  # noqa: PLR0913 - a command takes what its user may say
    *,
    schedule: Annotated[ScheduleName | None, typer.Option(help="Only of this one.", case_sensitive=False)] = None,
    code: Annotated[str, typer.Option(help="A code or its first digits.")] = "",
    contradicted: Annotated[bool, typer.Option("--contradicted", help="Only those that contradict others.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to show.")] = 40,
    cursor: Annotated[str | None, typer.Option(help="Continue after this decision.")] = None,
    sandbox: Sandbox = False,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """List what was decided, newest first."""
    filters = Filters(schedule, code.replace(".", ""), None, contradicted)

    async def work(service: Service, transaction: Transaction) -> tuple[Page[KeptDecision], list[Standing]]:
        tenant = await _tenant(transaction, organization, sandbox)
        page = await decisions.list_page(transaction, tenant, filters, Slice(limit, cursor))
        return page, [standing(service.library, one) for one in page.items]

    page, standings = in_transaction(work)
    rows = [_cells(*each) for each in zip(page.items, standings, strict=True)]
    if as_json:
        print_json({"data": [dict(zip(_TITLES, row, strict=True)) for row in rows], "next_cursor": page.next_after})
        return
    print_table(tuple(title.capitalize() for title in _TITLES), rows, text=("Name",))
    if page.next_after:
        say(f"There are more: --cursor {page.next_after}")


@app.command()
def remove(
    decision_id: Annotated[str, typer.Argument(help="The id that `pcs decisions list` shows.")],
    *,
    sandbox: Sandbox = False,
    organization: OrganizationOption = None,
) -> None:
    """Forget a decision: from now on it counts for nothing."""

    async def work(service: Service, transaction: Transaction) -> None:
        tenant = await _tenant(transaction, organization, sandbox)
        await decisions.remove(transaction, tenant, decision_id)
        who = operator(tenant.organization_id)
        now = service.clock()
        await audit.record(transaction, who, Action.DECISION_FORGOTTEN, subject=decision_id, now=now)

    in_transaction(work)
    say(f"{decision_id} is forgotten.")


_TITLES = ("id", "schedule", "code", "standing", "identifier", "name", "source", "decided", "contradicted")


def _cells(one: KeptDecision, stands: Standing) -> tuple[str, ...]:
    decided = one.decided
    whose = (one.id, decided.schedule, decided.code.dotted, stands, decided.goods.identifier or "", decided.goods.name)
    return (*whose, decided.source, f"{one.decided_at:%Y-%m-%d}", "yes" if one.contradicted else "")


async def _keep(
    service: Service,
    transaction: Transaction,
    table: DecisionTable,
    organization: str | None,
    sandbox: bool,  # noqa: FBT001
) -> Import:
    tenant, now = await _tenant(transaction, organization, sandbox), service.clock()
    who = operator(tenant.organization_id)
    found = Import(table, service.library, by=who.name)
    while part := found.next_part():
        async with service.database.begin() as apart:
            found.kept(await decisions.remember(apart, tenant, part, now=now))
    await audit.record(transaction, who, Action.DECISIONS_KEPT, detail=found.detail, now=now)
    return found


async def _tenant(transaction: Transaction, organization: str | None, sandbox: bool) -> Tenant:  # noqa: FBT001
    environment = Environment.TEST if sandbox else Environment.LIVE
    return Tenant(await organization_id(transaction, organization), environment)
