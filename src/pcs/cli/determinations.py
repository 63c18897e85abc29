"""One determination on the terminal: in words and tables for people, as JSON for programs.

The trap: two prints that tell different things; both show the reading, each level's confidence, what else is likely and
what is missing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pcs.classifications.documents import plain
from pcs.cli.output import print_table, say, tell
from pcs.engine.determination import Determination, Undetermined
from pcs.engine.reading.understood import Understood
from pcs.engine.result import Result, percent


def as_record(determination: Determination) -> dict[str, Any]:
    """The determination as plain JSON values: the fields of its result, or why there is none."""
    revision, steps = determination.revision, [asdict(step) for step in determination.steps]
    where = {"schedule": revision.schedule, "schedule_revision": revision.name}
    if isinstance(determination.answer, Undetermined):
        missing = determination.answer
        said = asdict(missing)
        return {**where, "code": None, "undetermined": said.pop("reason"), **said, "steps": steps}
    return {**where, **plain(determination.answer), "language": determination.answer.language, "steps": steps}


def show(determination: Determination) -> None:
    """Print it for people."""
    revision, found = determination.revision, determination.answer
    if isinstance(found, Undetermined):
        tell(f"No code. {found.reasoning}")
        _show_reading(found.reading)
        return
    sure = "" if found.confidence is None else f"  confidence {percent(found.confidence)}"
    say(f"{found.code.dotted}{sure}  {revision.schedule} {revision.name}")
    if found.needs_review:
        reliable = f"reliable to {found.confident_digits} digits" if found.confident_digits else "no digit is reliable"
        tell(f"Needs review: {reliable}.")
    _show_reading(found.reading)
    levels = [
        (
            level.code.dotted if level.code else "",
            "" if level.confidence is None else percent(level.confidence),
            f"{'  ' * depth}{level.description}",
        )
        for depth, level in enumerate(found.hierarchy)
    ]
    print_table(("Code", "Confidence", "Description"), levels, text=("Description",), counts=("Confidence",))
    tell(found.reasoning)
    _show_likely(found)
    for other in found.alternatives:
        sure = "" if other.confidence is None else f" ({percent(other.confidence)})"
        tell(f"or {other.code.dotted}{sure}  {other.description}  {other.separated_by}")
    for question in found.missing_information:
        tell(f"not stated: {question}")


def _show_reading(reading: Understood) -> None:
    if reading.rows:
        print_table(("What we understood", ""), reading.rows, text=("",))


def _show_likely(found: Result) -> None:
    for level, likely in (("headings", found.likely_headings), ("subheadings", found.likely_subheadings)):
        if likely:
            tell(f"Likely {level}: {', '.join(code.dotted for code in likely)}")
