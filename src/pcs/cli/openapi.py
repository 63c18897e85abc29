"""`pcs openapi`. The trap: a document that needs a running service to be read; linters and generators take a file."""

from __future__ import annotations

from typing import Annotated

import typer

from pcs.cli.output import print_json
from pcs.http.app import described


def command(
    *,
    server: Annotated[
        str | None, typer.Option(help="The address that clients call, such as `https://pcs.example.com`.")
    ] = None,
) -> None:
    """Write the OpenAPI document as JSON; a running service serves the same at `/openapi.json`."""
    document = described().openapi()
    print_json(document | ({"servers": [{"url": server}]} if server else {}))
