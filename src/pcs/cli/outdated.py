"""`pcs schedules outdated`: classifications that a new revision makes outdated. The trap: a hundred thousand lines on a
terminal; they are shown page by page, and the last line says how to get the next."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.paging import Slice
from pcs.base.plurals import counted
from pcs.bootstrap import Service
from pcs.classifications.outdated import OutdatedClassification, OutdatedPage, outdated_classifications
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir
from pcs.cli.output import print_json, print_table, say
from pcs.cli.transactions import in_transaction
from pcs.schedules.model import UnknownRevisionError
from pcs.schedules.service import Revisions
from pcs.tariff.changes import Changes
from pcs.tariff.revision import ScheduleName


def command(  # noqa: PLR0913 - a command takes what its user may say
    name: Annotated[ScheduleName, typer.Argument(help="US-HTS or EU-CN.", case_sensitive=False)],
    before: Annotated[str, typer.Argument(help="An edition as `pcs schedules list` shows it.")],
    after: Annotated[str, typer.Argument(help="A later edition.")],
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to show.")] = 40,
    cursor: Annotated[str | None, typer.Option(help="Continue after this classification.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List completed classifications, of every organization, whose code was removed or reworded between revisions."""
    changes = _changes(Revisions(data_dir), name, before, after)

    async def work(_: Service, transaction: Transaction) -> OutdatedPage:
        return await outdated_classifications(transaction, None, changes, Slice(limit, cursor))

    page = in_transaction(work, data_dir=data_dir)
    if as_json:
        rows = [_plain(one) for one in page.found.items]
        print_json({"total": page.total, "data": rows, "next_cursor": page.found.next_after})
        return
    _print(page)
    say(_summary(changes, page))


def _changes(revisions: Revisions, name: ScheduleName, before: str, after: str) -> Changes:
    try:
        return revisions.changes(name, before, after)
    except UnknownRevisionError as error:
        raise OperatorError(str(error)) from error


def _plain(one: OutdatedClassification) -> dict[str, Any]:
    return asdict(one.classification) | {"change": one.change.kind.value, "successors": list(one.change.successors)}


def _print(page: OutdatedPage) -> None:
    rows = []
    for one in page.found.items:
        found, change = one.classification, one.change
        now = ", ".join(code.dotted for code in change.successors) or change.after
        whose = found.tenant.organization_id, found.tenant.environment.value, found.product_name
        rows.append((found.id, *whose, found.code.dotted, change.kind.value, now))
    if rows:
        columns = ("Classification", "Organization", "Where", "Product", "Code", "Change", "Now")
        print_table(columns, rows, text=("Product", "Now"))


def _summary(changes: Changes, page: OutdatedPage) -> str:
    names = f"{changes.after.schedule} {changes.before.name} to {changes.after.name}"
    told = f"{names}: {counted(len(changes.outdated), 'code')} removed or reworded;"
    rest = f"{counted(page.total, 'completed classification')} affected."
    more = f" Next: --cursor {page.found.next_after}" if page.found.next_after else ""
    return f"{told} {rest}{more}"
