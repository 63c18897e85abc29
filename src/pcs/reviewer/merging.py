"""The engine's result after an assessment. The trap: a reason that nobody found; what is said of it is made of
the line chosen, references that passed the check and words of our own, never of the model's prose."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from pcs.engine.determination import Determination, Step
from pcs.engine.duties import with_duties
from pcs.engine.legal.rules import rules_for
from pcs.engine.product import Product
from pcs.engine.reasoning import divergence
from pcs.engine.result import MOST_ALTERNATIVES, MOST_CITED, Alternative, CitedRuling, Level, Result, percent
from pcs.engine.retrieval.precedents import citation
from pcs.reviewer.answers import AssessmentAnswer, FactName, PartsRule, Sureness
from pcs.reviewer.calibration import Tally
from pcs.reviewer.checks import line_of, supporting
from pcs.reviewer.lookups import Lookups
from pcs.reviewer.model import Fault
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node

_NAMED = "named by the language model among the rulings that it was shown"


def confirmed(engine: Result, verdict: AssessmentAnswer, lookups: Lookups, *, model: str) -> Result:
    """The engine's answer, with what was found beside it; an assessment adds doubt and never takes it away."""
    said = [f"A language model ({model}) assessed this answer and confirmed the code.", *_grounds(verdict, lookups)]
    rulings = _rulings(engine, verdict, lookups, engine.code)
    return dataclasses.replace(
        engine,
        reasoning=" ".join([engine.reasoning, *said]),
        rulings=rulings,
        confident_digits=_known(engine.confident_digits, verdict),
        missing_information=_questions(engine.missing_information, verdict),
        needs_review=engine.needs_review or not verdict.is_certain,
    )


def changed(
    engine: Result, verdict: AssessmentAnswer, lookups: Lookups, *, product: Product, model: str, known: Tally | None
) -> Result:
    """The line that the assessment chose. Its confidence is how often such choices of the model were `known` to be
    right, to the levels where that was counted; where it is not known, it is not scored, and of the digits that both
    share the engine's holds. It needs review."""
    line = line_of(lookups, verdict.code)
    before = line_of(lookups, engine.code)
    assert line is not None
    assert line.code is not None
    schedule = lookups.law.schedule
    path = schedule.path(line)
    of_engine = {level.code: level.confidence for level in engine.hierarchy if level.code}
    shared = max((len(node.code) for node in path if node.code and node.code in of_engine), default=0)
    levels = of_engine if known is None else _levels(known, line.code)
    rules = rules_for(product, path)
    result = dataclasses.replace(
        engine,
        code=line.code,
        description=schedule.description(line),
        reasoning=" ".join(_changed_reasons(engine, verdict, lookups, model, known)),
        hierarchy=tuple(Level(node.code, node.text, levels.get(node.code) if node.code else None) for node in path),
        confidence=known.at(None).middle if known else None,
        confident_digits=_known(min(engine.confident_digits or 0, shared), verdict),
        alternatives=_alternatives(engine, line, before, lookups),
        gri_applied=tuple(rule.number for rule in rules),
        rulings=_rulings(engine, verdict, lookups, line.code),
        missing_information=_questions(engine.missing_information if shared >= 4 else (), verdict),
        needs_review=True,
        units=line.units,
    )
    return with_duties(result, schedule, line, product)


def stood(engine: Result, fault: Fault, *, model: str) -> Result:
    """The engine's answer, marked: an assessment was wanted and came to nothing."""
    mark = (
        f"An assessment by a language model ({model}) gave no usable reply ({fault}); the engine's own answer is kept."
    )
    return dataclasses.replace(engine, reasoning=f"{engine.reasoning} {mark}")


def after(engine: Determination, result: Result, steps: Sequence[Step], last: Step) -> Determination:
    """The engine's determination with what became of its result, and the assessment's steps after the engine's."""
    return dataclasses.replace(engine, answer=result, steps=(*engine.steps, *steps, last))


def _levels(known: Tally, code: Code) -> dict[Code, float | None]:
    """How probable each level of a line is that was counted: heading, subheading and the line."""
    found = {Code(code[:digits]): known.at(digits).middle for digits in (4, 6)}
    return {**found, code: known.at(None).middle}


def _changed_reasons(
    engine: Result, verdict: AssessmentAnswer, lookups: Lookups, model: str, known: Tally | None
) -> Iterator[str]:
    line, before = line_of(lookups, verdict.code), line_of(lookups, engine.code)
    assert line is not None
    assert line.code is not None
    schedule = lookups.law.schedule
    old = engine.code.dotted
    yield f"A language model ({model}) assessed the engine's answer and changed it from {old} to {line.code.dotted}."
    yield f"The line chosen is: {schedule.description(line)}."
    if before is not None:
        yield divergence(schedule.path(line), schedule.path(before)).replace("It would be", "The engine's would be", 1)
    yield from _grounds(verdict, lookups)
    sure = "" if engine.confidence is None else f" with a confidence of {percent(engine.confidence)}"
    yield f"The engine's own answer was {old}{sure}; {_how_right(known)}, so it needs review."
    yield f"The engine's reasoning: {engine.reasoning}"


def _how_right(known: Tally | None) -> str:
    """What is known of the model's choices, for a sentence."""
    if known is None:
        return "the model's choice is not scored"
    return f"of {known.cases} such choices of the model, {known.whole} were right to the last digit in an evaluation"


def _grounds(verdict: AssessmentAnswer, lookups: Lookups) -> Iterator[str]:
    """What the verdict relies on; all of it has passed the check."""
    if verdict.notes:
        yield f"It relies on {', '.join(dict.fromkeys(verdict.notes))}."
    if cited := supporting(verdict, lookups):
        yield f"It cites {', '.join(ruling.reference for ruling in cited)}."
    if verdict.parts_rule is PartsRule.NOT_A_PART:
        yield "The goods are whole, no parts."
    elif verdict.parts_rule:
        named = "the provision itself" if verdict.parts_rule is PartsRule.PROVISION else verdict.parts_rule.value
        yield f"The goods are parts of it by {named}."
    if verdict.facts:
        yield f"Facts that decided: {_listed(verdict.facts)}."
    yield from _doubts(verdict)


def _doubts(verdict: AssessmentAnswer) -> Iterator[str]:
    """What keeps the verdict from being certain."""
    if verdict.contradicted:
        yield f"The description contradicts itself on: {_listed(verdict.contradicted)}."
    if verdict.sureness is Sureness.DOUBTFUL:
        yield "The model is not certain."
    if verdict.known_digits is not None:
        held = f"holds to {verdict.known_digits} digits; those after them depend" if verdict.known_digits else "depends"
        yield f"It {held} on: {_listed(_open(verdict)) or 'facts that the model did not name'}."


def _known(digits: int | None, verdict: AssessmentAnswer) -> int | None:
    """How many digits hold: never more than the facts allow that the model had."""
    return digits if digits is None or verdict.known_digits is None else min(digits, verdict.known_digits)


def _questions(asked: Sequence[str], verdict: AssessmentAnswer) -> tuple[str, ...]:
    """The engine's questions, and one for each fact that the model misses or found stated in two ways."""
    twofold = (f"Stated in ways that cannot both be true: {fact.value}?" for fact in verdict.contradicted)
    absent = (f"Not stated, and could change the code: {fact.value}?" for fact in verdict.missing)
    return tuple(dict.fromkeys([*asked, *twofold, *absent]))


def _open(verdict: AssessmentAnswer) -> list[FactName]:
    """The facts on which the last digits depend."""
    return [*verdict.contradicted, *verdict.missing]


def _listed(facts: Sequence[FactName]) -> str:
    return "; ".join(fact.value for fact in dict.fromkeys(facts))


def _alternatives(engine: Result, line: Node, before: Node | None, lookups: Lookups) -> tuple[Alternative, ...]:
    """The engine's answer first, then its own alternatives without the line chosen."""
    schedule = lookups.law.schedule
    path = schedule.path(line)
    parting = divergence(path, schedule.path(before)) if before is not None else ""
    first = Alternative(engine.code, engine.description, engine.confidence, parting)
    others = []
    for other in engine.alternatives:
        node = schedule.get(other.code)
        if node is not None and other.code != line.code:
            others.append(dataclasses.replace(other, separated_by=divergence(path, schedule.path(node))))
    return (first, *others)[:MOST_ALTERNATIVES]


def _rulings(engine: Result, verdict: AssessmentAnswer, lookups: Lookups, code: Code) -> tuple[CitedRuling, ...]:
    """The rulings that the assessment cites, then those of the engine that decided for the same heading."""
    chosen = [citation(ruling, _NAMED) for ruling in supporting(verdict, lookups)]
    kept = [ruling for ruling in engine.rulings if any(cited.heading == code.heading for cited in ruling.codes)]
    return tuple({ruling.reference: ruling for ruling in [*chosen, *kept]}.values())[:MOST_CITED]
