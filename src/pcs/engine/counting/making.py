"""From the knowledge pack and the file of what was learned to the arrays that an opening maps. The trap: what changes
them and is no part of the cache's name; `origin` takes in the pack, what was learned and every module that counts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import Stemmer

from pcs.engine.arrays import Arrays
from pcs.engine.counting.lessons import Lesson, digest, pack_lessons
from pcs.engine.kept import digest_of, pack_digest, program_digest
from pcs.engine.learned_file import open_learned
from pcs.engine.trained import Trained
from pcs.engine.trained_file import unsealed

Progress = Callable[[str], None]
Lessons = Callable[[], Sequence[Lesson]]

DRIFT = "drift"
# The modules that this one imports, and theirs; a package stands for all of its own.
COUNTS = (
    "pcs.base.errors",
    "pcs.base.languages",
    "pcs.base.locks",
    "pcs.base.same",
    "pcs.base.text",
    "pcs.engine.arrays",
    "pcs.engine.counting",
    "pcs.engine.languages.letters",
    "pcs.engine.languages.lexicon",
    "pcs.engine.languages.polish",
    "pcs.engine.kept",
    "pcs.engine.learned",
    "pcs.engine.learned_file",
    "pcs.engine.ranking.bayes",
    "pcs.engine.ranking.choice",
    "pcs.engine.ranking.shared",
    "pcs.engine.retrieval.by_term",
    "pcs.engine.retrieval.goods",
    "pcs.engine.retrieval.vectors",
    "pcs.engine.retrieval.vocabulary",
    "pcs.engine.text",
    "pcs.engine.trained",
    "pcs.engine.trained_file",
    "pcs.tariff.changes",
    "pcs.tariff.code",
    "pcs.tariff.correlation",
    "pcs.tariff.harmonized_system",
    "pcs.tariff.profiles",
    "pcs.tariff.registry_numbers",
    "pcs.tariff.revision",
    "pcs.tariff.ruling",
    "pcs.tariff.schedule",
    "pcs.tariff.sources.problem",
    "pcs.tariff.starter.brands",
    "pcs.tariff.starter.lexicon",
    "pcs.tariff.starter.pack",
)

_log = logging.getLogger(__name__)


def made(learned_at: Path, progress: Progress, lessons: Lessons = pack_lessons) -> Arrays:
    """Everything that is taught, as arrays; DRIFT says whether the pack says something else than when `pcs train` ran.

    Raises DamagedError where the file of what was learned is not what was written, PackError for a pack that is not.
    """
    from pcs.engine.counting.corpus import fit_corpus  # noqa: PLC0415 - slow to load, and most processes count nothing
    from pcs.engine.counting.count import count  # noqa: PLC0415 - as above

    learned = open_learned(learned_at)
    _log.info("counting what the knowledge pack teaches, once for this version of it")
    progress("Reading the knowledge pack")
    ours = lessons()
    taught = [*ours, *learned.rulings]
    progress("Counting its words")
    vectoriser, matrix = fit_corpus([lesson.text for lesson in taught])
    progress("Counting what each code's goods say")
    trained = Trained.of(count(taught, vectoriser, matrix), learned)
    return {**trained.arrays(), DRIFT: np.array([digest(ours) != learned.made_from.lessons])}


def origin(learned_at: Path) -> str:
    """The digest of all that the arrays come from. Raises DamagedError."""
    return digest_of([Stemmer.version().encode(), unsealed(learned_at), pack_digest(), program_digest(*COUNTS)])
