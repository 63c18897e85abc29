"""Goods that the organization has decided already: its code is the answer, and the engine's own stands beside it.

The trap: a decision that outlives its line; one whose line is gone or reworded is told, and decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pcs.engine.decided import Decided, Sameness, Standing
from pcs.engine.determination import Determination, Step
from pcs.engine.duties import with_duties
from pcs.engine.legal.rules import rules_for
from pcs.engine.product import Product
from pcs.engine.reasoning import divergence
from pcs.engine.result import (
    MOST_ALTERNATIVES,
    Alternative,
    CitedDecision,
    CitedRuling,
    Level,
    Result,
    percent,
)
from pcs.engine.retrieval.votes import NearDecision
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node, Schedule

MOST_PRECEDENTS = 5
_SUREST = 0.99  # a person may have erred


def deciding(decided: Sequence[Decided]) -> tuple[Decided, ...]:
    """The decisions on these very goods whose lines stand, the one that counts first: those under the same identifier
    where there are any, else those on the same text; newest first."""
    standing = [one for one in decided if one.sameness and one.standing is Standing.IN_FORCE]
    standing = [one for one in standing if not one.by_model] or standing  # a person's word comes before a model's
    closest = max((one.sameness for one in standing), default=Sameness.OTHER)
    return tuple(one for one in standing if one.sameness is closest)


def repeated(found: Determination, product: Product, decided: Sequence[Decided], schedule: Schedule) -> Determination:
    """The engine's determination with the code that the organization has decided in the place of its own; `decided` has
    one that is `deciding`."""
    same = deciding(decided)
    chosen, agreeing = same[0], sum(one.code == same[0].code for one in same)
    line = schedule.get(chosen.code)
    assert line is not None
    path = schedule.path(line)
    confidence = round(min(_SUREST, agreeing / len(same)), 4)
    result = Result(
        code=chosen.code,
        description=schedule.description(line),
        reasoning=" ".join(_reasons(same, found, schedule, path)),
        schedule_revision=schedule.revision.name,
        hierarchy=tuple(Level(node.code, node.text, confidence if _scored(node) else None) for node in path),
        confidence=confidence,
        likely_headings=(chosen.code.heading,),
        likely_subheadings=(chosen.code.subheading,),
        alternatives=_alternatives(found.result, line, schedule) if found.result else (),
        gri_applied=tuple(rule.number for rule in rules_for(product, path)),
        rulings=_rulings(found.result, chosen.code) if found.result else (),
        needs_review=agreeing < len(same) or (chosen.by_model and found.code != chosen.code),
        units=line.units,
        reading=found.answer.reading,
        decision=chosen.reference,
        precedents=cited([NearDecision(one, 1.0, 1.0) for one in decided if one.sameness], chosen.code),
    )
    step = Step("look at decisions", f"{chosen.code.dotted} was decided for the same goods ({chosen.reference})")
    answer = with_duties(result, schedule, line, product)
    return replace(found, answer=answer, steps=(*found.steps, step))


def cited(near: Sequence[NearDecision], code: Code) -> tuple[CitedDecision, ...]:
    """Decisions as an answer with this code cites them: those that counted for it first, then the nearest others."""
    shown = [
        CitedDecision(
            reference=one.decided.reference,
            code=one.decided.code,
            goods=one.decided.name,
            decided_at=one.decided.decided_at,
            nearness=one.nearness,
            standing=one.decided.standing,
            applied=one.weight > 0 and one.decided.code == code,
            by_model=one.decided.by_model,
        )
        for one in near
    ]
    return tuple(sorted(shown, key=lambda one: not one.applied)[:MOST_PRECEDENTS])


def _scored(node: Node) -> bool:
    return node.code is not None and len(node.code) >= len("0000")


def _reasons(same: Sequence[Decided], found: Determination, schedule: Schedule, path: Sequence[Node]) -> Iterator[str]:
    chosen = same[0]
    when = f" on {chosen.decided_at:%d %B %Y}".replace(" 0", " ") if chosen.decided_at else ""
    alike = "goods are" if chosen.sameness is Sameness.GOODS else "text is"
    who = "A language model, asked by your organization," if chosen.by_model else "Your organization"
    yield f"{who} decided {chosen.code.dotted} for these goods{when} ({chosen.reference})."
    yield f"The {alike} the same."
    yield f"The line is: {schedule.description(path[-1])}."
    if others := sorted({one.code.dotted for one in same if one.code != chosen.code}):
        yield f"For the same text it also decided {', '.join(others)}: look which holds."
    engine = found.result
    if engine is None:
        yield "The engine itself could not tell what the goods are."
    elif engine.code == chosen.code:
        yield f"The engine itself finds the same code. {engine.reasoning}"
    else:
        sure = "" if engine.confidence is None else f" with a confidence of {percent(engine.confidence)}"
        yield f"The engine's own answer was {engine.code.dotted}{sure}."


def _alternatives(engine: Result, line: Node, schedule: Schedule) -> tuple[Alternative, ...]:
    """The engine's answer first, where it is another, then its own alternatives without the line decided."""
    path = schedule.path(line)
    own = Alternative(engine.code, engine.description, None, "")
    kept = (one for one in (own, *engine.alternatives) if one.code != line.code)
    nodes = ((one, schedule.get(one.code)) for one in kept)
    return tuple(
        replace(one, confidence=None, separated_by=divergence(path, schedule.path(node)))
        for one, node in nodes
        if node is not None
    )[:MOST_ALTERNATIVES]


def _rulings(engine: Result, code: Code) -> tuple[CitedRuling, ...]:
    """The engine's rulings that decided for the same heading."""
    return tuple(one for one in engine.rulings if any(cited.heading == code.heading for cited in one.codes))
