"""A tariff of a few lines, with notes and rulings made up for tests, and the engine's answer on a T-shirt."""

import datetime as dt

from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.engine.result import Alternative, Level, Result
from pcs.reviewer.law import Law
from pcs.reviewer.rulings import Rulings
from pcs.tariff.code import Code
from pcs.tariff.note_meaning import understand
from pcs.tariff.notes import NoteFamily, Notes
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus
from pcs.tariff.schedule import Duty, PublishedRow, Schedule, build

REVISION = Revision(ScheduleName.US_HTS, "2026-small", "digest")
SHIRT = Product("Men's cotton T-shirt", "100% cotton, knitted, crew neck")
MEN, WOMEN, OTHER_FIBRE, SWEATER = "6109100012", "6109100040", "6109901000", "6110200010"
PHONE, PHONE_PARTS = "8517130000", "8517790000"
FREE = Duty("Free", "", "35%")


def small_schedule() -> Schedule:
    rows = [
        PublishedRow(Code("61"), 0, "Apparel, knitted"),
        PublishedRow(Code("6109"), 1, "T-shirts, singlets and similar undershirts, knitted"),
        PublishedRow(Code("610910"), 2, "Of cotton", duty=Duty("16.5%", "", "90%")),
        PublishedRow(Code(MEN), 3, "Men's", declarable=True, units=("doz.", "kg")),
        PublishedRow(Code(WOMEN), 3, "Women's", declarable=True, units=("doz.", "kg")),
        PublishedRow(None, 2, "Of other fibres:"),
        PublishedRow(Code(OTHER_FIBRE), 3, "Of man-made fibres", declarable=True, duty=FREE),
        PublishedRow(Code("6110"), 1, "Sweaters, pullovers and vests, knitted"),
        PublishedRow(Code(SWEATER), 2, "Of cotton", declarable=True, duty=FREE),
        PublishedRow(Code("6110300010"), 2, "Of man-made fibres", declarable=True, duty=FREE),
        PublishedRow(Code("85"), 0, "Electrical machines"),
        PublishedRow(Code("8517"), 1, "Telephones and apparatus for voice and data"),
        PublishedRow(Code(PHONE), 2, "Smartphones", declarable=True, duty=FREE),
        PublishedRow(Code(PHONE_PARTS), 2, "Parts", declarable=True, duty=FREE),
        PublishedRow(Code("98"), 0, "Special provisions"),
        PublishedRow(Code("9801001000"), 1, "Goods returned", declarable=True, duty=FREE),
    ]
    return build(REVISION, rows)


def small_notes() -> Notes:
    def note(number: str, chapter: str, section: int, text: str) -> object:
        return understand([("", text)], family=NoteFamily.LEGAL, number=number, section=section, chapter=Code(chapter))

    notes = (
        note("9", "61", 11, "Heading 6109 does not cover sweaters of heading 6110."),
        note(
            "2", "85", 16, "Parts suitable for use with one machine of heading 8517 are classified with that machine."
        ),
    )
    return Notes("2026-small", notes)  # type: ignore[arg-type]


def ruling(reference: str, subject: str, *codes: str, status: RulingStatus = RulingStatus.IN_FORCE) -> Ruling:
    return Ruling(
        reference=reference,
        source=RulingSource.CROSS,
        date=dt.date(2024, 5, 6),
        subject=subject,
        text=f"The letter on {subject}.",
        codes=tuple(map(Code, codes)),
        status=status,
    )


RULINGS = (
    ruling("N100001", "The tariff classification of a men's cotton T-shirt", MEN),
    ruling("N100002", "The tariff classification of a women's T-shirt", WOMEN, status=RulingStatus.REVOKED),
    ruling("N100003", "The tariff classification of a cotton sweater", SWEATER),
)


def small_law(rulings: Rulings) -> Law:
    return Law(small_schedule(), small_notes(), rulings)


def determination(code: str = WOMEN, *, confidence: float = 0.4) -> Determination:
    """The engine's answer on the T-shirt: for women, in doubt."""
    result = Result(
        code=Code(code),
        description="T-shirts, singlets and similar undershirts, knitted > Of cotton > Women's",
        reasoning="The engine's own reasons.",
        schedule_revision=REVISION.name,
        hierarchy=(
            Level(Code("6109"), "T-shirts", 0.9),
            Level(Code("610910"), "Of cotton", 0.8),
            Level(Code(code), "", 0.4),
        ),
        confidence=confidence,
        confident_digits=6,
        alternatives=(
            Alternative(Code(MEN), "T-shirts > Of cotton > Men's", 0.35, ""),
            Alternative(Code(SWEATER), "Sweaters > Of cotton", 0.1, ""),
        ),
        needs_review=True,
    )
    return Determination(REVISION, result)
