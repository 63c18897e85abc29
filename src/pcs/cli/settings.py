"""`pcs settings`. The trap: a page about settings that the code has left behind; this one is made from them."""

from __future__ import annotations

import sys
from dataclasses import asdict

from pcs.base.settings import described, reference
from pcs.cli.options import AsJson
from pcs.cli.output import print_json


def command(*, as_json: AsJson = False) -> None:
    """Write every setting, its default and what it is for, as Markdown."""
    if as_json:
        print_json([asdict(one) for one in described()])
    else:
        sys.stdout.write(reference())
