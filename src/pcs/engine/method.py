"""Everything an analysis stands on, opened once and shared: one revision, what was indexed of it and of the pack. The
trap: an analysis must use one revision from start to end, so this never changes after it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pcs.engine.retrieval.lexical import LexicalIndex, lexical_index
from pcs.engine.text import words
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Node, Schedule
from pcs.tariff.starter.pack import ChapterKnowledge, HeadingKnowledge


@dataclass(frozen=True)
class Method:
    """One schedule with its index. `owners[d]` is the place of document d's line in `lines`."""

    schedule: Schedule
    lines: tuple[Node, ...]
    index: LexicalIndex
    owners: npt.NDArray[np.int32]


def build_method(schedule: Schedule, pack: Sequence[ChapterKnowledge] = ()) -> Method:
    """Index a revision's whole paths, and the pack's goods and titles under the lines they lead to."""
    lines = schedule.lines
    places: dict[str | None, int] = {line.code: place for place, line in enumerate(lines)}
    documents = [words(" ".join(step.text for step in schedule.path(line))) for line in lines]
    owners = list(range(len(lines)))
    for chapter in pack:
        for heading in chapter.headings:
            for code, text in _goods(schedule.revision.schedule, heading):
                if code in places:
                    documents.append(words(text))
                    owners.append(places[code])
    return Method(schedule, lines, lexical_index(documents), np.array(owners, dtype=np.int32))


def _goods(name: ScheduleName, heading: HeadingKnowledge) -> list[tuple[str | None, str]]:
    is_us = name is ScheduleName.US_HTS
    titles = heading.us_lines if is_us else heading.eu_lines
    examples = [(example.us if is_us else example.eu, example.text) for example in heading.examples]
    return [*examples, *((code, f"{heading.title} {title}") for code, title in titles.items())]
