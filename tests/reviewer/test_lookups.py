"""What a look-up shows: what one needs to choose a line, and no more. The texts are those that hindered a model, in our
own words: whole sections' notes, implied levels, headings that ran into a note, stray words, rulings with no letter."""

import dataclasses
import datetime as dt
import json
from collections.abc import Sequence

import pytest

from pcs.base.errors import NotFoundError
from pcs.reviewer.deciding import readable_for
from pcs.reviewer.first_view import opened
from pcs.reviewer.law import Law
from pcs.reviewer.lookups import Lookups, tools
from pcs.reviewer.outline import MOST_LINES
from pcs.tariff.code import Code
from pcs.tariff.note_meaning import understand
from pcs.tariff.notes import Note, NoteFamily, Notes
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus
from pcs.tariff.schedule import PublishedRow, build

TANK = "7309000090"
LONG = "Throughout this section, goods of a material are those of which it is the greater part. " * 40


def row(code: str | None, depth: int, text: str, *, implied: bool = False) -> PublishedRow:
    return PublishedRow(Code(code) if code else None, depth, text, len(code or "") == 10, implied=implied)


ROWS = [
    row("73", 0, "Articles of iron or steel"),
    row("7308", 1, "Structures and parts of structures, such as bridges, towers and lattice masts, of iron or steel"),
    row("7308900000", 2, "Other"),
    row("7309", 1, "Tanks and vats", implied=True),
    row("730900", 2, "Tanks and vats", implied=True),
    row("73090000", 3, "Tanks and vats"),
    row("7309000030", 4, "Tanks"),
    row(TANK, 4, "Other"),
    row("7326", 1, "Other articles"),
    *[row(f"732690{place:04d}", 2, f"Article {place}") for place in range(MOST_LINES + 20)],
    row("84", 0, "Machinery"),
    row("8413", 1, "Pumps for liquids"),
    row("8413601000", 2, "Hydraulic gear pumps"),
    row("70", 0, "Glass"),
    row("7013", 1, "Glassware, such as hydraulic pumpkins and other figures"),
    row("7013990000", 2, "Other"),
]


def note(number: str, text: str, *, chapter: str | None = None, family: NoteFamily = NoteFamily.LEGAL) -> Note:
    parts = [("", text)]
    found = understand(parts, family=family, number=number, section=15, chapter=Code(chapter) if chapter else None)
    if family is not NoteFamily.EXPLANATORY:
        return found
    explained = (Code.parse(number),)
    paragraphs = tuple(dataclasses.replace(part, applies_to=explained) for part in found.paragraphs)
    return dataclasses.replace(found, applies_to=explained, paragraphs=paragraphs)


NOTES = [
    note("1", "The titles of sections are provided for ease of reference only.", family=NoteFamily.GENERAL_RULE),
    note("1", LONG),
    note("2", "Throughout the schedule, wire means a rolled product in coils. " * 20),
    note("1", "This chapter does not cover goods of heading 9406.", chapter="73"),
    note("2", "For the purposes of heading 7326, the expression “article” means one piece.", chapter="73"),
    note("3", f"For the purposes of heading 7309, tanks are fixed. {'They hold liquids. ' * 150}END", chapter="73"),
    note("7326.90", "or toilet articles, of iron", chapter="73", family=NoteFamily.EXPLANATORY),
    note(
        "7309",
        "of a capacity over 300 l This heading covers tanks. The pictures show some of them:",
        chapter="73",
        family=NoteFamily.EXPLANATORY,
    ),
]
FILTER = "A pleated filter cartridge for swimming pools"


class FewRulings:
    """A corpus of two; one has a letter."""

    found = (
        Ruling("N1", RulingSource.CROSS, dt.date(2024, 1, 2), "Goods from China", FILTER, codes=(Code("7309000030"),)),
        Ruling("N2", RulingSource.CROSS, None, "A steel tank", codes=(Code("7309001234"),)),
        Ruling("N3", RulingSource.CROSS, None, "A vat", codes=(Code(TANK),), status=RulingStatus.REVOKED),
    )

    def get(self, reference: str) -> Ruling | None:
        return next((ruling for ruling in self.found if ruling.reference == reference), None)

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        return [
            ruling
            for ruling in self.found
            if all(word.lower() in ruling.subject.lower() for word in words.split())
            and any(cited.startswith(code) for cited in ruling.codes)
            and source in {None, ruling.source}
        ][:limit]


def law(*, ranked: Sequence[str] = (), rulings: FewRulings | None = None) -> Law:
    schedule = build(Revision(ScheduleName.US_HTS, "2026-test", "digest"), ROWS)
    found = Law(schedule, Notes("2026", tuple(NOTES)), rulings or FewRulings())
    return found.ranked_by(lambda _: ranked) if ranked else found


def test_a_heading_shows_its_tree_down_to_the_lines_and_passes_through_implied_levels() -> None:
    found = Lookups(law()).look_up_code("7309")
    assert found["children"] == ["73090000 Tanks and vats", " 7309000030 Tanks", f" {TANK} Other"]
    assert json.dumps(found).count("Tanks and vats") == 2


def test_a_code_of_eight_digits_shows_what_is_below_it_and_is_opened_by_no_other_call() -> None:
    lookups = Lookups(law())
    assert lookups.look_up_code("7309.00.00")["children"] == ["7309000030 Tanks", f"{TANK} Other"]
    assert {"7309000030", TANK} <= lookups.codes


def test_of_too_many_lines_those_are_folded_that_a_further_look_up_opens_and_none_counts_as_shown() -> None:
    lookups = Lookups(law())
    chapter = lookups.look_up_code("73")
    assert chapter["children"][-1] == f"7326 Other articles [{MOST_LINES + 20} lines below]"
    assert "7326900001" not in lookups.codes
    assert "7326" in lookups.codes


def test_siblings_are_codes_with_short_words_and_a_heading_s_are_those_near_it() -> None:
    found = Lookups(law()).look_up_code("7309")
    assert found["siblings"][0] == "7308 Structures and parts of structures, such as bri…"
    assert [one.split()[0] for one in found["siblings"]] == ["7308", "7326"]
    assert [one.split()[0] for one in Lookups(law()).look_up_code(TANK)["siblings"]] == ["7309000030"]


def test_the_notes_that_decide_come_first_and_whole_and_the_rules_for_all_goods_never() -> None:
    found = Lookups(law()).look_up_code("7309")
    assert found["notes"][0]["reference"] == "Note 3 to Chapter 73"
    assert found["notes"][0]["text"].endswith("END")
    assert len(found["notes"][0]["text"]) > 2_500
    assert "Note 1 to Chapter 73" in [one["reference"] for one in found["notes"]]
    assert "Note 2 to Chapter 73" not in json.dumps(found)
    assert "General Rule" not in json.dumps(found)
    assert {"Note 1 to Section XV", "Note 2 to Section XV"} <= set(found["other_notes"])


def test_a_note_that_is_named_is_read_and_only_then_cited() -> None:
    lookups = Lookups(law())
    lookups.look_up_code("7309")
    assert "Note 1 to Section XV" not in lookups.notes
    assert lookups.read_note("note 1 to section XV")["text"] == LONG
    assert "Note 1 to Section XV" in lookups.notes


def test_a_note_is_told_once_in_a_conversation() -> None:
    lookups = Lookups(law())
    lookups.look_up_code("7309")
    again = lookups.look_up_code(TANK)
    assert "tanks are fixed" not in json.dumps(again)
    assert "Note 3 to Chapter 73" in again["notes_shown_before"]


def test_a_fragment_of_a_note_is_left_out_and_what_ran_into_its_beginning_is_cut_off() -> None:
    assert "toilet articles" not in json.dumps(Lookups(law()).look_up_code("7326"))
    texts = {one["reference"]: one["text"] for one in Lookups(law()).look_up_code("7309")["notes"]}
    assert texts["Explanatory Note to 7309"] == "This heading covers tanks."


def test_a_note_that_is_read_begins_where_its_first_sentence_does_and_a_fragment_is_not_there() -> None:
    assert Lookups(law()).read_note("Explanatory Note to 7309")["text"] == "This heading covers tanks."
    with pytest.raises(NotFoundError, match="There is no note Explanatory Note"):
        Lookups(law()).read_note("Explanatory Note to 7326.90")


def test_a_note_of_which_a_part_speaks_of_other_codes_says_so_and_names_no_gap_that_nobody_understands() -> None:
    tanks, vats = (
        NOTES[-1].paragraphs[0],
        dataclasses.replace(NOTES[-2].paragraphs[0], text="This heading covers vats."),
    )
    both = dataclasses.replace(NOTES[-1], paragraphs=(tanks, vats))
    shown = readable_for(both, ["7309"])
    assert shown is not None
    assert shown.text == "This heading covers tanks. [what follows speaks of other codes]"


def test_a_search_gives_the_engine_s_ranking_before_words_and_no_stray_words() -> None:
    stray = [node.code for node in law(ranked=["8413", "8413601000"]).search("hydraulic pumpkin carving")]
    assert stray[:2] == ["8413", "8413601000"]
    found = [node.code for node in law(ranked=["7309"]).search("cool box, hydraulic")]
    assert found == ["7309"]
    assert law().search("gear pumps")[0].code == "8413601000"


@pytest.mark.parametrize(
    ("words", "code", "found"),
    [
        ("pleated filter", "7309", ["N1"]),
        ("pleated filter", "", ["N1"]),
        ("", TANK, ["N1", "N2"]),
        ("steel tank", "7309000030", ["N2"]),
        ("kite", "7309", []),
    ],
)
def test_rulings_are_found_by_the_words_of_the_letter_and_by_a_code_that_was_split(
    words: str, code: str, found: list[str]
) -> None:
    shown = Lookups(law(ranked=["7309"])).search_rulings(words, code)["rulings"]
    assert [one["id"] for one in shown] == found
    assert "unknown" not in json.dumps(shown)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (TANK, {"none_cites": TANK, "these_begin_with": "73090000"}),
        ("7309001234", {}),
        ("7309", {}),
        ("8413", {}),
    ],
)
def test_a_search_by_a_code_says_where_the_rulings_found_cite_fewer_of_its_digits(
    code: str, told: dict[str, str]
) -> None:
    found = Lookups(law()).search_rulings("", code)
    assert {name: value for name, value in found.items() if name != "rulings"} == told


def test_the_model_s_first_heading_and_the_engine_s_are_looked_up_however_large_they_are() -> None:
    lookups = Lookups(law())
    headings = [node for code in ("7309", "7013") if (node := lookups.law.schedule.get(code))]
    shown = opened(lookups, headings, Code("7326900001"), [Code("8413")])
    assert [one["code"] for one in shown["looked_up"]][:2] == ["7309", "7326"]


def test_a_case_s_own_ruling_is_found_neither_by_its_letter_nor_by_a_code_nor_by_its_number() -> None:
    lookups = Lookups(law(ranked=["7309"]).without({"N1"}))
    for words, code in [("pleated filter", ""), ("pleated filter", "7309"), ("", "7309000030")]:
        assert "N1" not in json.dumps(lookups.search_rulings(words, code))
    assert [one["id"] for one in lookups.search_rulings("", TANK)["rulings"]] == ["N2"]
    with pytest.raises(NotFoundError):
        lookups.read_ruling("N1")


def test_a_ruling_without_a_letter_says_so_and_where_there_are_no_rulings_none_are_offered() -> None:
    assert Lookups(law()).read_ruling("N2")["text"] == "Only the subject of this ruling is loaded."
    found = Lookups(law()).search_rulings("", TANK)["rulings"]
    assert {one["id"]: one.get("only_subject", False) for one in found} == {"N1": False, "N2": True}
    nothing = FewRulings()
    nothing.found = ()  # type: ignore[assignment]
    assert {tool.name for tool in tools(law(rulings=nothing))} == {"search_schedule", "look_up_code", "read_note"}
    assert "search_rulings" in {tool.name for tool in tools(law())}
