from __future__ import annotations

import json
from pathlib import Path

import pytest
from openpyxl import load_workbook

from pcs.tariff.changes import ChangeKind, changes_between
from pcs.tariff.checks import IncompleteScheduleError, problems_of, require_complete
from pcs.tariff.code import Code
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources.files import read_schedule


def test_the_us_schedule_has_every_ten_digit_code_outside_the_legal_provisions(us_2026: Schedule) -> None:
    assert sum(len(line.code or "") == 10 for line in us_2026.lines) == 19_738
    assert us_2026.revision.edition == "2026-rev-10"
    assert problems_of(us_2026) == []


def test_the_computed_cn_codes_are_those_of_the_official_list(eu_2025: Schedule, shared: Path) -> None:
    official = {row["code"] for row in json.loads((shared / "eu-cn/cnCodes_2025.json").read_text())}
    assert {line.code for line in eu_2025.lines} == official
    assert problems_of(eu_2025) == []


@pytest.mark.parametrize("schedule", ["us_2026", "eu_2025"])
def test_every_line_has_each_of_its_levels_above_it(schedule: str, request: pytest.FixtureRequest) -> None:
    tree: Schedule = request.getfixturevalue(schedule)
    for line in tree.lines:
        code = Code(line.code or "")
        assert [step.code for step in tree.path(line) if step.code] == [*code.ancestors, code]


def test_a_heading_that_is_not_divided_answers_at_every_level(eu_2025: Schedule, us_2026: Schedule) -> None:
    for schedule, codes in ((eu_2025, ("4201", "420100", "42010000")), (us_2026, ("0205", "020500", "02050000"))):
        nodes = [schedule.get(code) for code in codes]
        assert len({schedule.description(node) for node in nodes if node}) == 1
        assert all(nodes)


def test_a_us_group_without_a_number_that_is_a_subheading_has_its_code(us_2026: Schedule) -> None:
    kola = us_2026.get("080270")
    assert kola is not None
    assert kola.text.startswith("Kola nuts")
    assert [child.code for child in us_2026.children(kola)] == ["08027010", "08027020"]


def test_the_rate_of_an_eight_digit_line_reaches_its_suffixes(us_2026: Schedule) -> None:
    line = us_2026.get("6109100012")
    assert line is not None
    duty = us_2026.duty(line)
    assert duty is not None
    assert (duty.general, duty.other, line.units) == ("16.5%", "90%", ("doz.", "kg"))


def test_a_row_printed_beside_its_parent_stands_below_it(us_2026: Schedule) -> None:
    other = us_2026.get("30045050")
    assert other is not None
    assert [step.code for step in us_2026.path(other) if step.code] == ["30", "3004", "300450", "30045050"]


@pytest.mark.parametrize("language", ["EN", "DE", "FR"])
def test_every_path_reads_as_the_publication(shared: Path, language: str) -> None:
    """The expected path is read off the raw sheet: back from the line, each row with fewer dashes than the last."""
    path = shared / f"eu-cn/taric_nomenclature_2025-08_{language}.xlsx"
    schedule = read_schedule(path)
    expected = _paths_by_hand(path)
    compared = 0
    for code, words in expected.items():
        node = schedule.get(code)
        if node and code < "98":  # 61091000 is a line, 61090000 only a heading written with ten digits
            assert schedule.description(node) == words
            compared += 1
    assert compared > 7_500


def _paths_by_hand(path: Path) -> dict[str, str]:
    """Paths of 8-digit rows whose texts hold no mark-up but the space."""
    with pytest.warns(UserWarning, match="no default style"):
        sheet = load_workbook(path, read_only=True).worksheets[0]
    above: dict[int, str] = {}
    paths: dict[str, str] = {}
    for number, _start, _end, _language, position, indent, text, _since in sheet.iter_rows(min_row=2, values_only=True):
        if position == 4 and str(number).endswith(" 80"):
            above = {}
        dashes = str(indent or "").count("-")
        above = {depth: said for depth, said in above.items() if depth < dashes} | {dashes: str(text)}
        said = [words for _, words in sorted(above.items())]
        if (
            str(number).endswith("00 80")
            and position in {4, 6, 8}
            and not any(set("$@!\n") & set(words) for words in said)
        ):
            texts = [" ".join(words.replace("|", " ").split()).rstrip(" :") for words in said]
            paths[str(number)[:8]] = " > ".join(one for place, one in enumerate(texts) if texts[:place][-1:] != [one])
    return paths


def test_a_title_of_a_sub_chapter_holds_its_headings_and_is_no_part_of_a_description(eu_2025: Schedule) -> None:
    fluorine = eu_2025.get("28013010")
    assert fluorine is not None
    assert eu_2025.path(fluorine)[1].text == "I. CHEMICAL ELEMENTS"
    assert "CHEMICAL ELEMENTS" not in eu_2025.description(fluorine)


def test_a_revision_without_a_heading_is_refused_by_name(shared: Path, us_2026: Schedule) -> None:
    broken = read_schedule(shared / "us-hts/hts_2026_rev_9.json.gz")
    with pytest.raises(IncompleteScheduleError, match=r"US-HTS 2026-rev-9 is refused.*0101") as refused:
        require_complete(broken, us_2026)
    assert refused.value.problems[0] == "1 heading of the Harmonized System is missing: 0101."
    assert not any("mark-up" in problem for problem in refused.value.problems)


def test_the_difference_of_two_editions_is_the_published_one(shared: Path, us_2026: Schedule) -> None:
    changes = changes_between(read_schedule(shared / "us-hts/hts_2025_basic.json.gz"), us_2026)
    assert (len(changes.added), len(changes.removed)) == (223, 98)
    assert changes.successor("0201305085") == "0201305097"
    assert changes.successor("0709510100") is None
    split = next(change for change in changes.of_kind(ChangeKind.SPLIT) if change.code == "0709510100")
    assert split.successors == ("0709510110", "0709510150")


def test_a_number_that_got_another_meaning_is_outdated(shared: Path, us_2026: Schedule) -> None:
    changes = changes_between(read_schedule(shared / "us-hts/hts_2025_basic.json.gz"), us_2026)
    assert "3004909204" in changes.outdated
    assert "6109100012" not in changes.outdated
