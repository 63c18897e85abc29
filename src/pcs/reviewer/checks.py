"""The checked last step: is the answer a line of the revision, does each citation exist, was it shown, does it still
hold? The trap: a check that repairs silently; what is wrong is said to the model once, and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pcs.base.text import shortened
from pcs.engine.product import Product
from pcs.reviewer.answers import AssessmentAnswer, PartsRule, SaidFact
from pcs.reviewer.lookups import Lookups
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.ruling import Ruling, RulingStatus
from pcs.tariff.schedule import Node

_LONGEST_REFERENCE = 80
_PARTS_NOTE = re.compile(r"\bparts?\b", re.IGNORECASE)


def line_of(lookups: Lookups, code: str) -> Node | None:
    """The declarable line that a model's code names; None where there is none."""
    try:
        node = lookups.law.schedule.get(Code.parse(code))
    except InvalidCodeError:
        return None
    usable = node is not None and node.declarable and node.code and node.code[:2] not in {"98", "99"}
    return node if usable else None


def problems(verdict: AssessmentAnswer, lookups: Lookups, dropped: Counter[str]) -> list[str]:
    """What is wrong with a verdict, in sentences for the model; what it invented is counted by kind."""
    line = line_of(lookups, verdict.code)
    if line is None or line.code is None:
        dropped["code"] += 1
        return ["`code` is not a declarable line of this revision: give all the digits of a line that you were shown."]
    found = []
    if line.code not in lookups.codes:
        dropped["code"] += 1
        found.append(f"{line.code} was not shown to you: open it, or choose a line that you were shown.")
    found += _about_rulings(verdict, lookups, line.code, dropped)
    found += _about_notes(verdict, lookups, dropped)
    return found


def supporting(verdict: AssessmentAnswer, lookups: Lookups) -> list[Ruling]:
    """The rulings of a verdict that passed its check, in its order, each once."""
    found = (lookups.law.rulings.get(reference) for reference in verdict.rulings)
    return list({ruling.reference: ruling for ruling in found if ruling is not None}.values())


def grounded_facts(facts: Sequence[SaidFact], product: Product, dropped: Counter[str]) -> list[SaidFact]:
    """The facts whose quotes the product's text holds; the others are counted."""
    said = _folded(product.text)
    kept = [fact for fact in facts if fact.quote.strip() and _folded(fact.quote) in said]
    if len(kept) < len(facts):
        dropped["fact"] += len(facts) - len(kept)
    return kept


def as_shown(verdict: AssessmentAnswer, lookups: Lookups) -> AssessmentAnswer:
    """A checked verdict without the notes that were only named and a rule on parts that is not one."""
    notes = _shown(verdict.notes, lookups)
    return verdict.model_copy(update={"notes": notes, "parts_rule": _kept(verdict, notes, lookups)})


def shown_notes(references: Sequence[str], lookups: Lookups, dropped: Counter[str]) -> list[str]:
    """The notes that were shown; the others are counted."""
    kept = _shown(references, lookups)
    if len(kept) < len(set(references)):
        dropped["note"] += len(set(references)) - len(kept)
    return kept


def _shown(references: Sequence[str], lookups: Lookups) -> list[str]:
    """The notes that were shown, each once, in order."""
    return [reference for reference in dict.fromkeys(references) if reference in lookups.notes]


def _about_rulings(verdict: AssessmentAnswer, lookups: Lookups, code: Code, dropped: Counter[str]) -> Iterator[str]:
    for reference in dict.fromkeys(verdict.rulings):
        ruling = lookups.law.rulings.get(reference)
        if ruling is None or ruling.reference not in lookups.rulings:
            dropped["ruling"] += 1
            yield "`rulings` names a ruling that was not shown to you: leave it out."
        elif ruling.status is RulingStatus.REVOKED:
            dropped["ruling"] += 1
            yield f"Ruling {ruling.reference} is revoked: leave it out."
        elif not any(cited.heading == code.heading for cited in ruling.codes):
            yield f"Ruling {ruling.reference} decided for another heading: leave it out."


def _about_notes(verdict: AssessmentAnswer, lookups: Lookups, dropped: Counter[str]) -> Iterator[str]:
    """A note that there is, and that was only named, is left out; one that there is not is told."""
    shown = shown_notes(verdict.notes, lookups, dropped)
    for reference in dict.fromkeys(verdict.notes):
        if reference not in shown and lookups.law.note(reference) is None:
            yield f"`notes` names {shortened(reference, _LONGEST_REFERENCE)}, which was not shown to you: leave it out."


def _kept(verdict: AssessmentAnswer, notes: Sequence[str], lookups: Lookups) -> PartsRule | None:
    """The rule by which goods are claimed to be parts, where it is one: of this schedule, or a note among those shown
    that speaks of parts. None is asked for: "parts and accessories thereof" covers whole goods too."""
    rule = verdict.parts_rule
    if rule is PartsRule.US_RULE and not lookups.law.name.profile.additional_rules:
        return None
    if rule is PartsRule.NOTE and not any(_speaks_of_parts(lookups, verdict.code, note) for note in notes):
        return None
    return rule


def _speaks_of_parts(lookups: Lookups, code: str, reference: str) -> bool:
    notes = lookups.law.notes_on(code)
    return any(note.reference == reference and _PARTS_NOTE.search(note.text) for note in notes)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
