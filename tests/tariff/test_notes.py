from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import chapters
from pcs.tariff.note_meaning import understand
from pcs.tariff.note_packing import pack_notes, unpack_notes
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Notes, in_legal_order
from pcs.tariff.references import codes_named
from pcs.tariff.sources.cn_explanatory import read_explanatory_notes
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.usitc_notes import parse, read_notes, titles

TOYS = """CHAPTER 95
WORDS OF THE TITLE,
AND MORE OF THEM
XX
95-1
Notes
1. This chapter does not cover:
(a) Wax lights (heading 3406);
(h) is no letter here
(b) Bags (heading
4202) or yarns, as defined in note 2 to section XI, of chapter 39;
(c) Whips:
(i) of leather (heading 6602); or
(ii) of wood (headings 4401 to 4403);
(d) Sails; (e) is not a part of its own here;
(e) Balls;
(f) Flags;
(g) Shoes;
(h) Headgear of chapter 65;
(ij) Glass eyes of heading 7018; or
(k) Rackets (classified according to their material).
1/
Harmonized Tariff Schedule of the United States Revision 7 (2025)
Annotated for Statistical Reporting Purposes
XX
95-2\x0cNotes (con.)
2. For the purposes of heading 9508:
(a) The expression "park rides" means devices. Such rides
1. are counted in this chapter;
(b) The term “fairs” means games.
This heading does not include stands (heading 9406).
4. Headings 9503 and 9504 do not apply to goods of heading 8712.
Subheading Note
1. Subheading 9504.50 covers consoles.
Additional U.S. Notes
l. Articles of this chapter are to be classified in heading 9503.
"""


@pytest.fixture(scope="module")
def toys() -> dict[str, Note]:
    return {note.reference: note for note in parse(TOYS)}


def test_notes_are_found_with_their_family_and_number(toys: dict[str, Note]) -> None:
    assert list(toys) == [
        "Note 1 to Chapter 95",
        "Note 2 to Chapter 95",
        "Note 4 to Chapter 95",
        "Subheading Note 1 to Chapter 95",
        "Additional U.S. Note 1 to Chapter 95",
    ]


def test_letters_numerals_and_wrapped_lines_keep_their_places(toys: dict[str, Note]) -> None:
    labels = [part.label for part in toys["Note 1 to Chapter 95"].paragraphs]
    letters = ["(a)", "(b)", "(c)", "(c)(i)", "(c)(ii)", "(d)", "(e)", "(f)", "(g)", "(h)", "(ij)", "(k)"]
    assert labels == ["", *letters]
    assert "(h) is no letter here" in toys["Note 1 to Chapter 95"].paragraphs[1].text


def test_an_exclusion_says_where_its_goods_go(toys: dict[str, Note]) -> None:
    notes = Notes("test", tuple(toys.values()))
    found = {each.reference: each.goes_to for each in notes.exclusions("9503")}
    assert found["Note 1(a) to Chapter 95"] == ("3406",)
    assert found["Note 1(b) to Chapter 95"] == ("4202", "39")
    assert found["Note 1(c)(ii) to Chapter 95"] == ("4401", "4402", "4403")
    assert found["Note 1(k) to Chapter 95"] == ()
    assert found["Note 4 to Chapter 95"] == ("8712",)
    assert "Note 2 to Chapter 95" not in found


def test_a_note_for_one_heading_speaks_of_that_heading(toys: dict[str, Note]) -> None:
    rides = toys["Note 2 to Chapter 95"]
    assert rides.applies_to == ("9508",)
    assert rides.kind is NoteKind.DEFINES
    assert rides.terms == ("park rides", "fairs")
    assert rides.paragraphs[-1].kind is NoteKind.EXCLUDES
    assert rides.paragraphs[-1].codes == ("9406",)
    assert not rides.concerns("9503")
    assert rides.concerns("95089010")


def test_a_number_in_a_list_is_no_note(toys: dict[str, Note]) -> None:
    assert "are counted in this chapter" in toys["Note 2 to Chapter 95"].text


def test_a_note_for_several_headings_speaks_of_each() -> None:
    text = 'For the purposes of headings 5204, 5401 and 5508, the expression "yarn wound for sewing" means, in 2 plies:'
    found = understand([("", text)], family=NoteFamily.LEGAL, number="5", section=11, chapter=None)
    assert found.targets == ("5204", "5401", "5508")
    assert [found.concerns(code) for code in ("5401", "5508.10", "5402")] == [True, True, False]


def test_kinds_follow_the_words(toys: dict[str, Note]) -> None:
    assert toys["Subheading Note 1 to Chapter 95"].kind is NoteKind.INCLUDES
    assert toys["Subheading Note 1 to Chapter 95"].applies_to == ("950450",)
    assert toys["Additional U.S. Note 1 to Chapter 95"].kind is NoteKind.DIRECTS


def test_what_the_publisher_adds_is_no_law_and_titles_are_whole() -> None:
    text = TOYS.replace("(c) Whips:", "(c) Whips:1/\n[COMPILER'S NOTE: see the\nFederal Register.]").replace(
        "games.", "games.2/"
    )
    found = {note.reference: note.text for note in parse(text)}
    assert found == {note.reference: note.text for note in parse(TOYS)}
    assert titles(text) == {Code("95"): "WORDS OF THE TITLE, AND MORE OF THEM"}


def test_the_rules_of_interpretation_are_cited_as_such_and_belong_to_no_code() -> None:
    rules = "GENERAL RULES OF INTERPRETATION\n1. All goods.\nADDITIONAL U.S. RULES OF INTERPRETATION\n1. In the US.\n"
    notes = Notes("test", tuple(parse(rules + TOYS)))
    cited = [note.reference for note in notes.notes[:2]]
    assert cited == ["General Rule of Interpretation 1", "Additional U.S. Rule of Interpretation 1"]
    assert not {note.reference for note in notes.concerning("9503")} & set(cited)
    assert "Note 4 to Chapter 95" in {note.reference for note in notes.concerning("9503")}


def test_notes_that_were_stored_before_are_cited_as_they_are_now(toys: dict[str, Note]) -> None:
    rule = replace(toys["Additional U.S. Note 1 to Chapter 95"], section=0, chapter=None)
    packed = json.loads(pack_notes(Notes("test", (rule,))))
    del packed["titles"]
    [found] = unpack_notes(json.dumps(packed).encode()).notes
    assert found.reference == "Additional U.S. Rule of Interpretation 1"


def test_notes_come_back_from_their_packing(toys: dict[str, Note]) -> None:
    notes = Notes("2025-rev-7", in_legal_order(toys.values()), {Code("95"): "Toys"})
    assert unpack_notes(pack_notes(notes)) == notes


def test_a_file_without_notes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Nothing of the kind")
    with pytest.raises(SourceError, match=r"is a text or table that begins .*, not notes"):
        read_notes([tmp_path / "notes.txt"], "x")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 cut off")
    with pytest.raises(SourceError, match=r"broken\.pdf is not a PDF"):
        read_notes([tmp_path / "broken.pdf"], "x")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("heading 7102 to 7104", ("7102", "7103", "7104")),
        ("chapter 39, 40, 44 or 48 or section VIII", ("39", "40", "44", "48", "41", "42", "43")),
        ("subheadings 6201.30.40 and 6202.30.40, of 1998", ("62013040", "62023040")),
        ("lubricants of 2710 or 3403 made in 2010", ("2710", "3403")),
        ("Note 2(a) to Chapter 84", ()),
        ("not exceeding 5000 decitex or 1234 kg", ()),
    ],
)
def test_codes_named_in_a_text(text: str, codes: tuple[str, ...]) -> None:
    assert codes_named(text) == codes


@pytest.fixture(scope="session")
def printed(shared: Path) -> Notes:
    """The PDFs of the General Rules, section XVI and chapters 61, 85 and 95."""
    return read_notes(sorted((shared / "us-notes/pdf").glob("*.pdf")), "2025-rev-7")


def test_the_exclusions_of_chapter_95_note_1_point_to_their_headings(printed: Notes) -> None:
    exclusions = {
        each.reference.removeprefix("Note 1").removesuffix(" to Chapter 95"): each
        for each in printed.exclusions("95")
        if each.reference.startswith("Note 1(")
    }
    assert list(exclusions) == [f"({label})" for label in "a b c d e f g h ij k l m n o p q r s t u v w x".split()]
    pointed = {label: exclusion.goes_to for label, exclusion in exclusions.items()}
    assert pointed["(a)"] == ("3406",)
    assert pointed["(d)"] == ("4202", "4303", "4304")
    assert pointed["(h)"] == ("6602", "6603")
    assert pointed["(m)"] == ("8413", "8421", "8501", "8504", "8523", "8526", "8543")
    assert pointed["(n)"] == ("86", "87", "88", "89")
    assert pointed["(o)"] == ("8712",)
    assert pointed["(v)"] == ("9620",)
    assert pointed["(w)"] == pointed["(x)"] == ()
    assert {exclusion.excluded_from for exclusion in exclusions.values()} == {("95",)}


@pytest.mark.parametrize(
    ("place", "legal"), [("61", 10), ("85", 12), ("95", 6), ("XVI", 6)], ids=["ch61", "ch85", "ch95", "sec16"]
)
def test_every_legal_note_of_the_pdfs_is_found(printed: Notes, place: str, legal: int) -> None:
    numbers = [note.number for note in printed.of(place) if note.family is NoteFamily.LEGAL]
    assert numbers == [str(number) for number in range(1, legal + 1)]


def test_a_section_note_excludes_from_each_of_its_chapters(printed: Notes) -> None:
    goes_to = {each.reference: each.goes_to for each in printed.exclusions("8471")}
    assert goes_to["Note 1(p) to Section XVI"] == ("95",)
    assert goes_to["Note 1(e) to Section XVI"] == ("5910", "5911")


def test_the_general_rules_are_complete(printed: Notes) -> None:
    rules = [note for note in printed.notes if note.family is NoteFamily.GENERAL_RULE]
    assert [rule.number for rule in rules] == ["1", "2", "3", "4", "5", "6"]
    assert [part.label for part in rules[2].paragraphs] == ["", "(a)", "(b)", "(c)"]


def test_the_text_edition_says_what_the_pdfs_say(printed: Notes, shared: Path) -> None:
    text = {
        note.reference: note for note in read_notes([shared / "us-notes/us_notes_2025rev7_text.json.gz"], "x").notes
    }
    assert len(text) > 800
    for note in printed.notes:
        assert [part.label for part in text[note.reference].paragraphs] == [part.label for part in note.paragraphs]


@pytest.fixture(scope="session")
def loaded(shared: Path) -> tuple[Notes, Notes]:
    """All notes of the HTS, and the explanatory notes to the CN."""
    american = read_notes([shared / "us-notes/us_notes_2025rev7_text.json.gz"], "x")
    return american, read_explanatory_notes(shared / "eu-cn/cnen_2026-02_EN.json.gz")


def test_every_name_and_text_of_the_published_notes_is_clean(loaded: tuple[Notes, Notes]) -> None:
    name = re.compile(
        r"(Note|Subheading Note|Additional U\.S\. Note|Statistical Note) \d+ to (Section [IVX]+|Chapter \d+)|"
        r"(General|Additional U\.S\.) Rule of Interpretation \d|"
        r"Explanatory Note to (\d{4}(\.\d+)*|Section [IVX]+|Chapter \d+)"
    )
    foreign = re.compile(r"(?i:compiler)|[►◄▼]|Annotated for Statistical|Harmonized Tariff Schedule of the")
    seen = [note for notes in loaded for note in notes.notes]
    assert len(seen) > 3_000
    assert [note.reference for note in seen if not name.fullmatch(note.reference)] == []
    assert [note.reference for note in seen if foreign.search(note.text)] == []
    assert [note.reference for note in seen if re.search(r"\b(CHAPTER|SECTION) [\dIVX]+ [A-Z]{2}", note.text)] == []
    assert [note.reference for note in loaded[0].notes if re.search(r"[^\d/]\d/(\s|$)", note.text)] == []
    assert len({note.reference for note in seen}) == len(seen)


def test_every_chapter_of_the_hts_has_its_whole_title(loaded: tuple[Notes, Notes]) -> None:
    printed = loaded[0].titles
    assert set(printed) == {chapter for chapter in chapters() if chapter < "98"}
    assert all(title.isupper() and title[-1] not in ",;" and len(title) > 3 for title in printed.values())
    assert max(map(len, printed.values())) > 200


def test_the_last_explanatory_note_of_a_chapter_ends_there_and_the_next_chapter_has_its_own(tmp_path: Path) -> None:
    records = [
        {"c": ["0101"], "h": "Live horses, asses, mules", "t": "Live horses, asses, mules and hinnies"},
        {
            "c": ["0106"],
            "h": "Other",
            "t": "Other ►M36 It covers dogs. ◄ CHAPTER 2 MEAT AND OFFAL General 1. Fit meat stays.",
        },
        {
            "c": ["0208"],
            "h": "Other meat, fresh,",
            "t": "Other meat, fresh, or frozen This heading covers hares. SECTION II PLANTS CHAPTER 6 TREES",
        },
    ]
    (tmp_path / "notes.json").write_text(json.dumps({"source": {"documentDate": "2026"}, "records": records}))
    found = {note.reference: note.text for note in read_explanatory_notes(tmp_path / "notes.json").notes}
    assert found == {
        "Explanatory Note to 0106": "It covers dogs.",
        "Explanatory Note to Chapter 2": "1. Fit meat stays.",
        "Explanatory Note to 0208": "This heading covers hares.",
    }


def test_explanatory_notes_are_keyed_by_code_and_never_bind(shared: Path) -> None:
    notes = read_explanatory_notes(shared / "eu-cn/cnen_2026-02_EN.json.gz")
    agar = next(note for note in notes.notes if note.applies_to == ("13023100",))
    assert agar.family is NoteFamily.EXPLANATORY
    assert not agar.text.startswith("Agar-agar")
    assert agar in notes.concerning(Code("13023100"))
    assert agar not in notes.concerning(Code("13023210"))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("hts.json", b'[{"htsno": "0101", "indent": "0"}]', "hts.json is an export of the HTS, a schedule, not notes"),
        (
            "cross.jsonl",
            b'{"rulingNumber": "N1"}\n{"rulingNumber": "N2"}',
            "cross.jsonl is a file of CROSS rulings, not",
        ),
        ("taric.xlsx", b"PK\x03\x04\xff\xfe", "taric.xlsx is a ZIP or a workbook, not notes"),
        ("notes.txt.gz", gzip.compress(b"Chapter", mtime=0)[:12], "notes.txt.gz cannot be read"),
    ],
)
def test_a_file_that_holds_no_notes_is_called_what_it_is(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=re.escape(said)):
        read_notes([tmp_path / name], "test")
