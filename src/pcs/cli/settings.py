"""`pcs settings`. The trap: a page about settings that the code has left behind; this one is made from them."""

from __future__ import annotations

import sys

from pcs.base.settings import reference


def command() -> None:
    """Write every setting, its default and what it is for, as Markdown."""
    sys.stdout.write(reference())
