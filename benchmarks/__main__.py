"""`make bench`: every benchmark in one run, as one Markdown table; ends with 1 where a limit is missed."""

from __future__ import annotations

import sys

from benchmarks import dashboard, engine
from benchmarks.table import markdown

if __name__ == "__main__":
    found = [*engine.figures(), *dashboard.figures()]
    print(markdown(found))
    sys.exit(0 if all(figure.holds for figure in found) else 1)
