from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from pcs.tariff.schedule import Schedule
from pcs.tariff.sources import taric, usitc_hts
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.problem import SourceError


def hts(code: str, indent: int, text: str, *, general: str = "", units: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"htsno": code, "indent": str(indent), "description": text, "general": general, "units": list(units)}


SHIRTS = [
    hts("6109", 0, "T-shirts:"),
    hts("6109.10.00", 1, "Of cotton", general="16.5%"),
    hts("", 2, "Men's or boys':"),
    hts("6109.10.00.12", 3, "Men's (338)", units=("doz.", "kg")),
    hts("6109.90.10.00", 1, "Of silk &amp; wool, over 300 g/m<sup>2</sup>", general="Free"),
    hts("9801.00.10", 0, "Returned goods"),
]


def text_of(schedule: Schedule, code: str) -> str:
    node = schedule.get(code)
    assert node is not None
    return schedule.description(node)


def test_the_json_export_becomes_a_tree_with_rates_and_units() -> None:
    schedule = usitc_hts.read_json(json.dumps(SHIRTS), "2026-rev-10")
    line = schedule.get("6109100012")
    assert line is not None
    assert schedule.description(line) == "T-shirts > Of cotton > Men's or boys' > Men's (338)"
    assert line.units == ("doz.", "kg")
    duty = schedule.duty(line)
    assert duty is not None
    assert duty.general == "16.5%"
    assert [line.code for line in schedule.lines] == ["6109100012", "6109901000"]


def test_html_in_a_text_becomes_plain_text_with_its_powers() -> None:
    schedule = usitc_hts.read_json(json.dumps(SHIRTS), "2026-rev-10")
    assert text_of(schedule, "61099010") == "T-shirts > Of silk & wool, over 300 g/m²"


def test_the_csv_export_says_the_same_as_the_json_export() -> None:
    out = io.StringIO()
    header = ["HTS Number", "Indent", "Description", "Unit of Quantity"]
    writer = csv.writer(out)
    writer.writerow([*header, "General Rate of Duty", "Special Rate of Duty", "Column 2 Rate of Duty"])
    for row in SHIRTS:
        units = json.dumps(row["units"]) if row["units"] else ""
        writer.writerow([row["htsno"], row["indent"], row["description"], units, row["general"], "", ""])
    from_csv = usitc_hts.read_csv("\ufeff" + out.getvalue(), "2026-rev-10")
    assert from_csv.revision.digest == usitc_hts.read_json(json.dumps(SHIRTS), "2026-rev-10").revision.digest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<html>busy</html>", "not the JSON export"),
        ('{"error": 1}', "list of rows"),
        ('[{"htsno": "61O9", "indent": "0"}]', "Row 1"),
        ('[{"htsno": "6109", "description": "x"}]', "has no indent"),
    ],
)
def test_what_is_not_an_export_is_refused_in_a_sentence(content: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        usitc_hts.read_json(content, "2026-basic")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("codes.json", '[{"code": "01012100", "rawCode": "0101 21 00"}]', "Combined Nomenclature.*from its SKOS"),
        ("cn.ttl", "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .", "SKOS of the Combined Nomenclature"),
        ("rulings.jsonl", '{"rulingNumber": "N1"}', "CROSS rulings.*pcs rulings import"),
        ("notes.json", '{"general": {"General Note 1": "All goods"}}', "HTS's notes.*pcs schedules notes"),
        ("cnen.json", '{"source": {"celex": "1"}, "records": []}', "explanatory notes.*pcs schedules notes"),
        ("Chapter 61.pdf", "%PDF-1.7", "a PDF.*pcs schedules notes"),
        ("busy.json", "<!DOCTYPE html><html>", "a web page"),
        ("goods.csv", "name;price\nshirt;2", "begins 'name;price'"),
        ("settings.toml", "[tool]\na = 1", "begins '.tool.'"),
        ("other.json", '{"a": 1}', "JSON of something else"),
        ("nothing.json", "", "empty"),
    ],
)
def test_a_wrong_file_is_called_what_it_is_and_no_edition_is_asked_for(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(SourceError, match=rf"(?s)^{name} is .*{said}") as refused:
        read_schedule(tmp_path / name)
    assert "--edition" not in str(refused.value)


def test_a_wrong_archive_is_called_what_it_is(tmp_path: Path) -> None:
    for inside, said in (("BTI_2025.csv", "EBTI's ZIP.*pcs rulings import"), ("letter.txt", "holds letter.txt")):
        with zipfile.ZipFile(tmp_path / "file.zip", "w") as archive:
            archive.writestr(inside, "x")
        with pytest.raises(SourceError, match=said):
            read_schedule(tmp_path / "file.zip")
    (tmp_path / "file.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(SourceError, match="cut off or damaged"):
        read_schedule(tmp_path / "file.zip")


def test_an_export_named_after_no_edition_needs_one(tmp_path: Path) -> None:
    file = tmp_path / "export.json.gz"
    file.write_bytes(gzip.compress(json.dumps(SHIRTS).encode()))
    with pytest.raises(SourceError, match="--edition"):
        read_schedule(file)
    assert read_schedule(file, edition="2026-rev-1").revision.edition == "2026-rev-1"


def workbook(path: Path, rows: list[tuple[Any, ...]], *, reference: str = "01082025") -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Goods code", "Start date", "End date", "Language", "Hier. Pos.", "Indent", "Description", "Descr."])
    for code, position, indent, text, end in rows:
        sheet.append([code, "01-01-2012", end, "EN", position, indent, text, "01-01-2012"])
    book.create_sheet("SQL").append([f"WHERE TRUNC(ni.dat_start) <= to_date('{reference}','ddMMYYYY')"])
    book.save(path)
    return path


CATTLE = [
    ("0100000000 80", 2, None, "LIVE ANIMALS", None),
    ("0102000000 80", 4, None, "Live bovine animals", None),
    ("0102210000 10", 6, "- ", "Cattle", None),
    ("0102210000 80", 6, "- - ", "Pure-bred", None),
    ("0102290000 80", 6, "- - ", "Other", None),
    ("0102291000 10", 8, "- - - ", "Of other kinds", None),
    ("0102291000 80", 8, "- - - - ", "Not over 80|kg, H@2O per m$3", None),
    ("0102291010 10", 10, "- - - - - ", "Group of TARIC's own", None),
    ("0102291010 80", 10, "- - - - - - ", "TARIC's own", None),
    ("0102299900 80", 8, "- - - - ", "Ended", "31-07-2025"),
    ("4201000000 80", 4, None, "Saddlery", None),
    ("4201000010 80", 10, "- ", "TARIC's own", None),
]


def test_taric_becomes_the_combined_nomenclature(tmp_path: Path) -> None:
    schedule = read_schedule(workbook(tmp_path / "taric_2025-08_EN.xlsx", CATTLE))
    assert [line.code for line in schedule.lines] == ["01022100", "01022910", "42010000"]
    expected = "Live bovine animals > Cattle > Other > Of other kinds > Not over 80 kg, H₂O per m³"
    assert text_of(schedule, "01022910") == expected
    assert schedule.revision.in_force_from == dt.date(2025, 8, 1)
    assert schedule.revision.edition == "2025-08"


def test_a_row_that_ended_is_in_force_on_an_earlier_day(tmp_path: Path) -> None:
    earlier = workbook(tmp_path / "x.xlsx", CATTLE, reference="01072025")
    assert read_schedule(earlier).get("01022999") is not None


def test_a_workbook_of_something_else_is_refused(tmp_path: Path) -> None:
    Workbook().save(tmp_path / "other.xlsx")
    with pytest.raises(SourceError, match="no column Goods code"):
        taric.read_xlsx(tmp_path / "other.xlsx")
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(SourceError, match="not an XLSX workbook"):
        taric.read_xlsx(tmp_path / "broken.xlsx")
