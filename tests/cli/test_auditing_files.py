"""`pcs audit` on files: the same rows back, each beside what was found."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from pcs.cli.audit import command


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    made = typer.Typer()
    made.command()(command)
    return made


def ran(app: typer.Typer, source: Path, output: Path, folder: Path) -> Any:
    arguments = ["--input", source, "--output", output, "--schedule", "EU-CN", "--data-dir", folder / "data"]
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_same_rows_come_back_with_what_was_found_beside_each_filed_code(app: typer.Typer, tmp_path: Path) -> None:
    source, output = tmp_path / "filed.csv", tmp_path / "audited.csv"
    source.write_text(
        "SKU;Name;HS code;audit\n"
        "7;men's cotton t-shirt;6109.10.00;first\n"
        "8;men's cotton t-shirt;6110 20 99;\n"
        "9;men's cotton t-shirt;;\n"
        "10;men's cotton t-shirt;610910001;\n"
        "11;gift;61091000;\n"
    )
    result = ran(app, source, output, tmp_path)
    assert result.exit_code == 0, result.output
    header, *rows = csv.reader(output.read_text().splitlines(), delimiter=";")
    assert header[:6] == ["SKU", "Name", "HS code", "audit", "EU-CN audit", "audit_reason"]
    told = [dict(zip(header, row, strict=True)) for row in rows]
    assert [one["SKU"] for one in told] == ["7", "8", "9", "10", "11"]
    assert (told[0]["audit"], told[0]["EU-CN audit"], told[0]["found_code"]) == ("first", "agrees", "61091000")
    assert told[1]["EU-CN audit"] == "differs"
    assert "row 4: there is no filed code to compare" in told[2]["audit_error"]
    assert "has 9 digits: put back the 0 in front" in told[3]["audit_error"]
    assert told[4]["EU-CN audit"] == "not compared"
    assert "5 rows audited." in result.output
    assert "2 rows have an error instead" in result.output


def test_what_is_said_of_one_row_is_in_the_singular(app: typer.Typer, tmp_path: Path) -> None:
    source = tmp_path / "filed.csv"
    source.write_text("name,declared code\nmen's cotton t-shirt,61091000\n")
    assert ran(app, source, tmp_path / "audited.csv", tmp_path).output.endswith("1 row audited.\n  1 agrees\n")
    source.write_text("name,declared code\ngift,\n")
    told = ran(app, source, tmp_path / "wrong.csv", tmp_path).output
    assert told.endswith("1 row audited.\n  1 row has an error instead\n")


def test_json_lines_keep_their_keys_and_what_is_not_known_is_null(app: typer.Typer, tmp_path: Path) -> None:
    source, output = tmp_path / "filed.jsonl", tmp_path / "audited.jsonl"
    source.write_text('{"name": "men\'s cotton t-shirt", "cn_code": "61091000", "price": 4}\n')
    assert ran(app, source, output, tmp_path).exit_code == 0
    [one] = map(json.loads, output.read_text().splitlines())
    assert (one["price"], one["audit"], one["agreeing_digits"]) == (4, "agrees", 8)
    assert one["duty_difference"] is None, "the starter schedule has no duties"


def test_a_file_without_a_column_of_filed_codes_is_refused_with_what_to_do(app: typer.Typer, tmp_path: Path) -> None:
    source = tmp_path / "filed.csv"
    source.write_text("name,hts code\nmug,6912000000\n")
    result = ran(app, source, tmp_path / "audited.csv", tmp_path)
    said = " ".join(result.output.replace("│", " ").split())
    assert result.exit_code == 2
    assert "has no column of filed codes: call it `declared code` or `declared_codes.EU-CN`" in said
    assert not (tmp_path / "audited.csv").exists()
