"""Opens what the engine stands on, each part kept in the cache once it was made: what can be counted in the knowledge
pack, counted by a process of its own; what its questions ask for; what a revision's provisions say. The trap: a part
that is opened again though what it came from has changed; each is named after all of that."""

from __future__ import annotations

import logging
from pathlib import Path

from pcs.engine.arrays import Arrays
from pcs.engine.counting.apart import count_apart
from pcs.engine.counting.lessons import pack_lessons
from pcs.engine.counting.making import DRIFT, Lessons, Progress, made, origin
from pcs.engine.kept import digest_of, kept, pack_digest, program_digest
from pcs.engine.law import ReadLaw, law_of
from pcs.engine.questions import Question, questions_in, values_from, values_in
from pcs.engine.trained import Trained
from pcs.engine.trained_file import trained_path
from pcs.tariff.code import Code
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.pack import knowledge

_log = logging.getLogger(__name__)
_VERSIONS = 2  # this version's folder and, while processes are replaced, the one before
_REVISIONS = 6  # of two schedules and their starters, and the ones before
_READS = ("pcs.base", "pcs.engine", "pcs.tariff")  # what changes how a provision or a question is read


def open_trained(
    data_dir: Path, cache_dir: Path, progress: Progress = lambda _: None, *, lessons: Lessons | None = None
) -> Trained:
    """The parts that the data folder holds, or else those that ship, over the pack's lessons, or over these.

    Raises DamagedError, and CountingError where the process that counts was ended.
    """
    path = trained_path(data_dir)

    def here() -> Arrays:
        return made(path, progress, lessons or pack_lessons)

    def apart(folder: Path) -> None:
        count_apart(path, folder, progress)

    arrays = kept(cache_dir / f"trained-{origin(path)}", here, None if lessons else apart, most=_VERSIONS)
    if arrays[DRIFT].any():
        _log.warning("The knowledge pack says something else than when the engine was trained: run `pcs train`.")
    return Trained.from_arrays(arrays)


def open_questions(cache_dir: Path) -> dict[Code, tuple[Question, ...]]:
    """The questions that the knowledge pack has for each heading."""
    folder = cache_dir / f"questions-{digest_of([program_digest(*_READS), pack_digest()])}"
    values = kept(folder, lambda: values_in(knowledge()), most=_VERSIONS)
    return questions_in(knowledge(), values_from(values))


def open_law(cache_dir: Path, schedule: Schedule) -> ReadLaw:
    """What a revision's provisions say, as goods are compared with them."""
    tree = "\n".join(f"{node.code} {node.parent} {node.declarable} {node.text}" for node in schedule.nodes)
    folder = cache_dir / f"law-{digest_of([program_digest(*_READS), tree.encode()])}"
    return ReadLaw.from_arrays(kept(folder, lambda: law_of(schedule).arrays(), most=_REVISIONS))
