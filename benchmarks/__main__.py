"""`make bench`: every benchmark in one run, as one Markdown table; ends with 1 where a limit is missed.

`python -m benchmarks requests work` runs some of them."""

from __future__ import annotations

import importlib
import sys

from benchmarks.table import Figure, markdown

PARTS = (
    "requests",
    "work",
    "stored",
    "dashboard",
    "engine",
)  # the engine keeps to one core from then on, so it is last


def run(parts: list[str]) -> list[Figure]:
    """The figures of these parts, in the order given."""
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}.")
    found: list[Figure] = []
    for part in parts:
        print(f"measuring {part} ...", file=sys.stderr, flush=True)
        for figure in importlib.import_module(f"benchmarks.{part}").figures():
            found.append(figure)
            print(f"  {figure.what}: {figure.value:.2f} {figure.unit}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    figures = run(sys.argv[1:] or list(PARTS))
    print(markdown(figures))
    sys.exit(0 if all(figure.holds for figure in figures) else 1)
