"""An engine for tests. The trap: worker processes that are killed by the dozen and load a web framework at each start;
this imports no more than it says."""

import datetime as dt

from pcs.engine.determination import CitedRuling, Determination, Level, Undetermined
from pcs.engine.product import Product
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

REVISION = {name: Revision(name, "2026-test", "digest") for name in ScheduleName}
CODES = {ScheduleName.US_HTS: Code("6109100012"), ScheduleName.EU_CN: Code("61091000")}


def determine(product: Product, schedule: ScheduleName) -> Determination:
    """An engine that calls everything a T-shirt, and does not know what a "thing" is."""
    if product.name == "thing":
        reasoning = "Nothing is said about the goods."
        undetermined = Undetermined.INSUFFICIENT_INFORMATION
        return Determination(REVISION[schedule], None, "", reasoning, undetermined=undetermined)
    ruling = CitedRuling("N123456", dt.date(2024, 5, 6), "A T-shirt", (CODES[schedule],), "valid", None, "same goods")
    return Determination(
        revision=REVISION[schedule],
        code=CODES[schedule],
        description="T-shirts, knitted > Of cotton",
        reasoning="It is a T-shirt.",
        hierarchy=(Level(Code("6109"), "T-shirts, knitted", 0.9),),
        confidence=0.9,
        rulings=(ruling,),
    )
