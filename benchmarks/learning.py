"""What more goods would bring: accuracy with a quarter, half and all of the pack's lessons, on goods of the pack that
are held back from all of them and on labelled cases, `python -m benchmarks.learning CASES.jsonl ...`. PCS_DATA_DIR
names the data folder with the schedules that are asked.

The trap: a share of the goods with the weights and terms of all of them; vocabulary, naive Bayes, near goods and the
shared model are each made of the share alone. What shares keep is what the whole pack's training chose: the weights of
choice between lines."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from pcs.base.settings import Settings
from pcs.engine.classify import classify
from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.count import count, line_of
from pcs.engine.counting.lessons import Lesson, LessonKind, pack_lessons
from pcs.engine.learned import Learned
from pcs.engine.learned_file import open_learned
from pcs.engine.method import Method, build_method
from pcs.engine.product import Product
from pcs.engine.trained import Trained
from pcs.engine.trained_file import SHIPPED
from pcs.engine.training.rounding import rounded
from pcs.engine.training.shared import fit_shared
from pcs.evaluation.cases import Case, read_cases
from pcs.evaluation.metrics import SetFigures, summarise
from pcs.evaluation.run import run
from pcs.schedules.library import Library
from pcs.tariff.revision import ScheduleName

SHARES = (0.25, 0.5, 1.0)
HELD_BACK = 2_000


def taught(lessons: Sequence[Lesson], learned: Learned) -> Trained:
    """All that is made of these lessons, with the weights of choice of `learned`."""
    vectoriser, matrix = fit_corpus([lesson.text for lesson in lessons])
    weights = np.array([lesson.weight for lesson in lessons])
    codes = [lesson.heading for lesson in lessons], [lesson.subheading for lesson in lessons]
    shared = rounded(fit_shared(matrix, *codes, weights), vectoriser.vocabulary, matrix)
    return Trained.of(count(lessons, vectoriser, matrix), replace(learned, shared=shared))


def methods(library: Library, trained: Trained) -> dict[ScheduleName, Method]:
    """The method of each schedule's current revision, each with the other beside it."""
    own = {
        name: build_method(library.schedule(name), trained, library.pack, notes=library.notes(name))
        for name in ScheduleName
    }
    sisters = {name: name.profile.sister for name in ScheduleName}
    return {
        name: replace(method, sister=own[ScheduleName(sister)]) if (sister := sisters[name]) else method
        for name, method in own.items()
    }


def measured(cases: Sequence[Case], by_schedule: dict[ScheduleName, Method], name: str) -> SetFigures:
    """The figures of a set."""
    return summarise(
        list(
            run(
                track(cases, description=name, console=Console(stderr=True)),
                lambda case: classify(case.product, by_schedule[case.schedule]),
            )
        )
    )


def held_back(lessons: Sequence[Lesson]) -> tuple[list[Lesson], dict[str, list[Case]]]:
    """The lessons without some goods drawn at random, and these as cases of each schedule under which their line is
    known."""
    goods = [lesson for lesson in lessons if lesson.kind is LessonKind.EXAMPLE and lesson.weight == 1]
    drawn = random.Random(1).sample(goods, HELD_BACK)
    texts = {lesson.text for lesson in drawn}
    sets = {
        f"held back, {name}": [
            Case(f"held back {place}", name, Product(lesson.text), code)
            for place, lesson in enumerate(drawn)
            if (code := line_of(lesson, name)) is not None
        ]
        for name in ScheduleName
    }
    return [lesson for lesson in lessons if lesson.text not in texts], sets


def main(files: Sequence[str]) -> None:
    """Print a row a set and share: exact first answers at 4, 6 and all digits, in percent."""
    library = Library(Settings.from_environment(os.environ).data_dir)
    lessons, sets = held_back(pack_lessons())
    sets |= {Path(file).stem: read_cases(Path(file)) for file in files}
    learned = open_learned(SHIPPED)
    order = list(range(len(lessons)))
    random.Random(0).shuffle(order)
    print("| lessons | set | 4 digits | 6 digits | full code |\n" + "|---" * 5 + "|")
    for share in SHARES:
        kept = sorted(order[: round(share * len(order))])
        by_schedule = methods(library, taught([lessons[place] for place in kept], learned))
        for name, cases in sets.items():
            found = measured(cases, by_schedule, name)
            right = [f"{100 * found.first[digits].value:.1f}" for digits in (4, 6)]
            print(f"| {len(kept):,} | {name} | {' | '.join(right)} | {100 * found.exact.value:.1f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
