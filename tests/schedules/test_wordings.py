"""Official words in other languages: which are loaded, what they say of a code, and what they lack."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from openpyxl import Workbook
from typer.testing import CliRunner

from pcs.cli.schedules import app
from pcs.engine.result import Alternative, Level, Result
from pcs.schedules import store
from pcs.schedules.library import Library
from pcs.schedules.service import Revisions
from pcs.schedules.worded import worded
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule, described
from pcs.tariff.sources.files import read_schedule
from whole_schedule import edition

EU = ScheduleName.EU_CN
KITCHEN = Code("82119300")


def rows(*words: str, without: Iterable[str] = ()) -> list[PublishedRow]:
    """A chapter, its heading, a group, two lines in it and one beside it, in these words."""
    codes = ("82", "8211", None, "82119200", "82119300", "82119400")
    depths = (0, 1, 2, 3, 3, 2)
    return [
        PublishedRow(Code(code) if code else None, depth, text, declarable=len(code or "") == 8)
        for code, depth, text in zip(codes, depths, words, strict=True)
        if (code or "") not in without
    ]


ENGLISH = rows("TOOLS", "Knives:", "Other:", "Of fixed blades", "For the kitchen", "Blades")
GERMAN = ("WERKZEUGE", "Messer:", "andere:", "mit feststehender Klinge", "Küchenmesser", "Klingen")
FRENCH = ("OUTILLAGE", "Couteaux:", "autres:", "à lame fixe", "de cuisine", "Lames")


def stored(data_dir: Path, name: str, published: list[PublishedRow]) -> Schedule:
    schedule = assemble(EU, name, published)
    key = store.write_revision(data_dir, schedule).key
    if schedule.revision.language == "en":
        store.write_pointer(data_dir, EU, [key])
    return schedule


@pytest.fixture
def library(tmp_path: Path) -> Library:
    stored(tmp_path, "2026", ENGLISH)
    stored(tmp_path, "2026-de", rows(*GERMAN))
    stored(tmp_path, "2026-fr", rows(*FRENCH, without=("82119300",)))
    stored(tmp_path, "2025-it", rows(*GERMAN))  # of another edition
    return Library(tmp_path)


def test_the_languages_of_an_edition_are_those_it_is_stored_in(library: Library) -> None:
    assert library.languages(EU, "2026") == ("en", "de", "fr")
    assert library.languages(EU, "2026-de") == ("de", "en", "fr")
    assert library.languages(EU, "2019") == ("en",)
    stored(library.data_dir, "2026-pl", rows(*GERMAN))
    assert library.languages(EU, "2026") == ("en", "de", "fr", "pl")


def test_a_code_is_told_in_the_language_that_was_asked_for(library: Library) -> None:
    entry = library.look_up(EU, KITCHEN, language="de")
    assert (entry.description, entry.language) == ("Messer > andere > Küchenmesser", "de")
    assert [step.text for step in entry.path] == ["WERKZEUGE", "Messer:", "andere:", "Küchenmesser"]
    heading = library.look_up(EU, Code("8211"), language="de")
    assert [(each.text, each.language) for each in heading.branches] == [("andere:", "de"), ("Klingen", "de")]
    assert [each.text for each in heading.branches[0].branches] == ["mit feststehender Klinge", "Küchenmesser"]
    assert library.chapters(EU, language="de")[1][0].text == "WERKZEUGE"


def test_what_a_language_lacks_stays_in_the_publications_own_and_says_so(library: Library) -> None:
    entry = library.look_up(EU, KITCHEN, language="fr")
    assert (entry.description, entry.language) == ("Knives > Other > For the kitchen", "en")
    group = library.look_up(EU, Code("8211"), language="fr").branches[0]
    told = [(each.text, each.language) for each in (group, *group.branches)]
    assert told == [("autres:", "fr"), ("à lame fixe", "fr"), ("For the kitchen", "en")]
    for language in ("it", "pl", "en", None):
        assert library.look_up(EU, KITCHEN, language=language).language == "en"


def test_a_search_finds_in_every_loaded_language_and_tells_in_the_one_asked_for(library: Library) -> None:
    for words in ("kitchen knives", "KÜCHENMESSER", "messer andere küchen", "couteaux lame fixe"):
        hits = library.search(EU, words, language="de")
        assert [hit.code for hit in hits] == [Code("82119200") if "lame" in words else KITCHEN], words
        assert {hit.language for hit in hits} == {"de"}
    assert library.search(EU, "messer knives") == []  # each language by itself
    assert library.search(EU, "werkzeuge") == []  # as in English: from the headings down
    assert [hit.path for hit in library.search(EU, "8211.93", language="de")] == ["Messer > andere > Küchenmesser"]
    assert [hit.language for hit in library.search(EU, "küchenmesser", language="fr")] == ["en"]


def found(**changed: object) -> Result:
    english = [Level(row.code, row.text, 0.9) for row in ENGLISH if row.code != "82119200"][:4]
    others = (Alternative(Code("82119200"), "Knives > Other > Of fixed blades", 0.1, "the blade"),)
    fields = {"hierarchy": tuple(english), "alternatives": others, **changed}
    return Result(KITCHEN, "Knives > Other > For the kitchen", "It cuts.", "2026", **fields)  # type: ignore[arg-type]


def test_a_result_is_read_in_another_language_and_stays_as_it_was(library: Library) -> None:
    result = found()
    assert result.description_language == "en"
    shown = worded(result, library.wording(EU, "2026", "de"))
    assert (shown.description, shown.description_language) == ("Messer > andere > Küchenmesser", "de")
    assert [level.description for level in shown.hierarchy] == ["WERKZEUGE", "Messer:", "andere:", "Küchenmesser"]
    assert [level.confidence for level in shown.hierarchy] == [0.9] * 4
    assert [each.description for each in shown.alternatives] == ["Messer > andere > mit feststehender Klinge"]
    assert (shown.code, shown.reasoning, shown.likely_headings) == (result.code, "It cuts.", ())
    assert result == found()
    assert worded(result, None) is result


def test_a_result_whose_code_a_language_lacks_says_so_for_each_of_its_parts(library: Library) -> None:
    french = library.wording(EU, "2026", "fr")
    shown = worded(found(), french)
    assert (shown.description, shown.description_language) == ("Knives > Other > For the kitchen", "en")
    [other] = shown.alternatives
    assert (other.description, getattr(other, "description_language", None)) == (
        "Couteaux > autres > à lame fixe",
        "fr",
    )
    elsewhere = worded(found(hierarchy=(Level(Code("8211"), "Knives"),)), library.wording(EU, "2026", "de"))
    assert elsewhere.description_language == "en"  # another path: all of it stays


def test_a_damaged_language_is_left_out_until_it_is_imported_again(library: Library) -> None:
    [path] = library.data_dir.glob("schedules/EU-CN/2026-de-*/rows.json")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"Messer", b"Gabeln"))
    assert library.look_up(EU, KITCHEN, language="de").language == "en"
    path.write_bytes(whole)
    assert library.look_up(EU, KITCHEN, language="de").language == "de"


def test_revisions_are_compared_in_the_language_of_the_one_that_answers(tmp_path: Path) -> None:
    keys = {
        name: stored(tmp_path, name, ENGLISH) and store.list_revisions(tmp_path, EU)[-1].key
        for name in ("2025", "2026")
    }
    stored(tmp_path, "2025-de", rows(*GERMAN))
    stored(tmp_path, "2026-de", rows(*GERMAN))
    assert Library(tmp_path).pair(EU, "", "") == (keys["2025"], keys["2026"])


def test_a_publication_in_any_other_language_is_stored_for_its_words_and_does_not_answer(tmp_path: Path) -> None:
    file, data_dir = tmp_path / "nomenclature_2026-01.xlsx", tmp_path / "data"
    whole = edition("unused")
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Goods code", "Start date", "End date", "Language", "Hier. Pos.", "Indent", "Description"])
    for node in whole.nodes:
        dashes = "- " * (len(whole.path(node)) - 1)
        sheet.append([f"{node.code:0<10} 80", "01-01-2026", None, "IT", len(node.code or ""), dashes, node.text])
    book.save(file)
    assert read_schedule(file, edition="2026-01").revision.edition == "2026-01-it"
    Revisions(data_dir).promote(EU, Revisions(data_dir).stage(edition("2026-01")).key)
    run = CliRunner().invoke(app, ["import", str(file), "--data-dir", str(data_dir)])
    assert "EU-CN 2026-01-it" in run.stdout, run.output
    assert "its words are shown to whoever reads Italian" in " ".join(run.stdout.split())
    assert Library(data_dir).schedule(EU).revision.edition == "2026-01"
    listed = CliRunner().invoke(app, ["list", "--json", "--data-dir", str(data_dir)])
    assert [each["languages"] for each in json.loads(listed.stdout)] == [["en", "it"], ["it", "en"]]


def test_the_published_languages_say_of_every_code_what_their_own_trees_say(published: Path, tmp_path: Path) -> None:
    for language in ("EN", "DE", "FR"):
        store.write_revision(tmp_path, read_schedule(published / f"eu-cn/taric_nomenclature_2025-08_{language}.xlsx"))
    library = Library(tmp_path)
    english = library.schedule(EU, "2025-08")
    for language in ("de", "fr"):
        own, wording = library.schedule(EU, f"2025-08-{language}"), library.wording(EU, "2025-08", language)
        assert wording is not None
        for node, twin in zip(english.nodes, own.nodes, strict=True):
            assert wording.text(english, node) == twin.text
            if node.code:
                steps = [(step.code, step.text) for step in own.path(twin)]
                assert (wording.description(node.code), wording.path(node.code)) == (
                    described(steps) or twin.text,
                    tuple(steps),
                )
    assert "82119100" in {hit.code for hit in library.search(EU, "tischmesser", "2025-08")}
    said = subprocess.run(
        [sys.executable, "-c", _MEMORY, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert float(said.stdout) < 5_000_000  # bytes a language


_MEMORY = """
import pathlib, sys
from pcs.schedules.library import Library
from pcs.tariff.revision import ScheduleName

def held():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

library = Library(pathlib.Path(sys.argv[1]))
library.schedule(ScheduleName.EU_CN, "2025-08")
before = held()
for language in ("de", "fr"):
    assert library.wording(ScheduleName.EU_CN, "2025-08", language)
print((held() - before) / 2)
"""
