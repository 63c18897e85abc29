"""`pcs classify` on files: every row gets its answer or its error in its place, and no cell becomes a formula."""

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner

from pcs.cli.product_files import ProductFileError, products_in


@pytest.fixture(scope="module")
def app() -> object:
    import typer  # noqa: PLC0415 - typer apps are made here only

    from pcs.cli.classify import command  # noqa: PLC0415

    made = typer.Typer()
    made.command()(command)
    return made


def ran(app: object, source: Path, output: Path, folder: Path, schedule: str = "EU-CN") -> Any:
    arguments = ["--input", source, "--output", output, "--schedule", schedule, "--data-dir", folder / "data"]
    return CliRunner().invoke(app, list(map(str, arguments)))  # type: ignore[arg-type]


def said(result: Any) -> str:
    """What was printed, without the frame that is drawn around it."""
    return " ".join(result.output.replace("│", " ").split())


def test_a_file_is_answered_row_by_row(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text('{"name": "men\'s cotton t-shirt"}\n{"name": ""}\n{"name": "gift"}\n')
    result = ran(app, source, output, tmp_path)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert rows[0]["code"] == "61091000"
    assert "row 2: name is needed" in rows[1]["error"]
    assert rows[2]["error"] == "INSUFFICIENT_INFORMATION"
    assert "2 products classified" in said(result)
    assert "1 rows have an error" in said(result)


def test_the_answers_stand_behind_the_customer_s_own_columns_in_the_file_s_own_dialect(
    app: object, tmp_path: Path
) -> None:
    source, output = tmp_path / "Artikel.csv", tmp_path / "out.csv"
    text = (
        "Preis;Artikelnummer;Bezeichnung;Beschreibung;Ursprungsland\n-1,50;007;T-Shirt für Herren;cotton;Bangladesh\n"
    )
    source.write_bytes(text.replace("Bangladesh", "BD").encode("cp1252"))
    result = ran(app, source, output, tmp_path)
    assert result.exit_code == 0, result.output
    assert output.read_bytes().startswith(b"\xef\xbb\xbf"), "Excel's mark, as the file was no plain UTF-8"
    header, row = csv.reader(output.read_text("utf-8-sig").splitlines(), delimiter=";")
    ours = ["code", "description", "confidence", "needs_review", "alternatives"]
    assert header[:10] == ["Preis", "Artikelnummer", "Bezeichnung", "Beschreibung", "Ursprungsland", *ours]
    assert row[:3] == ["-1,50", "007", "T-Shirt für Herren"]
    assert row[header.index("needs_review")] in {"yes", "no"}


def test_a_workbook_is_answered_as_a_workbook(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    for cells in (
        [],
        ["SKU", "Name", "Description"],
        [4006381333931, "Men's T-shirt", "cotton"],
        ["=1+1", "Pen", "=x"],
    ):
        book.worksheets[0].append(cells)
    book.worksheets[0]["A4"].data_type = book.worksheets[0]["C4"].data_type = "s"
    book.save(source)
    result = ran(app, source, output, tmp_path, "US-HTS")
    assert result.exit_code == 0, result.output
    header, first, second = openpyxl.load_workbook(output).worksheets[0].iter_rows(values_only=True)
    assert header[:6] == ("SKU", "Name", "Description", "code", "US-HTS description", "confidence")
    assert (first[0], len(str(first[3]))) == ("4006381333931", 10)
    assert (second[0], second[2]) == ("'=1+1", "'=x")


def test_json_lines_keep_what_they_say(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(
        '{"name": "cotton t-shirt", "tags": [1, null]}\n\n{"Name": 1, "name": {"en": "x"}, "code": "mine"}\n'
    )
    assert ran(app, source, output, tmp_path).exit_code == 0
    first, second = map(json.loads, output.read_text().splitlines())
    assert list(first)[:2] == ["name", "tags"]
    assert first["tags"] == [1, None]
    assert (second["code"], second["name"]) == ("mine", {"en": "x"})
    assert "must be text" in second["error"]


def test_the_same_twice_is_told(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("sku,name\n1,cotton t-shirt\n1,gift\n")
    result = ran(app, source, output, tmp_path)
    assert "in.csv: row 3 has the same identifier as row 2." in said(result)
    assert len(output.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("source", "output", "why"),
    [
        ("none.csv", "out.csv", "no such file"),
        (".", "out.csv", "is a folder"),
        ("in.csv", "out.txt", "written as .csv, .xlsx or .jsonl"),
        ("in.csv", "none/out.csv", "no such folder"),
        ("in.csv", "in.csv", "would overwrite the products"),
        ("header.csv", "out.csv", "has a header and no rows below it"),
        ("colon.csv", "out.csv", "Put a comma, a semicolon or a tab between the cells"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    app: object, tmp_path: Path, source: str, output: str, why: str
) -> None:
    (tmp_path / "in.csv").write_text("name\ntee\n")
    (tmp_path / "header.csv").write_text("name,sku\n")
    (tmp_path / "colon.csv").write_text("name:sku\ntee:1\n")
    result = ran(app, tmp_path / source, tmp_path / output, tmp_path)
    assert result.exit_code == 2
    assert why in said(result)
    assert not (tmp_path / "out.csv").exists()


def test_one_text_prints_the_determination_as_json(app: object, tmp_path: Path) -> None:
    arguments = ["men's cotton t-shirt", "--schedule", "US-HTS", "--json", "--data-dir", str(tmp_path)]
    ran = CliRunner().invoke(app, arguments)  # type: ignore[arg-type]
    found = json.loads(ran.stdout)
    assert found["code"].startswith("610910")
    assert found["hierarchy"][-1]["code"] == found["code"]


@pytest.mark.parametrize("arguments", [[], ["tee", "--input", "x.csv"], ["--input", "x.csv"]])
def test_neither_or_both_is_refused_in_a_sentence(app: object, arguments: list[str]) -> None:
    ran = CliRunner().invoke(app, arguments)  # type: ignore[arg-type]
    assert ran.exit_code == 2
    assert "either a TEXT" in " ".join(ran.output.split())


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.txt", "tee", "cannot be told into columns"),
        ("a.csv", "weight,sku\n1,2", "no column that is called `name`"),
        ("a.jsonl", "{", "line 1: not JSON"),
        ("a.jsonl", "[1]", "must be an object"),
        ("a.csv", "%PDF-1.7", "PDF"),
    ],
)
def test_a_file_that_holds_no_products_is_refused_with_what_is_wrong(
    tmp_path: Path, name: str, content: str, why: str
) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(ProductFileError, match=why.replace("[", r"\[")), products_in(file) as table:
        table.survey()
