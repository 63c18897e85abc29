"""The sandbox's analysis: simulated, and the same for the same product on every day and machine.

The trap: a simulated answer that could pass for a real one; its reasoning says what it is, and nobody scored it."""

from __future__ import annotations

import hashlib

from pcs.engine.determination import Determination, Level
from pcs.engine.product import Product
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

_ANSWERS: dict[ScheduleName, tuple[tuple[str, tuple[str, ...]], ...]] = {
    ScheduleName.US_HTS: (
        ("6109100012", ("T-shirts, knitted", "Of cotton", "Men's")),
        ("8471300100", ("Data processing machines", "Portable, not over 10 kg")),
        ("9403608081", ("Furniture", "Of wood", "Other")),
        ("4202219000", ("Handbags", "Outer surface of leather", "Over $20 each")),
        ("8518302000", ("Headphones and earphones", "Other")),
    ),
    ScheduleName.EU_CN: (
        ("61091000", ("T-shirts, knitted", "Of cotton")),
        ("84713000", ("Data processing machines", "Portable, not over 10 kg")),
        ("94036010", ("Furniture", "Of wood, for dining and living rooms")),
        ("42022100", ("Handbags", "Outer surface of leather")),
        ("85183000", ("Headphones and earphones",)),
    ),
}


def simulate(product: Product, schedule: ScheduleName) -> Determination:
    """An answer of the right shape that says nothing about the product."""
    answers = _ANSWERS[schedule]
    code, path = answers[hashlib.sha256(product.text.encode()).digest()[0] % len(answers)]
    return Determination(
        revision=Revision(schedule=schedule, edition="simulated", digest="simulated"),
        code=Code(code),
        description=" > ".join(path),
        reasoning="This is the sandbox: a simulated result. It says nothing about the product.",
        hierarchy=tuple(Level(None, text) for text in path),
        gri_applied=("1", "6"),
    )
