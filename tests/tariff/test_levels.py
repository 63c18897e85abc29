from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule, build
from pcs.tariff.sources.levels import with_all_levels


def tree(*rows: tuple[int, str | None, str]) -> Schedule:
    built = [PublishedRow(Code(code) if code else None, depth, text) for depth, code, text in rows]
    return build(Revision(ScheduleName.US_HTS, "test", ""), with_all_levels(built))


def outline(schedule: Schedule) -> list[tuple[int, str | None]]:
    return [(len(schedule.path(node)) - 1, node.code) for node in schedule.nodes]


def test_a_heading_printed_only_as_its_line_gets_every_level_above_it() -> None:
    schedule = tree((0, "4201000000", "Saddlery"))
    assert outline(schedule) == [(0, "4201"), (1, "420100"), (2, "42010000"), (3, "4201000000")]
    assert [node.implied for node in schedule.nodes] == [True, True, True, False]


def test_a_group_that_is_a_missing_subheading_takes_its_code() -> None:
    schedule = tree(
        (0, "0802", "Nuts"), (1, None, "Kola nuts"), (2, "08027010", "In shell"), (2, "08027020", "Shelled")
    )
    assert outline(schedule) == [(0, "0802"), (1, "080270"), (2, "08027010"), (2, "08027020")]
    assert not schedule.nodes[1].implied


def test_a_group_that_holds_only_part_of_a_subheading_stays_a_group_below_it() -> None:
    rows = [(0, "3817", "Mixed"), (1, None, "Benzenes"), (2, "38170010", "Linear"), (2, "38170015", "Other")]
    schedule = tree(*rows, (1, "38170020", "Naphthalenes"))
    codes = [(0, "3817"), (1, "381700"), (2, None), (3, "38170010"), (3, "38170015"), (2, "38170020")]
    assert outline(schedule) == codes
    assert schedule.nodes[1].text == "Mixed"


def test_a_heading_missing_above_several_rows_stays_missing() -> None:
    schedule = tree((1, "010121", "Horses"), (1, "010130", "Asses"))
    assert "0101" not in schedule


def test_a_line_printed_with_its_parents_indent_is_put_below_it() -> None:
    schedule = tree(
        (0, "3004", "Medicaments"), (1, "300450", "Vitamins"), (1, "30045050", "Other"), (2, "3004505005", "Vet")
    )
    assert outline(schedule) == [(0, "3004"), (1, "300450"), (2, "30045050"), (3, "3004505005")]


def test_legal_provisions_keep_their_own_numbers() -> None:
    assert outline(tree((0, None, "Nets"), (1, "9817002000", "Gill nets"))) == [(0, None), (1, "9817002000")]


@given(st.lists(st.from_regex(r"(0[1-9]|[1-8]\d)\d{2}\d{2}\d{2}00", fullmatch=True), min_size=1, unique=True))
def test_every_level_above_an_undivided_heading_is_there_once(codes: list[str]) -> None:
    kept = list({code[:4]: code for code in sorted(codes)}.values())
    schedule = tree(*((0, code, f"Goods {code}") for code in kept))
    for code in kept:
        node = schedule.get(code)
        assert node is not None
        assert [step.code for step in schedule.path(node)] == [code[:4], code[:6], code[:8], code]
        assert schedule.description(node) == f"Goods {code}"
    assert len(schedule.nodes) == 4 * len(kept)


def test_the_title_of_a_sub_chapter_is_no_code_though_it_holds_one_heading() -> None:
    schedule = tree((0, "63", "Textiles"), (1, None, "II. Sets"), (2, "63080000", "Sets of cloth and yarn"))
    assert outline(schedule) == [(0, "63"), (1, None), (2, "6308"), (3, "630800"), (4, "63080000")]
