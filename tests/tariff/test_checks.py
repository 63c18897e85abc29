from __future__ import annotations

from dataclasses import replace

import pytest

from pcs.tariff.changes import ChangeKind, changes_between
from pcs.tariff.checks import problems_of
from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import headings
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule
from pcs.tariff.sources.levels import with_all_levels
from whole_schedule import KNOWN


def whole(*, without: str = "", extra: tuple[PublishedRow, ...] = ()) -> Schedule:
    """A schedule of the EU's shape with a line for every heading and every known subheading."""
    rows = []
    for heading in headings():
        known = [code for code in KNOWN if code.startswith(heading)]
        rows.append(PublishedRow(heading, 0, f"Goods of {heading}"))
        rows += [PublishedRow(Code(f"{code}00"), 1, f"Known {code}", declarable=True) for code in known]
        rows.append(PublishedRow(Code(f"{heading}9999"), 1, f"Other of {heading}", declarable=True))
    kept = [row for row in rows if not without or not (row.code or "").startswith(without)]
    return assemble(ScheduleName.EU_CN, "test", with_all_levels([*kept, *extra]))


def test_a_whole_schedule_has_no_problems() -> None:
    assert problems_of(whole()) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (whole(without="0101"), "1 heading of the Harmonized System is missing: 0101."),
        (whole(without="8471"), "1 well-known subheading is missing: 847130."),
        (
            whole(extra=(PublishedRow(Code("97069999"), 1, "Twice", declarable=True),)),
            "1 code is given more than once: 97069999.",
        ),
        (
            whole(extra=(PublishedRow(Code("95030095"), 1, "Astray", declarable=True),)),
            "1 code is not below its own heading",
        ),
        (
            whole(extra=(PublishedRow(None, 1, "Empty group"),)),
            "1 branch has no declarable line: group 'Empty group'.",
        ),
        (whole(extra=(PublishedRow(Code("97069998"), 1, " ", declarable=True),)), "has no text: 97069998."),
        (
            whole(extra=(PublishedRow(Code("97069998"), 1, "Of <i>wood</i>", declarable=True),)),
            "holds mark-up: 97069998.",
        ),
        (
            whole(extra=(PublishedRow(Code("9706999810"), 1, "Deep", declarable=True),)),
            "wrong number of digits: 9706999810.",
        ),
    ],
)
def test_a_fault_is_named(broken: Schedule, said: str) -> None:
    assert any(said in problem for problem in problems_of(broken)), problems_of(broken)


def test_a_schedule_that_lost_more_than_two_percent_of_its_lines_is_refused() -> None:
    last = whole()
    lines = [replace(line, declarable=False) for line in last.lines[:30]]
    nodes = {line.index: line for line in lines}
    fewer = replace(last, nodes=tuple(nodes.get(node.index, node) for node in last.nodes))
    assert "more than 2% apart" in problems_of(fewer, last)[-1]
    assert not any("apart" in problem for problem in problems_of(whole(), last))


def of_2028(*, without: tuple[str, ...], extra: tuple[PublishedRow, ...] = ()) -> Schedule:
    """The same as an edition of 2028, without some headings and with others."""
    rows = [
        PublishedRow(node.code, len(node.code or ""), node.text, declarable=node.declarable)
        for node in whole().nodes
        if not (node.code or "").startswith(without)
    ]
    return assemble(ScheduleName.EU_CN, "2028", with_all_levels([*rows, *extra]))


def test_an_edition_of_hs_2028_may_lack_headings_of_2022_and_have_new_ones() -> None:
    new = (PublishedRow(Code("3008"), 2, "New goods"), PublishedRow(Code("30089999"), 8, "Other", declarable=True))
    found = of_2028(without=("0101", "9706", "847130"), extra=new)
    assert found.revision.hs_edition == "2028"
    assert problems_of(found, whole()) == []
    assert problems_of(replace(found, revision=replace(found.revision, edition="2027"))) != []


def test_an_edition_of_hs_2028_that_lacks_a_whole_section_is_refused() -> None:
    lost = of_2028(without=("50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60"))
    assert any("headings of the Harmonized System are missing" in problem for problem in problems_of(lost))
    assert any("more than 10% apart" in problem for problem in problems_of(of_2028(without=("0", "1")), whole()))


def test_a_revision_between_editions_is_compared_by_its_words() -> None:
    changes = changes_between(whole(), of_2028(without=("0101",)))
    assert [change.code for change in changes.of_kind(ChangeKind.REMOVED)] == ["01019999"]
