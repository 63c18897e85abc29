"""A small edition in English and German, and an engine whose answers have its English words."""

from __future__ import annotations

from pathlib import Path

from determinations import determine, with_result
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.engine.result import Alternative, Level
from pcs.schedules import store
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow

EDITION = "2026-test"
CODES = ("61", "6109", "610910", "61091000", "610990", "61099020")
ENGLISH = ("Knitted apparel", "T-shirts, knitted", "Of cotton", "Of cotton", "Other", "Of wool")
GERMAN = ("Bekleidung", "T-Shirts, gewirkt", "aus Baumwolle", "aus Baumwolle", "andere", "aus Wolle")
SAID = "T-Shirts, gewirkt > aus Baumwolle"
SAYS = "T-shirts, knitted > Of cotton"


def in_words(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    levels = tuple(Level(Code(code), text, 0.9) for code, text in zip(CODES[:4], ENGLISH, strict=False))
    others = (Alternative(Code("61099020"), "T-shirts, knitted > Other > Of wool", 0.1, "the fibre"),)
    return with_result(determine(product, schedule), hierarchy=levels, alternatives=others)


def load(data_dir: Path) -> None:
    """Store the edition in both languages; neither becomes current."""
    for name, words in ((EDITION, ENGLISH), (f"{EDITION}-de", GERMAN)):
        rows = [
            PublishedRow(Code(code), min(len(code) // 2, 4), text, declarable=len(code) == 8)
            for code, text in zip(CODES, words, strict=True)
        ]
        store.write_revision(data_dir, assemble(ScheduleName.EU_CN, name, rows))
