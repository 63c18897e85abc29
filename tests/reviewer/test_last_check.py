"""What the last check asks of an answer, and what it no longer does. The trap: a provision's words taken for a claim
that the goods are parts; the paths are worded as those were that whole goods were refused for."""

from collections import Counter
from pathlib import Path
from typing import Literal

import pytest

from pcs.reviewer.answers import AssessmentAnswer, FactName, PartsRule, Sureness
from pcs.reviewer.checks import as_shown, problems
from pcs.reviewer.law import Law
from pcs.reviewer.lookups import Lookups
from pcs.rulings.service import SharedRulings
from pcs.tariff.code import Code
from pcs.tariff.note_meaning import understand
from pcs.tariff.notes import NoteFamily, Notes
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource
from pcs.tariff.schedule import PublishedRow, build

LINES = {
    "9503000090": "Other, including parts",
    "9506910030": "Parts and accessories thereof",
    "6913900000": "In sets of a dozen pieces or parts",
}
NOTE, UNSHOWN = "Note 3 to Chapter 95", "Note 4 to Chapter 95"


def lookups(rulings: SharedRulings, name: ScheduleName = ScheduleName.US_HTS) -> Lookups:
    """All of a tariff whose every line names parts, as shown."""
    chapters = dict.fromkeys(code[:2] for code in LINES)
    rows = []
    for chapter in chapters:
        rows.append(PublishedRow(Code(chapter), 0, "Goods and parts thereof"))
        for code in (code for code in LINES if code[:2] == chapter):
            rows += [PublishedRow(Code(code[:4]), 1, "Goods"), PublishedRow(Code(code), 2, LINES[code], True)]
    words = "Parts that are suitable for use with goods of this chapter are classified with these."
    notes = tuple(
        understand([("", words)], family=NoteFamily.LEGAL, number=number, section=20, chapter=Code("95"))
        for number in ("3", "4")
    )
    law = Law(build(Revision(name, "2026-parts", "digest"), rows), Notes("2026", notes), rulings)
    found = Lookups(law)
    for chapter in chapters:
        found.look_up_code(chapter)
    return found


@pytest.mark.parametrize("code", LINES, ids=LINES.values())
@pytest.mark.parametrize("rule", [None, PartsRule.NOT_A_PART, PartsRule.PROVISION])
def test_whole_goods_are_not_refused_for_the_words_of_their_line(
    tmp_path: Path, code: str, rule: PartsRule | None
) -> None:
    answer = AssessmentAnswer(code=code, sureness=Sureness.SURE, parts_rule=rule)
    dropped: Counter[str] = Counter()
    assert problems(answer, lookups(SharedRulings(tmp_path)), dropped) == []
    assert not dropped


@pytest.mark.parametrize(
    ("rule", "notes", "kept"),
    [
        (PartsRule.NOTE, [], None),
        (PartsRule.NOTE, [UNSHOWN], None),
        (PartsRule.NOTE, [NOTE], PartsRule.NOTE),
        (PartsRule.US_RULE, [], None),
    ],
)
def test_a_rule_by_which_goods_are_parts_is_left_out_where_it_is_none(
    tmp_path: Path, rule: PartsRule, notes: list[str], kept: PartsRule | None
) -> None:
    """Under the European schedule, whose lines have eight digits or more."""
    answer = AssessmentAnswer(code="9503000090", sureness=Sureness.SURE, parts_rule=rule, notes=notes)
    shown = lookups(SharedRulings(tmp_path), ScheduleName.EU_CN)
    shown.notes.discard(UNSHOWN)
    assert problems(answer, shown, Counter()) == []
    assert as_shown(answer, shown).parts_rule is kept


def test_a_line_that_a_shown_ruling_cites_was_shown(tmp_path: Path) -> None:
    shown = lookups(SharedRulings(tmp_path))
    shown.codes.clear()
    answer = AssessmentAnswer(code="9503000090", sureness=Sureness.SURE)
    assert "was not shown to you" in " ".join(problems(answer, shown, Counter()))
    shown.show_rulings([Ruling("N1", RulingSource.CROSS, None, "toys", codes=(Code("9503000090"),))])
    assert problems(answer, shown, Counter()) == []


@pytest.mark.parametrize(
    ("note", "told", "kept"),
    [(NOTE, None, [NOTE]), (UNSHOWN, None, []), ("Note 77 to Chapter 12", "Note 77 to Chapter 12", [])],
)
def test_a_note_that_was_only_named_is_left_out_and_one_that_there_is_not_is_told(
    tmp_path: Path, note: str, told: str | None, kept: list[str]
) -> None:
    """No tools are left for a repair, so that nothing could be read for it."""
    answer, dropped = AssessmentAnswer(code="9503000090", sureness=Sureness.SURE, notes=[note]), Counter[str]()
    shown = lookups(SharedRulings(tmp_path))
    shown.notes.discard(UNSHOWN)
    found = problems(answer, shown, dropped)
    assert found == [] if told is None else told in " ".join(found)
    assert as_shown(answer, shown).notes == kept
    assert dropped["note"] == (not kept)


@pytest.mark.parametrize(
    ("code", "known", "meant"),
    [("9503000090", 8, 8), ("9503000090", 0, 0), ("95030000", 8, None), ("9503.00.00", 8, None)],
)
def test_all_digits_known_is_no_doubt(code: str, known: Literal[0, 8], meant: int | None) -> None:
    answer = AssessmentAnswer(code=code, sureness=Sureness.SURE, known_digits=known, missing=[FactName.WEIGHT])
    assert answer.known_digits == meant
    assert answer.is_certain is (meant is None)
