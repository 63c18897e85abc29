"""`pcs train`, top to bottom: vocabulary, headings, lines, then, on goods held back from a second set of models, the
weights of choice. The trap: weighing evidence on goods the models have seen, where the models are always right."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.sparse as sp

from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.count import count, line_of
from pcs.engine.counting.lessons import Lesson, LessonKind, digest, lessons, shop_lessons
from pcs.engine.learned import Learned, MadeFrom, SharedWeights
from pcs.engine.method import Method, build_method
from pcs.engine.product import Product
from pcs.engine.ranking.choice import EVIDENCE, ChoiceWeights, TaughtChoice, fit_choice
from pcs.engine.ranking.deciding import answers_decide, decided
from pcs.engine.ranking.ranker import line_evidence, read
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.engine.trained import Trained
from pcs.engine.training.rounding import rounded, unrounded
from pcs.engine.training.shared import Fitted, fit_shared
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.brands import ShopKnowledge
from pcs.tariff.starter.pack import ChapterKnowledge

_REHEARSED = (
    3  # one lesson in three: what is asked is often unlike all that was taught, and it takes a third of the time
)
_MOST_CASES = 6_000  # held-back goods per schedule that are weighed; bounds the time
_WORDS_KEPT = 0.5  # share of words left in a thinned good: real names say less than our examples
_NOISE = 8  # words of other goods added to a noisy one: real listings say much that is beside the point

Progress = Callable[[str], None]


def train(
    pack: Sequence[ChapterKnowledge],
    schedules: Mapping[ScheduleName, Schedule],
    *,
    shops: Sequence[ShopKnowledge] = (),
    rulings: Sequence[Lesson] = (),
    progress: Progress = lambda _: None,
) -> Learned:
    """What is learned for these schedules. The same input gives the same, to the byte."""
    ours, taught = _taught(pack, shops, rulings, progress)
    progress("learning from one lesson in three")
    kept, held_back = _split(taught.lessons)
    rehearsal = _rehearsal(taught.of(kept))
    choices = {}
    for name, schedule in schedules.items():
        progress(f"weighing evidence on held-back goods, {name}")
        method = build_method(schedule, rehearsal, pack)
        goods = list(_cases(held_back, name))[:_MOST_CASES]
        choices[name] = fit_choice(list(_choices(goods, method)))
    progress("learning from all goods")
    shared = _learned(taught, progress)
    revisions = {str(name): schedule.revision.name for name, schedule in schedules.items()}
    return Learned(MadeFrom(digest(ours), revisions, len(rulings)), shared, choices, tuple(rulings))


def train_on(
    before: Learned,
    pack: Sequence[ChapterKnowledge],
    *,
    shops: Sequence[ShopKnowledge] = (),
    rulings: Sequence[Lesson] = (),
    progress: Progress = lambda _: None,
) -> Learned:
    """What was learned before with what changed in the lessons since: the shared model goes on from its weights, the
    weights of choice stay. The same input gives the same, to the byte."""
    ours, taught = _taught(pack, shops, rulings, progress)
    progress("learning what changed")
    shared = _learned(taught, progress, unrounded(before.shared, taught.vectoriser.vocabulary))
    made_from = replace(before.made_from, lessons=digest(ours), rulings=len(rulings))
    return Learned(made_from, shared, before.choices, tuple(rulings))


@dataclass(frozen=True)
class _Taught:
    """Lessons as numbers, a row of the matrix each."""

    lessons: Sequence[Lesson]
    vectoriser: Vectoriser
    matrix: sp.csr_matrix

    def of(self, places: Sequence[int]) -> Self:
        """Those at these places."""
        return replace(self, lessons=[self.lessons[place] for place in places], matrix=self.matrix[places])


def _taught(
    pack: Sequence[ChapterKnowledge], shops: Sequence[ShopKnowledge], rulings: Sequence[Lesson], progress: Progress
) -> tuple[list[Lesson], _Taught]:
    """The lessons that ship, and all that are taught as numbers."""
    ours = [*lessons(pack), *shop_lessons(shops)]
    every = [*ours, *rulings]
    progress("reading words")
    return ours, _Taught(every, *fit_corpus([lesson.text for lesson in every]))


def _learned(taught: _Taught, progress: Progress = lambda _: None, before: Fitted | None = None) -> SharedWeights:
    """The shared model of these lessons, going on from what was learned before."""
    weights = np.array([lesson.weight for lesson in taught.lessons])
    codes = [lesson.heading for lesson in taught.lessons], [lesson.subheading for lesson in taught.lessons]
    fitted = fit_shared(taught.matrix, *codes, weights, before)
    progress("rounding what was learned")
    return rounded(fitted, taught.vectoriser.vocabulary, taught.matrix)


def _rehearsal(taught: _Taught) -> Trained:
    counted = count(taught.lessons, taught.vectoriser, taught.matrix)
    classes = counted.headings.classes, counted.subheadings.classes
    flat = {name: ChoiceWeights((1.0,) + (0.0,) * (len(EVIDENCE) - 1)) for name in ScheduleName}
    return Trained(counted, _learned(taught).over(taught.vectoriser.vocabulary, *classes), flat)


def _split(taught: Sequence[Lesson]) -> tuple[list[int], list[Lesson]]:
    """The places of the rehearsal's lessons, and the example goods that are held back from it, in an order of no
    meaning."""
    order = list(range(len(taught)))
    random.Random(0).shuffle(order)  # noqa: S311 - a fixed seed is the point
    kept = set(order[::_REHEARSED])
    back = [taught[place] for place in order if place not in kept and taught[place].kind is LessonKind.EXAMPLE]
    return sorted(kept), back


def _cases(held_back: Sequence[Lesson], name: ScheduleName) -> Iterator[tuple[str, Code]]:
    """Each held-back good that has a line in this schedule: one in three as it is, one thinned, one with noise."""
    chance = random.Random(1)  # noqa: S311 - a fixed seed is the point
    noise = [word for lesson in held_back[:2_000] for word in lesson.text.split()]
    for place, lesson in enumerate(held_back):
        code = line_of(lesson, name)
        if code is None:
            continue
        said = lesson.text.split()
        if place % 3 == 1:
            said = [word for word in said if chance.random() < _WORDS_KEPT] or said
        elif place % 3 == 2:
            said = [*said, *chance.sample(noise, _NOISE)]
        yield " ".join(said), code


def _choices(goods: Sequence[tuple[str, Code]], method: Method) -> Iterator[TaughtChoice]:
    heads = {heading.code: heading for heading in method.headings}
    for text, code in goods:
        heading = heads.get(code.heading)
        codes = [] if heading is None else [line.code for line in method.lines[heading.start : heading.stop]]
        if heading is not None and len(codes) > 1 and code in codes:
            query = read(Product(text), method)
            # Questions of the whole heading alone: narrower ones divide what lies below their scope, and were
            # written with the pack's goods in view, so that they are surer of them than of others'.
            said = [
                found for found in heading.questions.put_to(query.seen.heard) if found.question.scope == heading.code
            ]
            evidence = line_evidence(heading, query.seen, query.overlap, method.name, said)
            given = decided(heading, method, query.seen.said) + answers_decide(heading, said)
            yield TaughtChoice(evidence, given, codes.index(code))
