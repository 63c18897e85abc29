"""The facts that decide below a heading, as the pack states them, found in what was said. The trap: a fact that was not
said is unknown; it may have a usual value, but it is never treated as said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pcs.engine.text import words
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import Fact, HeadingKnowledge

_EVERYWHERE = "HS"


@dataclass(frozen=True, slots=True)
class Route:
    """Values of a fact, as stems in order and as written, and the codes they lead to."""

    phrases: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]
    codes: tuple[Code, ...]

    def said_in(self, stems: Sequence[str], bag: frozenset[str]) -> str | None:
        """The first of the values that was said, None where none was."""
        for phrase, value in zip(self.phrases, self.values, strict=True):
            if phrase and phrase[0] in bag and _contains(stems, phrase):
                return value
        return None

    def leads_to(self, code: str) -> bool:
        """Whether the line lies at or below one of the codes."""
        return code.startswith(self.codes)


@dataclass(frozen=True, slots=True)
class Question:
    """One deciding fact below `scope`: its routes, and the usual one where it is not said."""

    scope: Code
    name: str
    routes: tuple[Route, ...]
    usual: Route | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with what was said: the routes taken (several if several were said), and the words."""

    question: Question
    taken: tuple[Route, ...]
    said: tuple[str, ...]


def questions(heading: HeadingKnowledge, system: str) -> tuple[Question, ...]:
    """The questions of a heading for one schedule ("US-HTS" or "EU-CN")."""
    return tuple(_question(fact) for fact in heading.facts if fact.system in {_EVERYWHERE, system})


def answer(asked: Iterable[Question], text: str) -> tuple[Answered, ...]:
    """Each question with what the text says to it."""
    stems = words(text)
    bag = frozenset(stems)
    found = []
    for question in asked:
        hits = [(route, said) for route in question.routes if (said := route.said_in(stems, bag))]
        found.append(Answered(question, tuple(route for route, _ in hits), tuple(said for _, said in hits)))
    return tuple(found)


def _question(fact: Fact) -> Question:
    routes = [
        Route(tuple(tuple(words(value)) for value in branch.values), branch.values, branch.codes)
        for branch in fact.branches
    ]
    usual = next((route for route in routes if not route.values), None)
    return Question(fact.scope, fact.name, tuple(route for route in routes if route.values), usual)


def _contains(stems: Sequence[str], phrase: tuple[str, ...]) -> bool:
    if len(phrase) == 1:
        return True
    return any(tuple(stems[place : place + len(phrase)]) == phrase for place in range(len(stems) - len(phrase) + 1))
