"""`pcs classify` on files: every row gets its answer or its error in its place, and no cell becomes a formula."""

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcs.cli.product_files import ProductFileError, read_products, write_answers


@pytest.fixture(scope="module")
def app() -> object:
    import typer  # noqa: PLC0415 - typer apps are made here only

    from pcs.cli.classify import command  # noqa: PLC0415

    made = typer.Typer()
    made.command()(command)
    return made


def test_a_file_is_answered_row_by_row(app: object, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text('{"name": "men\'s cotton t-shirt"}\n{"name": ""}\n{"name": "gift"}\n')
    arguments = [
        "--input",
        str(source),
        "--output",
        str(output),
        "--schedule",
        "EU-CN",
        "--data-dir",
        str(tmp_path / "data"),
    ]
    ran = CliRunner().invoke(app, arguments)  # type: ignore[arg-type]
    assert ran.exit_code == 0, ran.output
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert rows[0]["code"] == "61091000"
    assert "needs a `name`" in rows[1]["error"]
    assert rows[2]["error"] == "INSUFFICIENT_INFORMATION"


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
        ("a.txt", "tee", "give a .jsonl"),
        ("a.csv", "title\ntee", "must be `name`"),
        ("a.jsonl", "{", "line 1: not JSON"),
        ("a.jsonl", "[1]", "must be an object"),
    ],
)
def test_a_file_that_holds_no_products_is_refused_with_what_is_wrong(
    tmp_path: Path, name: str, content: str, why: str
) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(ProductFileError, match=why.replace("[", r"\[")):
        read_products(file)


def test_cells_that_a_spreadsheet_would_run_are_defused(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    write_answers(file, [{"name": "=1+1"}, {"name": "@SUM(A1)"}, {"name": "plain", "list": [1]}])
    assert [row["name"] for row in csv.DictReader(file.read_text().splitlines())] == ["'=1+1", "'@SUM(A1)", "plain"]
