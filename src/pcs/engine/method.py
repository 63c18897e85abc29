"""Everything an analysis stands on, opened once and shared: one revision, the trained parts and the pack's facts laid
over its lines. The trap: an analysis must use one revision from start to end, so this never changes after it is
built."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.facts import Questions
from pcs.engine.languages.english import InEnglish, Languages
from pcs.engine.law import ReadLaw, law_of
from pcs.engine.legal.exclusions import Exclusions
from pcs.engine.legal.requirements import Requirements
from pcs.engine.product import Product
from pcs.engine.questions import Question, Route, questions_in
from pcs.engine.reading.asked_for import without_question
from pcs.engine.reading.attributes import laid_out, put_back
from pcs.engine.reading.fibre_shares import with_fibre_shares
from pcs.engine.reading.registry_numbers import with_names
from pcs.engine.reading.short_forms import spelled_out
from pcs.engine.retrieval.precedents import Precedents, index_precedents
from pcs.engine.retrieval.provisions import Provisions, lines_by_heading
from pcs.engine.trained import Trained
from pcs.tariff.code import Code
from pcs.tariff.notes import Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Node, Schedule
from pcs.tariff.starter.pack import ChapterKnowledge, substances_in
from pcs.tariff.starter.short_forms import short_forms

UNKNOWN = -1  # a place that is none

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Classes:
    """Where some codes stand among the classes of a model: all of them in `part`, each at a place counted from its
    start, UNKNOWN where it was never seen; `known` are the different places that are known, in order, and `missing`
    says which codes were never seen."""

    part: slice
    places: npt.NDArray[np.int32]
    known: npt.NDArray[np.int32]
    missing: npt.NDArray[np.intp]

    @classmethod
    def of(cls, places: Sequence[int]) -> Self:
        """These places among all classes."""
        held = np.array(places, dtype=np.int32)
        known, missing = np.unique(held[held != UNKNOWN]), np.flatnonzero(held == UNKNOWN)
        if not len(known):
            return cls(slice(0, 0), held, known, missing)
        start, stop = int(known[0]), int(known[-1]) + 1
        inside = np.where(held == UNKNOWN, UNKNOWN, held - start).astype(np.int32)
        return cls(slice(start, stop), inside, known - start, missing)


@dataclass(frozen=True)
class HeadingLines:
    """The declarable lines of one heading: `lines[start:stop]` of the method, and what is known of them.

    `column` is the heading's place among the classes of the models of headings. All others have one entry a line:
    `columns` and `subheadings` its place and its subheading's in theirs, `residual` and `residual_above` how many
    "Other" its path ends in and holds. `codes` are the lines', in order, `six` their subheadings.
    """

    code: Code
    start: int
    stop: int
    column: int
    columns: Classes
    subheadings: Classes
    residual: npt.NDArray[np.float32]
    residual_above: npt.NDArray[np.float32]
    questions: Questions
    codes: tuple[Code, ...]
    six: tuple[Code, ...]

    def below(self, codes: tuple[Code, ...]) -> Bools:
        """For each line whether it lies at or below one of these codes; what was asked once is remembered."""
        found = self._below.get(codes)
        if found is None:
            found = self._below[codes] = np.zeros(len(self.codes), dtype=np.bool_)
            for code in codes:
                first = bisect_left(self.codes, code)
                found[first : bisect_left(self.codes, f"{code}~", first)] = True  # beyond all digits
        return found

    def led_by(self, routes: Iterable[Route]) -> Bools:
        """For each line whether one of these routes leads to it; of no routes one False for all."""
        led: Bools = np.logical_or.reduce([self.below(route.codes) for route in routes])
        return led

    @cached_property
    def usual(self) -> dict[Code, Floats]:
        """What the questions of a scope leave each line below it where none was answered, as a factor; who first weighs
        them keeps it here."""
        return {}

    @cached_property
    def _below(self) -> dict[tuple[Code, ...], Bools]:
        return {}


@dataclass(frozen=True, eq=False)
class Method:
    """One revision of a schedule with all that answers about it.

    `substances` are names by their registry numbers.

    `sister` is the method of the other schedule: the first six digits are the same by treaty (Harmonized System
    Convention, article 3), so headings and subheadings are decided with the evidence of both.
    """

    schedule: Schedule
    trained: Trained
    lines: tuple[Node, ...]
    headings: tuple[HeadingLines, ...]
    provisions: Provisions
    heading_columns: Classes
    heading_starts: npt.NDArray[np.int32]
    exclusions: Exclusions
    requirements: Requirements
    precedents: Precedents
    substances: Mapping[str, str] = field(default_factory=dict)
    languages: Languages | None = None
    sister: Method | None = None

    def in_english(self, product: Product) -> tuple[InEnglish, ...]:
        """The product laid out and in English, the likeliest reading first."""
        return self.rendered(self.laid_out(product))

    def rendered(self, told: Product) -> tuple[InEnglish, ...]:
        """A product that is laid out in English, the likeliest reading first; as it is where no lexicon is at hand."""
        if self.languages is None:
            return (InEnglish(told),)
        found = self.languages.readings(told)
        return tuple(replace(each, product=put_back(each.product, told.attributes)) for each in found)

    def laid_out(self, product: Product) -> Product:
        """The product in plain words: those of its attributes that are known as lines of its description, a substance
        that a number names by its name, short forms and fibres spelled out, and no question around its name."""
        told = with_names(laid_out(product, self.asked) if product.attributes else product, self.substances)
        name, description = (
            with_fibre_shares(spelled_out(text, short_forms())) for text in (told.name, told.description)
        )
        return replace(told, name=without_question(name), description=description)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of the questions of both schedules."""
        ours = {question.key for heading in self.headings for question in heading.questions.asked}
        return frozenset(ours if self.sister is None else ours | self.sister.asked)

    @cached_property
    def places(self) -> dict[Code, int]:
        """Each heading's place in `headings`."""
        return {heading.code: place for place, heading in enumerate(self.headings)}

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """The codes of `headings`."""
        return tuple(heading.code for heading in self.headings)

    @cached_property
    def places_in_sister(self) -> npt.NDArray[np.int32]:
        """Each heading's place among the other schedule's, UNKNOWN where it has none."""
        places = {} if self.sister is None else self.sister.places
        return np.array([places.get(code, UNKNOWN) for code in self.codes], dtype=np.int32)

    @property
    def name(self) -> ScheduleName:
        """Which schedule it is about."""
        return self.schedule.revision.schedule


def build_method(  # noqa: PLR0913 - all that answers stand on
    schedule: Schedule,
    trained: Trained,
    pack: Sequence[ChapterKnowledge],
    *,
    notes: Notes | None = None,
    precedents: Precedents | None = None,
    languages: Languages | None = None,
    law: ReadLaw | None = None,
    asked: Mapping[Code, Sequence[Question]] | None = None,
) -> Method:
    """Lay the trained parts, the pack, the notes and the rulings over a revision. `law` is what its
    provisions say and `asked` each heading's questions, where these were read before.

    Lines that the pack does not know stay reachable by their text.
    """
    lines, law = lines_by_heading(schedule), law or law_of(schedule)
    known = questions_in(pack) if asked is None else asked
    name = schedule.revision.schedule
    places = _Places.of(trained, name)
    headings = []
    for code, group in groupby(range(len(lines)), key=lambda place: str(lines[place].code)[:4]):
        members = list(group)
        questions = Questions(question for question in known.get(Code(code), ()) if question.is_of(name))
        headings.append(_heading(schedule, [lines[place] for place in members], members[0], places, questions))
    return Method(
        schedule=schedule,
        trained=trained,
        lines=lines,
        headings=tuple(headings),
        provisions=law.provisions,
        heading_columns=Classes.of([heading.column for heading in headings]),
        heading_starts=np.array([heading.start for heading in headings], dtype=np.int32),
        exclusions=Exclusions(notes),
        requirements=Requirements(schedule, lines, law.asking, law.affirmed),
        precedents=precedents or index_precedents(()),
        substances=substances_in(pack),
        languages=languages,
    )


@dataclass(frozen=True)
class _Places:
    """Where each code stands among the classes of the trained models."""

    headings: dict[Code, int]
    subheadings: dict[Code, int]
    lines: dict[Code, int]

    @classmethod
    def of(cls, trained: Trained, name: ScheduleName) -> Self:
        models = (trained.headings, trained.subheadings, trained.lines[name])
        return cls(*({code: column for column, code in enumerate(model.classes)} for model in models))


def _heading(
    schedule: Schedule, lines: Sequence[Node], start: int, places: _Places, questions: Questions
) -> HeadingLines:
    codes = [line.code for line in lines if line.code]
    above = [sum(step.is_residual for step in schedule.path(line)) for line in lines]
    return HeadingLines(
        code=codes[0].heading,
        start=start,
        stop=start + len(lines),
        column=places.headings.get(codes[0].heading, UNKNOWN),
        columns=Classes.of([places.lines.get(code, UNKNOWN) for code in codes]),
        subheadings=Classes.of([places.subheadings.get(code.subheading, UNKNOWN) for code in codes]),
        residual=np.array([line.is_residual for line in lines], dtype=np.float32),
        residual_above=np.array(above, dtype=np.float32),
        questions=questions,
        codes=tuple(codes),
        six=tuple(Code.shared(code.subheading) for code in codes),
    )
