"""The sandbox's analysis: simulated, and the same for the same product on every day and machine: the code is the one
that the starter schedule has for the goods, whatever is loaded.

The trap: a simulated answer that could pass for a real one; its reasoning says what it is, and nobody scored it."""

from __future__ import annotations

import dataclasses
import hashlib
from enum import StrEnum

from pcs.classifications.model import Analyse, Failure, FailureCode
from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.placeholders import is_placeholder
from pcs.engine.product import Product
from pcs.engine.result import Alternative, Level, OpenQuestion, Result
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

_EDITION = "simulated"
_REASONING = "This is the sandbox: a simulated result, from the starter schedule. Do not declare the product by it."
_NO_GOODS = "This is the sandbox: nothing in the product's name or description says what the goods are."


class Scenario(StrEnum):
    """A product identifier that makes the sandbox behave in a certain way."""

    FAIL = "sbx-fail"
    FAIL_INSUFFICIENT = "sbx-fail-insufficient"
    SLOW = "sbx-slow"
    TIMEOUT = "sbx-timeout"
    LOW_CONFIDENCE = "sbx-low-confidence"
    RATE_LIMIT = "sbx-rate-limit"

    @property
    def promise(self) -> str:
        """What happens."""
        return _PROMISES[self]

    @property
    def failure(self) -> Failure | None:
        """How the classification fails, None where it does not."""
        return _FAILURES.get(self)


_PROMISES = {
    Scenario.FAIL: "The classification fails with CLASSIFICATION_ERROR.",
    Scenario.FAIL_INSUFFICIENT: "The classification fails with INSUFFICIENT_INFORMATION.",
    Scenario.SLOW: "The classification stays in `processing` for a while longer, then completes.",
    Scenario.TIMEOUT: "The classification fails with CLASSIFICATION_TIMEOUT.",
    Scenario.LOW_CONFIDENCE: "The classification completes with a low confidence, alternatives and `needs_review`.",
    Scenario.RATE_LIMIT: "The request itself is answered with 429 RATE_LIMIT_EXCEEDED; nothing is stored.",
}
_FAILURES = {
    Scenario.FAIL: Failure(FailureCode.CLASSIFICATION_ERROR, "This is the sandbox: a simulated failure."),
    Scenario.FAIL_INSUFFICIENT: Failure(
        FailureCode.INSUFFICIENT_INFORMATION, "This is the sandbox: a simulated lack of information."
    ),
    Scenario.TIMEOUT: Failure(FailureCode.CLASSIFICATION_TIMEOUT, "This is the sandbox: a simulated timeout."),
}


_QUESTION = OpenQuestion(
    id="simulated-material",
    text="What is it made of? (simulated)",
    options=("cotton", "leather"),
    slot="main",
    attribute="material",
)


def scenario_of(identifier: str | None) -> Scenario | None:
    """The scenario that a product identifier asks for.

    >>> scenario_of("sbx-fail"), scenario_of("SKU-1")
    (<Scenario.FAIL: 'sbx-fail'>, None)
    """
    return Scenario(identifier) if identifier in set(Scenario) else None


def simulate(
    product: Product, schedule: ScheduleName, scenario: Scenario | None = None, *, starter: Analyse
) -> Determination:
    """An answer of the right shape with the code that the `starter` schedule has for the goods, a sample where it has
    none; for "see invoice" and its like no answer."""
    revision = Revision(schedule, _EDITION, _EDITION)
    if scenario is None and is_placeholder(product.text):
        return Determination(revision, Undetermined(Reason.INSUFFICIENT_INFORMATION, _NO_GOODS))
    found = starter(product, schedule, ()).result
    result = _sample(product, schedule) if found is None else _simulated(found)
    if scenario is Scenario.LOW_CONFIDENCE:
        result = _doubtful(result, schedule)
    return Determination(revision, result)


def _doubtful(sure: Result, schedule: ScheduleName) -> Result:
    others = [answer for answer in schedule.profile.samples if answer[0] != sure.code]
    alternatives = tuple(
        Alternative(Code(code), " > ".join(path), 0.15, "a simulated difference") for code, path in others[:2]
    )
    return dataclasses.replace(
        sure,
        confidence=0.2,
        confident_digits=4,
        alternatives=alternatives,
        missing_information=(_QUESTION.text,),
        questions=(_QUESTION,),
        needs_review=True,
    )


def _simulated(found: Result) -> Result:
    """What is the same in every installation: the line and the way to it. Nobody scored it, and no ruling is cited."""
    return Result(
        code=found.code,
        description=found.description,
        reasoning=_REASONING,
        schedule_revision=_EDITION,
        hierarchy=tuple(Level(level.code, level.description) for level in found.hierarchy),
        gri_applied=found.gri_applied,
        units=found.units,
        reading=found.reading,
    )


def _sample(product: Product, schedule: ScheduleName) -> Result:
    answers = schedule.profile.samples
    code, path = answers[hashlib.sha256(product.text.encode()).digest()[0] % len(answers)]
    return Result(
        code=Code(code),
        description=" > ".join(path),
        reasoning=_REASONING,
        schedule_revision=_EDITION,
        hierarchy=tuple(Level(None, text) for text in path),
        gri_applied=("1", "6"),
    )
