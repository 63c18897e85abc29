"""One transaction on this installation's database, for commands, and whose organization they mean. The trap: the only
organization there is, guessed where there are two; then it must be named."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.bootstrap import Service, build_service, installation
from pcs.cli.process import require_tables, run
from pcs.organizations import service as organizations

_Answer = TypeVar("_Answer")

OrganizationOption = Annotated[
    str | None, typer.Option("--organization", help="Its id; may be left out where there is only one.")
]


def in_transaction(
    work: Callable[[Service, Transaction], Awaitable[_Answer]], *, data_dir: Path | None = None
) -> _Answer:
    """Run work on this installation's database, in one transaction; `data_dir` where the command line names one."""
    answers: list[_Answer] = []

    async def main(settings: Settings) -> None:
        await require_tables(settings)
        service = build_service(settings)
        try:
            async with service.database.begin() as transaction:
                answers.append(await work(service, transaction))
        finally:
            await service.database.close()

    asked = Settings.from_environment(os.environ)
    with installation(dataclasses.replace(asked, data_dir=data_dir or asked.data_dir)) as settings:
        run(main(settings))
    return answers[0]


async def organization_id(transaction: Transaction, given: str | None) -> str:
    """The organization that was named, or the only one there is. Raises OperatorError."""
    known = [one.id for one in await organizations.list_organizations(transaction)]
    if given is None and len(known) == 1:
        return known[0]
    if given in known:
        return given
    if not known:
        msg = 'There is no organization yet: `pcs admin create-organization "Your company"`.'
    elif given:
        msg = f"There is no organization {given}: `pcs admin list-organizations` shows their ids."
    else:
        msg = "Say which organization: --organization ID (`pcs admin list-organizations` shows their ids)."
    raise OperatorError(msg)
