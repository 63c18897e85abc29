"""Proves the knowledge pack against official schedules. The trap: a label one digit off teaches a wrong code and looks
like any other, so every code, title and good is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pcs.base.languages import language_names
from pcs.tariff.harmonized_system import headings as hs_headings
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.lexicon.rows import LANGUAGES, LexiconRow
from pcs.tariff.starter.pack import ChapterKnowledge, Example, HeadingKnowledge, substances_in

_TELLING = 4  # words; shorter texts are names of things, and anybody writes them alike
_ALIKE = 0.8  # share of words in common from which two texts are the same text


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of something the pack holds."""

    what: str
    held: int
    of: int


def problems(pack: Sequence[ChapterKnowledge], schedules: Mapping[ScheduleName, Schedule]) -> Iterator[str]:
    """Everything that is wrong with the pack, a sentence each."""
    seen: dict[str, tuple[str, Example]] = {}
    numbered: dict[str, str] = {}
    for chapter in pack:
        for heading in chapter.headings:
            yield from _code_problems(heading, schedules)
            for number, substance in heading.substances.items():
                if number in numbered:
                    yield f"{heading.code}: {number} is {substance} here and {numbered[number]} elsewhere."
                numbered[number] = substance
            for example in heading.examples:
                key = " ".join(_words(example.text))
                if key in seen:
                    where, other = seen[key]
                    how = "twice" if other.lines == example.lines else "under another code"
                    yield f"{heading.code}: {example.text!r} stands in {where} too, {how}."
                seen.setdefault(key, (str(heading.code), example))
    for name, schedule in schedules.items():
        six = {line.code.subheading for line in schedule.lines if line.code}
        said = {example.subheading for chapter in pack for heading in chapter.headings for example in heading.examples}
        yield from (f"{code} is not a subheading of {name}." for code in sorted(said - six - {None}, key=str))


def words_of(lexicon: Sequence[LexiconRow]) -> Iterator[Coverage]:
    """How many terms of the lexicon have a word in each language."""
    for language in LANGUAGES:
        held = sum(bool(row.forms[language]) for row in lexicon)
        yield Coverage(f"terms in {language_names()[language]}", held, len(lexicon))


def resembling(pack: Iterable[ChapterKnowledge], cases: Iterable[str]) -> Iterator[str]:
    """The goods of the pack that are, word for word or nearly, one of these texts of at least four words."""
    by_word: dict[str, list[frozenset[str]]] = {}
    for text in cases:
        bag = frozenset(_words(text))
        if len(bag) >= _TELLING:
            for word in bag:
                by_word.setdefault(word, []).append(bag)
    for chapter in pack:
        for heading in chapter.headings:
            for example in heading.examples:
                bag = frozenset(_words(example.text))
                near = {other for word in bag for other in by_word.get(word, ()) if _alike(bag, other)}
                if near:
                    yield f"{heading.code}: {example.text!r} resembles a labelled case."


def coverage(pack: Sequence[ChapterKnowledge], schedules: Mapping[ScheduleName, Schedule]) -> Iterator[Coverage]:
    """What the pack holds of the Harmonized System and of each schedule's lines."""
    headings = [heading for chapter in pack for heading in chapter.headings]
    known = set(hs_headings())
    yield Coverage("headings", len({heading.code for heading in headings} & known), len(known))
    examples = [example for heading in headings for example in heading.examples]
    for name, schedule in schedules.items():
        lines = {str(line.code) for line in schedule.lines}
        titled = {code for heading in headings for code in _titles(heading, name)}
        shown = {_label(example, name) for example in examples}
        six = {line[:6] for line in lines}
        named = {str(code) for heading in headings for code in heading.subheadings}
        named |= {line[:6] for line in titled if sum(other.startswith(line[:4]) for other in six) == 1}
        yield Coverage(f"{name} subheadings with a title", len(six & (named | {code[:6] for code in titled})), len(six))
        yield Coverage(f"{name} lines with a title", len(lines & titled), len(lines))
        yield Coverage(f"{name} lines with an example", len(lines & shown), len(lines))
    numbers = len(substances_in(pack))
    yield Coverage("substances' registry numbers", numbers, numbers)
    yield Coverage("example goods", len(examples), len(examples))
    yield Coverage("of them marked unsure", sum(example.unsure for example in examples), len(examples))


def _code_problems(heading: HeadingKnowledge, schedules: Mapping[ScheduleName, Schedule]) -> Iterator[str]:
    if heading.code not in hs_headings():
        yield f"{heading.code}: no such heading in the Harmonized System."
    for name, schedule in schedules.items():
        labels = {*_titles(heading, name), *(_label(example, name) for example in heading.examples)} - {""}
        yield from (problem for label in sorted(labels) for problem in _label_problems(heading, label, schedule))
    for fact in heading.facts:
        codes = (fact.scope, *(code for branch in fact.branches for code in branch.codes))
        outside = [code for code in codes if not heading.code.covers(code)]
        yield from (f"{heading.code}: the fact {fact.name!r} leads outside the heading, to {code}." for code in outside)


def _label_problems(heading: HeadingKnowledge, label: str, schedule: Schedule) -> Iterator[str]:
    node = schedule.get(label)
    if node is None or not node.declarable:
        revision = schedule.revision
        yield f"{heading.code}: {label} is not a declarable line of {revision.schedule} {revision.name}."
    elif not heading.code.covers(label):
        yield f"{heading.code}: {label} stands under the wrong heading."


def _titles(heading: HeadingKnowledge, name: ScheduleName) -> set[str]:
    return {str(code) for code in heading.lines.get(name, {})}


def _label(example: Example, name: ScheduleName) -> str:
    return str(example.lines[name.column] or "")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)
