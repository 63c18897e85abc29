"""The duties that a schedule itself points to: as published, for the goods' country and day, and never a total."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pcs.tariff.duties import Duties, duties_of
from pcs.tariff.packing import assemble, pack, unpack
from pcs.tariff.provisions import Entry, pointers, reach_of
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule
from pcs.tariff.sources.usitc_hts import to_schedule

TODAY = dt.date(2026, 11, 23)


def row(code: str, indent: int, text: str, **more: Any) -> dict[str, Any]:
    return {"htsno": code, "indent": str(indent), "description": text, **more}


def see(text: str, *columns: str) -> list[dict[str, Any]]:
    return [{"columns": list(columns or ["general"]), "value": text, "type": "endnote"}]


SMALL = [
    row("6109", 0, "T-shirts:"),
    row(
        *("6109.10.00", 1, "Of cotton"),
        general="16.5%",
        special="Free (A*,AU,S,Z) 3.5% (JP) See 9822.04.30 (AU)",
        other="90%",
        footnotes=[*see("See 9903.88.15,  9903.88.69 and 9904.04.50-9904.05.01. "), *see("See 9903.90.08.", "other")],
    ),
    row("6109.10.00.12", 2, "Men's", footnotes=see("See chapter 99 statistical note 1.", "stat")),
    row("9903.88.15", 0, "Except as provided in heading 9903.88.69, articles the product of China", general="7.5%"),
    row(
        *("9903.88.69", 0),
        "Effective with respect to entries on or after June 15, 2024 and through November 9, 2026, articles the "
        "product of China, each covered by an exclusion",
        general="Free",
    ),
    row("9903.90.08", 0, "Articles the product of the Russian Federation", other="35%"),
    row("", 0, "Milk"),
    row("9904.04.50", 1, "Valued less than 65 cents"),
    row("9904.05.01", 1, "Other"),
]


@pytest.fixture(scope="module")
def small() -> Schedule:
    return to_schedule(SMALL, "2026-test")


def duties(schedule: Schedule, code: str, country: str | None = None, day: dt.date | None = None) -> Duties:
    node = schedule.get(code)
    assert node is not None
    return duties_of(schedule, node, Entry(country, day))


def provisions(found: Duties) -> list[str]:
    return [each.provision for each in found.additional]


def published(shared: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(gzip.decompress((shared / "us-hts/hts_2026_rev_10.json.gz").read_bytes()))
    return rows


@pytest.mark.parametrize("code", ["6109.10.00", "0201.10.50", "8112.61.00.00"])
def test_the_footnotes_of_a_line_are_those_of_the_published_page(code: str, us_2026: Schedule, shared: Path) -> None:
    node = us_2026.get(code.replace(".", ""))
    assert node is not None
    [page] = [each for each in published(shared) if each["htsno"] == code]
    said = [(tuple(each["columns"]), " ".join(each["value"].split())) for each in page["footnotes"]]
    assert [(each.columns, each.text) for each in node.footnotes] == said
    assert said


def test_no_footnote_of_the_publication_is_lost_on_its_way_into_the_store_and_back(
    us_2026: Schedule, shared: Path
) -> None:
    kept = sum(len(node.footnotes) for node in unpack(pack(us_2026), us_2026.revision).nodes)
    said = [note["value"].strip() for each in published(shared) for note in each["footnotes"] or []]
    assert kept == sum(map(bool, said)) == 14_999


def test_a_publication_without_footnotes_keeps_the_digest_that_it_had_before_they_were_kept() -> None:
    rows = [PublishedRow(None, 0, "Goods")]
    assert pack(assemble(ScheduleName.EU_CN, "2025", rows)) == b'[[null,0,"Goods",0,null,[]]]\n'


def test_a_line_of_china_points_to_the_provision_with_its_words_rate_and_source(small: Schedule) -> None:
    [found, *_] = duties(small, "6109100012", "CN", TODAY).additional
    assert (found.provision, found.rate) == ("9903.88.15", "7.5%")
    assert found.text == "Except as provided in heading 9903.88.69, articles the product of China"
    assert found.why == "It names China, the country of origin. It has exceptions."
    assert found.source.startswith("US-HTS 2026-test, footnote to 6109.10.00: See 9903.88.15, 9903.88.69")


def test_a_provision_of_another_country_is_left_out_and_one_that_names_none_may_apply(small: Schedule) -> None:
    assert provisions(duties(small, "6109100012", "VN", TODAY)) == ["9904.04.50-9904.05.01"]
    [milk] = duties(small, "6109100012", "VN", TODAY).additional
    assert (milk.text, milk.rate) == ("Milk", "")
    assert milk.why == "May apply: it names no country of origin."


def test_without_a_country_every_provision_may_apply(small: Schedule) -> None:
    found = duties(small, "6109100012", None, TODAY).additional
    assert [each.provision for each in found] == ["9903.88.15", "9904.04.50-9904.05.01", "9903.90.08"]
    assert found[0].why.startswith("May apply: it names China, and the country of origin is not given.")


@pytest.mark.parametrize(
    ("day", "told"), [((2024, 6, 14), False), ((2024, 6, 15), True), ((2026, 11, 9), True), ((2026, 11, 10), False)]
)
def test_a_provision_with_dates_is_told_for_entries_of_those_days_alone(
    day: tuple[int, int, int], told: bool, small: Schedule
) -> None:
    assert ("9903.88.69" in provisions(duties(small, "6109100012", "CN", dt.date(*day)))) is told


def test_goods_of_a_column_two_country_pay_that_column_and_no_special_rate(small: Schedule) -> None:
    found = duties(small, "6109100012", "RU", TODAY)
    assert (found.column, found.duty.other, found.special) == (2, "90%", ())
    assert ("9903.90.08", "35%") in [(each.provision, each.rate) for each in found.additional]
    assert duties(small, "6109100012", "CN").column == 1
    assert duties(small, "6109100012").column is None


def test_special_rates_are_those_of_programmes_that_may_reach_the_country(small: Schedule) -> None:
    rates = {each.programme: each for each in duties(small, "6109100012").special}
    assert {symbol: each.rate for symbol, each in rates.items()} == {
        "A*": "Free",
        "S": "Free",
        "Z": "Free",
        "JP": "3.5%",
        "AU": "See 9822.04.30",
    }
    assert rates["S"].countries == ("CA", "MX")
    assert (rates["A*"].countries, rates["A*"].note) == ((), "General Note 4")
    assert [each.programme for each in duties(small, "6109100012", "MX").special] == ["A*", "S", "Z"]


def test_every_symbol_of_the_official_schedule_but_three_that_are_over_is_known(us_2026: Schedule) -> None:
    found = {each.programme: each.name for line in us_2026.lines for each in duties_of(us_2026, line, Entry()).special}
    assert {symbol for symbol, name in found.items() if not name} <= {"CA", "J", "J*"}
    assert len(found) > 25


def test_a_provision_that_the_revision_has_no_more_is_named_and_told_as_that(us_2026: Schedule) -> None:
    named = {
        pointer
        for line in us_2026.lines
        for step in us_2026.path(line)
        for footnote in step.footnotes
        for pointer in pointers(footnote.text)
    }
    assert len(named) > 70
    gone = sorted(each.name for each in named if us_2026.get(each.first) is None)
    assert gone == ["9902.22.84", "9902.25.64", "9907.59.01"]
    rows = [each for each in SMALL if each["htsno"] != "9903.88.15"]
    [found, *_] = duties(to_schedule(rows, "2026-less"), "6109100012", "CN", TODAY).additional
    assert (found.provision, found.text) == ("9903.88.15", "")
    assert found.why == "The revision has no such provision: it may be over."


def test_no_duty_is_invented_where_a_publication_has_none(eu_2025: Schedule) -> None:
    found = duties(eu_2025, "61091000", "CN", TODAY)
    assert (found.duty.general, found.column, found.special, found.additional) == ("", None, (), ())


@pytest.mark.parametrize(
    ("text", "countries", "sure"),
    [
        ("Articles the product of Cameroon or the Democratic Republic of the Congo, as provided", {"CM", "CD"}, True),
        (
            "the product of Costa Rica, the Dominican Republic, El Salvador or Nicaragua, as",
            {"CR", "DO", "SV", "NI"},
            True,
        ),
        ("Articles the product of any country, except for products of Canada", {"CA"}, False),
        ("cranes that are not products of China", {"CN"}, False),
        ("Crystalline cells, the originating good of Canada", set(), False),
        ("An exclusion granted by the Trade Representative of the United States", set(), True),
    ],
)
def test_a_country_is_filtered_by_only_where_the_words_plainly_name_it(
    text: str, countries: set[str], sure: bool
) -> None:
    reach = reach_of(text)
    assert (set(reach.countries), reach.countries_sure) == (countries, sure)


def test_dates_that_are_no_day_of_entry_leave_nothing_out() -> None:
    reach = reach_of("Articles loaded onto a vessel before 12:01 a.m. on April 9, 2025, the product of Chad")
    assert (reach.since, reach.until, reach.days_sure) == (None, None, False)
    assert not reach.leaves_out(Entry("TD", TODAY))


def test_a_provision_that_the_publisher_notes_as_over_says_so(small: Schedule) -> None:
    over = [{**each, "description": f"{each['description']} [Compiler's note: provision suspended.]"} for each in SMALL]
    found = duties(to_schedule(over, "2026-over"), "6109100012", "CN", TODAY).additional[0]
    assert "The publisher notes that it is suspended or has ended." in found.why
    assert "suspended" not in duties(small, "6109100012", "CN", TODAY).additional[0].why
