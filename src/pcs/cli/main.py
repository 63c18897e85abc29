"""`pcs`: the root of every command. The trap: importing all of them to run one; only the one that is asked for is."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from pcs.base.errors import InvalidRequestError, OperatorError, RefusalError

_COMMANDS = {
    "up": "Start everything: database, both APIs, workers.",
    "serve": "Serve one environment's API.",
    "work": "Run one worker.",
    "migrate": "Bring the database to this version's tables.",
    "backup": "Back up everything into one file.",
    "restore": "Set up a new installation from a backup.",
    "admin": "Organizations, administrators and API keys.",
    "classify": "Give a product its tariff code, without a server.",
    "audit": "Compare the codes that goods are filed under with those found.",
    "schedules": "Official schedules: import, list, check, promote.",
    "rulings": "Official rulings: import, list.",
    "decisions": "What you have decided: import, list, remove.",
    "evaluate": "Measure accuracy on labelled cases.",
    "train": "Retrain the engine.",
    "prepare": "Count what the knowledge pack teaches, before the first start.",
    "settings": "List every setting.",
    "listen": "Receive events on this machine, as they happen.",
    "trigger": "Have an event happen in the sandbox.",
    "openapi": "Write the interface's OpenAPI document, to make clients from.",
}


def main() -> None:
    """Run the command line; what its user can mend is said in one sentence."""
    asked_for = _asked_for(sys.argv[1:])
    if asked_for != "train":  # one product is too little to share out: a second thread of matrix routines only spins
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        build(asked_for)()
    except (OperatorError, RefusalError) as error:
        said = Text.assemble(("pcs:", "bold red"), " ", _told(error))
        Console(stderr=True, highlight=False, soft_wrap=True).print(said)
        sys.exit(1)


def _told(error: OperatorError | RefusalError) -> str:
    if isinstance(error, InvalidRequestError):
        return "; ".join(f"{one.field} {one.message}" for one in error.violations)
    return str(error)


def build(asked_for: str | None) -> typer.Typer:
    """The command tree with one real command, and only names and help of the others; None makes all of them real."""
    app = typer.Typer(
        name="pcs",
        cls=_InOurWords,
        help="Tariff codes for products, with the rulings and the reasoning behind them.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    for name, help_text in _COMMANDS.items():
        if importlib.util.find_spec(f"pcs.cli.{name}") is None:
            continue
        if asked_for in (None, name):
            _register(app, name)
        else:
            app.command(name, help=help_text)(_named)
    return app


class _InOurWords(TyperGroup):
    """The root, which says what is wrong with an option as the API says it of a field, where Typer uses Pydantic's
    words."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (the library's)
        """Run the command that was asked for. Raises BadParameter."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as refusal:
            from pydantic import ValidationError  # noqa: PLC0415 (a command that is typed well need not wait for it)

            from pcs.http.violations import told  # noqa: PLC0415

            if isinstance(refusal.__cause__, ValidationError):
                refusal.message = told(refusal.__cause__.errors()[0])
            raise


def _show_version(asked: bool) -> None:  # noqa: FBT001 (Typer calls it so)
    if asked:
        typer.echo(f"pcs {importlib.metadata.version('pcs')}")
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Tariff codes for products, with the rulings and the reasoning behind them."""


def _named() -> None:
    """A command that is listed and not imported."""


def _register(app: typer.Typer, name: str) -> None:
    """Add a module's `app` as a group, or its `command`."""
    module = importlib.import_module(f"pcs.cli.{name}")
    if hasattr(module, "app"):
        app.add_typer(module.app, name=name)
    else:
        app.command(name)(module.command)


def _asked_for(arguments: list[str]) -> str | None:
    """The command on the command line, "" for none; None where the shell asks what could be completed."""
    if "_PCS_COMPLETE" in os.environ:
        return None
    return next((argument for argument in arguments if argument in _COMMANDS), "")


if __name__ == "__main__":
    main()
