from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pcs.cli.schedules import app
from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.harmonized_system import chapters, headings
from pcs.tariff.revision import ScheduleName
from usitc_server import UsitcServer
from whole_schedule import KNOWN


def row(code: str, indent: int) -> dict[str, Any]:
    return {"htsno": code, "indent": str(indent), "description": f"Goods of {code}", "units": []}


@pytest.fixture
def usitc() -> Iterator[UsitcServer]:
    rows = []
    for heading in [*headings(), "9801", "9901"]:
        rows.append(row(heading, 0))
        rows += [row(f"{code}0000", 1) for code in KNOWN if code.startswith(heading)]
        rows.append(row(f"{heading}999999", 1))
    server = UsitcServer(rows)
    yield server
    server.close()


def pcs(data_dir: Path, *arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments), "--data-dir", str(data_dir)], env={"COLUMNS": "160"})


def test_the_current_schedule_is_fetched_checked_and_answers(usitc: UsitcServer, tmp_path: Path) -> None:
    usitc.refuse_wide = True
    done = pcs(tmp_path, "fetch", "us-hts", "--address", usitc.address, "--pause", "0", "--no-notes")
    assert done.exit_code == 0, done.stderr
    assert "US-HTS 2026-rev-10" in done.stdout
    assert "the current revision" in done.stdout
    assert "2026-06-08" in pcs(tmp_path, "list").stdout
    assert sum("exportList" in request for request in usitc.requests) == len(chapters()) + 1


def test_half_a_schedule_is_refused_and_nothing_answers(usitc: UsitcServer, tmp_path: Path) -> None:
    usitc.rows = [each for each in usitc.rows if not each["htsno"].startswith("0101")]
    refused = pcs(tmp_path, "fetch", "us-hts", "--address", usitc.address, "--pause", "0", "--no-notes")
    assert refused.exit_code == 1
    assert "missing: 0101" in refused.stderr
    assert "No schedule in" in pcs(tmp_path, "list").stdout


def test_the_notes_come_with_it_where_they_are_published(usitc: UsitcServer, tmp_path: Path, published: Path) -> None:
    usitc.files = {file.stem: file.read_bytes() for file in (published / "us-notes/pdf").glob("*.pdf")}
    done = pcs(tmp_path, "fetch", "us-hts", "--address", usitc.address, "--pause", "0")
    assert done.exit_code == 0, done.stderr
    notes = StoredNotes(tmp_path).notes(ScheduleName.US_HTS)
    assert notes is not None
    assert {note.chapter for note in notes.notes} >= {"61", "85", "95"}


def test_the_cn_needs_an_address_of_its_year(tmp_path: Path) -> None:
    refused = pcs(tmp_path, "fetch", "eu-cn")
    assert refused.exit_code == 1
    assert "combined-nomenclature-<year>" in refused.stderr


def test_notes_are_read_from_files(published: Path, tmp_path: Path) -> None:
    files = published / "us-notes/pdf/Chapter 95.pdf", published / "eu-cn/cnen_2026-02_EN.json.gz"
    said = pcs(tmp_path, "notes", *files, "--edition", "2025-rev-7").stdout
    assert "EU-CN: 2,2" in said
    assert "US-HTS: " in said


def test_a_further_file_of_notes_says_what_it_added_and_what_it_replaced(tmp_path: Path) -> None:
    def said(chapter: str, *numbers: int) -> str:
        text = "".join(f"{number}. This chapter does not cover goods of heading 8712.\n" for number in numbers)
        file = tmp_path / f"{chapter}.txt"
        file.write_text(f"CHAPTER {chapter}\nTOYS\nXX\n{chapter}-1\nNotes\n{text}")
        return str(pcs(tmp_path, "notes", file, "--edition", "2026-rev-10").stdout).strip()

    read = "read (edition 2026-rev-10)"
    assert said("95", 1, 2) == f"US-HTS: 2 notes {read}, none of them stored before; 2 are stored now."
    assert said("94", 1) == f"US-HTS: 1 note {read}, none of them stored before; 3 are stored now."
    assert said("95", 1) == f"US-HTS: 1 note {read}, in place of 2 earlier ones; 2 are stored now."
