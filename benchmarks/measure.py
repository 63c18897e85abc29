"""One part of the benchmarks, measured in whatever process asks for it."""

from __future__ import annotations

import importlib
import sys

from benchmarks.table import Figure


def measure(part: str) -> list[Figure]:
    """The figures of one part; each is named as soon as it is known."""
    print(f"measuring {part} ...", file=sys.stderr, flush=True)
    found: list[Figure] = []
    for figure in importlib.import_module(f"benchmarks.{part}").figures():
        found.append(figure)
        print(f"  {figure.what}: {figure.value:.2f} {figure.unit}", file=sys.stderr, flush=True)
    return found
