"""The starter schedules: our own titles as a US and an EU tree, for a machine without official data. The trap: a line
the pack does not hold is not made up, so answers go only as deep as the pack does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule, build
from pcs.tariff.starter.pack import ChapterKnowledge, HeadingKnowledge


def starter_schedule(name: ScheduleName, pack: Iterable[ChapterKnowledge]) -> Schedule:
    """The tree our titles make for one schedule; its edition is "starter-" and a digest of its content."""
    rows = [row for chapter in pack for row in _chapter_rows(name, chapter)]
    content = "\n".join(f"{row.depth}\t{row.code}\t{row.text}" for row in rows)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return build(Revision(name, f"starter-{digest[:8]}", digest), rows)


def _chapter_rows(name: ScheduleName, chapter: ChapterKnowledge) -> Iterator[PublishedRow]:
    yield PublishedRow(chapter.code, 0, chapter.title)
    for heading in chapter.headings:
        yield from _heading_rows(name, heading)


def _heading_rows(name: ScheduleName, heading: HeadingKnowledge) -> Iterator[PublishedRow]:
    lines: Mapping[Code, str] = heading.lines.get(name, {})
    yield PublishedRow(heading.code, 1, heading.title)
    for subheading in sorted({*heading.subheadings, *(line.subheading for line in lines)}):
        below = {line: title for line, title in lines.items() if subheading.covers(line)}
        yield PublishedRow(subheading, 2, heading.subheadings.get(subheading, heading.title))
        for line in sorted(below):
            yield PublishedRow(line, 3, below[line], declarable=True)
