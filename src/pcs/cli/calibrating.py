"""What `pcs evaluate --reviewer --calibrate` adds: how often a model was right by what it said, counted and kept.

The trap: a case that stands in two files, counted twice; goods count once a schedule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pcs.cli.assessed import AssessedOutcome
from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.proportion import Proportion
from pcs.reviewer.calibration import FEWEST, Tally, Word, keep_calibration, word_of
from pcs.reviewer.model import AssessmentLimits
from pcs.tariff.revision import ScheduleName

_LEVELS = {"4": 4, "6": 6, "whole": None}

Said = dict[ScheduleName, dict[Word, list[CaseOutcome]]]
"""Under each schedule the answers of which a model said each word."""


def said(assessed: Iterable[AssessedOutcome]) -> Said:
    """The answers by what the model said of them; those without a usable reply, and of which it was not asked, are
    left out."""
    found: Said = defaultdict(lambda: defaultdict(list))
    met = set[tuple[ScheduleName, str]]()
    for one in assessed:
        case, word = one.before.case, one.record and word_of(one.record)
        goods = (case.schedule, case.product.text)
        if word and goods not in met:
            found[case.schedule][word].append(one.after)
            met.add(goods)
    return found


def keep(folder: Path, limits: AssessmentLimits, found: Said) -> None:
    """Keep in a data folder what was counted of enough cases. Raises OperatorError."""
    counted = {
        schedule: {word: _tally(answers) for word, answers in words.items() if len(answers) >= FEWEST}
        for schedule, words in found.items()
    }
    keep_calibration(folder, limits, counted)


def as_json(found: Said) -> dict[str, Any]:
    """For programs: by schedule and word the cases, and where they are enough the shares right with their intervals."""
    return {schedule: {word: _figures(answers) for word, answers in words.items()} for schedule, words in found.items()}


def as_markdown(found: Said) -> str:
    """For people."""
    lines = [
        f"| schedule | the model | cases | {' | '.join(f'right at {level}' for level in _LEVELS)} |",
        "|---" * 6 + "|",
    ]
    for schedule, words in sorted(found.items()):
        for word in (word for word in Word if word in words):
            answers = words[word]
            shares = (
                map(_in_words, _proportions(answers).values()) if len(answers) >= FEWEST else ["too few"] * len(_LEVELS)
            )
            lines.append(f"| {schedule} | {word} | {len(answers)} | {' | '.join(shares)} |")
    return "\n".join([*lines, "", f"Kept is what has {FEWEST} cases or more; the service reads it when it starts."])


def _proportions(answers: Sequence[CaseOutcome]) -> dict[str, Proportion]:
    return {
        level: Proportion(sum(one.is_right(digits) for one in answers), len(answers))
        for level, digits in _LEVELS.items()
    }


def _tally(answers: Sequence[CaseOutcome]) -> Tally:
    four, six, whole = (found.right for found in _proportions(answers).values())
    return Tally(cases=len(answers), four=four, six=six, whole=whole)


def _figures(answers: Sequence[CaseOutcome]) -> dict[str, Any]:
    if len(answers) < FEWEST:
        return {"cases": len(answers), "right": None}
    right: Mapping[str, Any] = {
        level: {"share": found.share, "interval": found.interval} for level, found in _proportions(answers).items()
    }
    return {"cases": len(answers), "right": right}


def _in_words(found: Proportion) -> str:
    low, high = found.interval
    return f"{found.share:.0%} ({low:.0%} to {high:.0%})"
