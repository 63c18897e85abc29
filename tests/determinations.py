"""An engine for tests. The trap: worker processes that are killed by the dozen and load a web framework at each start;
this imports no more than it says."""

import dataclasses
import datetime as dt
from typing import Any

from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.engine.reading.understood import MadeOf, Understood
from pcs.engine.result import CitedRuling, Level, Result
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

REVISION = {name: Revision(name, "2026-test", "digest") for name in ScheduleName}
CODES = {ScheduleName.US_HTS: Code("6109100012"), ScheduleName.EU_CN: Code("61091000")}


def determine(product: Product, schedule: ScheduleName) -> Determination:
    """An engine that calls everything a T-shirt, and does not know what a "thing" is."""
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
