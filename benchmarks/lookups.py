"""Look-ups of 200 headings of all chapters of each loaded schedule, as a reviewer's model has them: `python -m
benchmarks.lookups`. Ends with 1 where one is cut, lacks a line or lacks a passage of a note that names its heading.

The trap: what is missing is not seen by who reads a look-up; it is compared with the schedule and the notes themselves.
The schedules and notes of PCS_DATA_DIR are used; lines that were folded are looked up where the look-up says that."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pcs.base.settings import Settings
from pcs.reviewer.law import Law, LawOf
from pcs.reviewer.lookups import Found, Lookups
from pcs.reviewer.loop import LONGEST_RESULT
from pcs.reviewer.prompts import data
from pcs.schedules.library import Library
from pcs.tariff.notes import NoteFamily
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Node

HEADINGS = 200
FOLDED = " lines below]"


@dataclass(frozen=True)
class Checked:
    """What was found of one heading's look-up."""

    code: str
    characters: int
    calls: int
    missing: list[str]

    @property
    def is_cut(self) -> bool:
        """Whether the loop would cut it."""
        return self.characters > LONGEST_RESULT


def main() -> int:
    """Look up, compare, print."""
    library = Library(Settings.from_environment(os.environ).data_dir)
    law_of, faults = LawOf(library), 0
    print(
        "| schedule | headings | characters, median (most) | cut | with more than one call | lacking |\n|" + "---|" * 6
    )
    for name in ScheduleName:
        law = law_of(name)
        found = [_checked(law, node) for node in _drawn(law)]
        sizes = [one.characters for one in found]
        cut, lacking = [one for one in found if one.is_cut], [one for one in found if one.missing]
        spread = f"{statistics.median(sizes):,.0f} ({max(sizes):,})"
        more = sum(one.calls > 1 for one in found)
        print(f"| {name} | {len(found)} | {spread} | {len(cut)} | {more} | {len(lacking)} |")
        for one in lacking:
            print(f"\n{one.code} lacks {', '.join(one.missing[:5])}", file=sys.stderr)
        faults += len(cut) + len(lacking)
    return 1 if faults else 0


def _drawn(law: Law) -> list[Node]:
    """Headings of all chapters: each chapter's first, then those that fill up, evenly."""
    headings = [
        node for node in law.schedule.nodes if node.code and len(node.code) == 4 and node.code[:2] not in {"98", "99"}
    ]
    first = {str(node.code)[:2]: node for node in reversed(headings)}
    rest = [node for node in headings if node not in first.values()]
    wanted = HEADINGS - len(first)
    return [*first.values(), *(rest[place * len(rest) // wanted] for place in range(min(wanted, len(rest))))]


def _checked(law: Law, heading: Node) -> Checked:
    lookups, code = Lookups(law), str(heading.code)
    shown = [lookups.look_up_code(code)]
    waiting = list(_folded(shown[0]))
    while waiting:
        opened = lookups.look_up_code(waiting.pop())
        shown.append(opened)
        waiting += _folded(opened)
    below = {entry.split()[0] for each in shown for entry in each["children"]} | {code}
    lines = [str(line.code) for line in law.schedule.lines_below(heading) if line.code not in below]
    texts = "\n".join(note["text"] for note in shown[0]["notes"])
    passages = [label for label, text in _naming(law, code) if text not in texts]
    return Checked(code, max(len(data(each)) for each in shown), len(shown), lines + passages)


def _folded(shown: Found) -> Iterator[str]:
    return (entry.split()[0] for entry in shown["children"] if entry.endswith(FOLDED))


def _naming(law: Law, code: str) -> Iterator[tuple[str, str]]:
    """The passages of binding notes that speak of this heading, or of what is below it, by name."""
    for note in law.notes.notes if law.notes else ():
        if note.family is NoteFamily.EXPLANATORY:
            continue
        for part in note.paragraphs:
            if any(len(target) >= len(code) and target.startswith(code) for target in part.applies_to):
                yield f"{note.reference} {part.label}", part.text


if __name__ == "__main__":
    sys.exit(main())
