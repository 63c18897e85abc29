"""An engine for tests. The trap: worker processes that are killed by the dozen and load a web framework at each start;
this imports no more than it says."""

import dataclasses
import datetime as dt
from typing import Any

from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.engine.reading.understood import MadeOf, Understood
from pcs.engine.result import CitedRuling, Level, OpenQuestion, Result
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

REVISION = {name: Revision(name, "2026-test", "digest") for name in ScheduleName}
CODES = {ScheduleName.US_HTS: Code("6109100012"), ScheduleName.EU_CN: Code("61091000")}

OUTER = OpenQuestion(
    "4202-outer-surface", "What is the outer surface?", ("leather", "cotton"), "outer", "outer surface"
)
VALUE = OpenQuestion("420221-value", "What is the value?", ("up to 20 USD", "over 20 USD"), "value", "value")


def determine(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """An engine that calls everything a T-shirt, does not know what a "thing" is, and asks about a "Coffee mug"."""
    revision = REVISION[schedule]
    if product.name == "thing":
        nothing = Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said about the goods.")
        return Determination(revision, nothing)
    ruling = CitedRuling("N123456", dt.date(2024, 5, 6), "A T-shirt", (CODES[schedule],), "valid", None, "same goods")
    result = Result(
        code=CODES[schedule],
        description="T-shirts, knitted > Of cotton",
        reasoning="It is a T-shirt.",
        schedule_revision=revision.name,
        hierarchy=(Level(Code("6109"), "T-shirts, knitted", 0.9),),
        confidence=0.9,
        likely_headings=(Code("6109"), Code("6205")),
        likely_subheadings=(Code("610910"),),
        rulings=(ruling,),
        questions=(OUTER, VALUE) if product.name == "Coffee mug" else (),
        reading=Understood("t-shirt", (MadeOf("", "cotton", 60.0),), denied=("printed",)),
    )
    return Determination(revision, result)


def result_of(determination: Determination) -> Result:
    """The result of a determination that has one."""
    assert determination.result is not None
    return determination.result


def with_result(determination: Determination, **changed: Any) -> Determination:
    """The same with other values in its result."""
    return dataclasses.replace(determination, answer=dataclasses.replace(result_of(determination), **changed))


def ask(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that asks until it knows the outer surface."""
    if dict(product.attributes).get("outer surface"):
        return with_result(determine(product, schedule), confidence=0.76)
    asked = {"confidence": 0.28, "needs_review": True, "questions": (OUTER, VALUE)}
    return with_result(determine(product, schedule), missing_information=(OUTER.text, VALUE.text), **asked)
