"""`pcs classify` on files: every row gets its answer or its error in its place, and no cell becomes a formula."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import CliRunner

from pcs.cli.product_files import ProductFileError, products_in
from pcs.schedules import store
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow


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
    assert rows[0]["code"] == rows[0]["final_code"] == "61091000"
    assert (rows[0]["needs_review"], rows[0]["decided_by"]) == ("no", "engine")
    assert not any(row[title] for row in rows[1:] for title in ("final_code", "final_description", "decided_by"))
    assert "row 2: name is needed" in rows[1]["error"]
    assert rows[2]["error"] == "INSUFFICIENT_INFORMATION"
    assert said(result).endswith("out.csv, 1 has no code, 1 row has an error instead.")
    assert "2 products classified" in said(result)


def test_attributes_come_in_columns_of_their_own_or_as_json(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text(
        'name,attribute:outer_material,attributes\nhandbag,leather,"{""lining"": ""cotton""}"\nhandbag,leather,wrong\n'
    )
    assert ran(app, source, output, tmp_path).exit_code == 0
    told, wrong = map(json.loads, output.read_text().splitlines())
    assert told["code"].startswith("420221")
    assert told["attribute:outer_material"] == "leather"
    assert "one a line as name: value" in wrong["error"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"name": "handbag", "attributes": {"outer_material": "leather", "width": 30}}\n')
    with products_in(lines) as table:
        [row] = table.rows()
    assert row.product is not None
    assert row.product.attributes == {"outer_material": "leather", "width": "30"}


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
    ours = ["final_code", "final_description", "decided_by"]
    ours += ["code", "description", "confidence", "needs_review", "alternatives"]
    ours += ["confident_digits", "missing_information", "reading", "error", "reasoning", "schedule_revision"]
    assert header == ["Preis", "Artikelnummer", "Bezeichnung", "Beschreibung", "Ursprungsland", *ours]
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
    assert header[3:9] == ("final_code", "final_description", "decided_by", "code", "US-HTS description", "confidence")
    assert (first[0], len(str(first[6]))) == ("4006381333931", 10)
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


def test_an_answer_carries_its_doubt_and_what_was_understood(app: object, tmp_path: Path) -> None:
    source, table, lines = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "out.jsonl"
    source.write_text("name,description\nshirt,60% cotton 40% polyester\nshirt,not knitted\ngift,\n")
    for output in (table, lines):
        assert ran(app, source, output, tmp_path).exit_code == 0
    shown = list(csv.DictReader(table.read_text().splitlines()))
    plain = [json.loads(line) for line in lines.read_text().splitlines()]
    told = ["shirt; made of: cotton 60%, polyester 40%", "shirt; not: knitted", "gift"]
    assert [row["reading"] for row in shown] == told
    assert plain[0]["reading"]["made_of"] == [
        {"part": "", "material": "cotton", "share": 60.0},
        {"part": "", "material": "polyester", "share": 40.0},
    ]
    assert plain[1]["reading"]["denied"] == ["knitted"]
    for row, said in zip(shown, plain, strict=True):
        assert row["missing_information"] == " ".join(said["missing_information"])
        assert row["confident_digits"] == ("" if said["confident_digits"] is None else str(said["confident_digits"]))
        assert row["needs_review"] == {True: "yes", False: "no", None: ""}[said["needs_review"]]
        assert [other.split(" (")[0] for other in row["alternatives"].split("; ") if other] == [
            other["code"] for other in said["alternatives"]
        ]
    assert shown[0]["alternatives"].endswith("%)")
    assert plain[2]["missing_information"][0] == "What is the product?"


@pytest.mark.parametrize(("threshold", "marked"), [("0", "no"), ("1", "yes")])
def test_an_answer_is_marked_for_review_below_the_threshold_asked_for(
    app: object, tmp_path: Path, threshold: str, marked: str
) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("name\ncotton t-shirt\n")
    files = ["--input", str(source), "--output", str(output)]
    done = CliRunner().invoke(app, [*files, "--review-below", threshold, "--data-dir", str(tmp_path)])  # type: ignore[arg-type]
    assert done.exit_code == 0, done.output
    [row] = csv.DictReader(output.read_text().splitlines())
    assert row["needs_review"] == marked
    assert (row["confident_digits"] == "0") == (marked == "yes")


@pytest.mark.parametrize("threshold", ["1.1", "-0.1", "nan", "half"])
def test_a_threshold_that_is_no_probability_is_refused(app: object, tmp_path: Path, threshold: str) -> None:
    done = CliRunner().invoke(app, ["tee", "--review-below", threshold, "--data-dir", str(tmp_path)])  # type: ignore[arg-type]
    assert done.exit_code == 2
    assert "--review-below" in said(done)


def test_one_text_is_told_with_its_reading_the_confidence_of_each_level_and_what_else_is_likely(
    app: object, tmp_path: Path
) -> None:
    asked = ["leather handbag, cotton lining, without zipper", "--schedule", "EU-CN", "--data-dir", str(tmp_path)]
    done = CliRunner().invoke(app, asked)  # type: ignore[arg-type]
    told = said(done)
    assert "What we understood The goods leather handbag Made of leather Lining cotton Not zipper" in told
    assert re.search(r"Code Confidence Description .* 4202 \d\d% ", told)
    assert re.search(r"Likely headings: 4202[, .\d]* Likely subheadings: 4202\.\d\d", told)
    assert re.search(r"or \d{4}\.\d\d\.\d\d \(\d+%\)", told)


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
def test_what_cannot_be_done_is_said_before_anything_is_opened_or_written(
    app: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, source: str, output: str, why: str
) -> None:
    monkeypatch.setattr("pcs.cli.classify.opened_methods", lambda *_: pytest.fail("the engine was opened"))
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
    assert found["code"][:4] in found["likely_headings"]
    assert found["code"][:6] in found["likely_subheadings"]
    assert found["reading"]["goods"] == "men's cotton t-shirt"
    assert found["steps"][0]["outcome"] == "men's cotton t-shirt; made of: cotton"
    undetermined = CliRunner().invoke(app, ["various parts", *arguments[1:]])  # type: ignore[arg-type]
    said_of_it = json.loads(undetermined.stdout)
    assert (said_of_it["undetermined"], said_of_it["reading"]["goods"]) == ("INSUFFICIENT_INFORMATION", "various parts")


def test_one_text_is_told_in_official_words_of_another_language_where_they_are_loaded(
    app: object, tmp_path: Path
) -> None:
    schedule = Library(tmp_path).schedule(ScheduleName.EU_CN)
    shirts = schedule.get(Code("61091000"))
    assert shirts is not None
    rows = [
        PublishedRow(node.code, depth, f"DE {node.text}", declarable=node is shirts)
        for depth, node in enumerate(schedule.path(shirts), 1)
    ]
    german = assemble(ScheduleName.EU_CN, f"{schedule.revision.edition}-de", rows)
    store.write_revision(tmp_path, german)
    asked = ["knitted cotton t-shirt", "--schedule", "EU-CN", "--data-dir", str(tmp_path), "--json"]
    told = CliRunner().invoke(app, [*asked, "--words-in", "Deutsch"])  # type: ignore[arg-type]
    answer = json.loads(told.stdout)
    assert {level["description"][:3] for level in answer["hierarchy"]} == {"DE "}
    assert answer["description"].startswith("DE ")
    polish = CliRunner().invoke(app, [*asked, "--words-in", "pl"])  # type: ignore[arg-type]
    assert json.loads(polish.stdout)["description"] == json.loads(CliRunner().invoke(app, asked).stdout)["description"]  # type: ignore[arg-type]
    assert "not loaded in pl" in polish.stderr


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
