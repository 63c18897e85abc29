from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pcs.rulings.files import import_rulings, read_rulings
from pcs.rulings.service import RulingCorpus
from pcs.tariff.changes import changes_between
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, standing_of
from pcs.tariff.schedule import PublishedRow, Schedule
from pcs.tariff.sources.levels import with_all_levels
from pcs.tariff.sources.problem import SourceError

TODAY = dt.date(2026, 6, 1)
COLUMNS = [
    *("BTI_REFERENCE", "ISSUING_COUNTRY", "START_DATE_OF_VALIDITY", "END_DATE_OF_VALIDITY", "NOMENCLATURE_CODE"),
    *("CLASSIFICATION_JUSTIFICATION", "STATUS", "INVALIDATION_REASON", "LANGUAGE", "DATE_OF _ISSUE"),
    *("DESCRIPTION_OF_GOODS", "KEYWORDS"),
]


def bti(reference: str, **fields: str) -> list[str]:
    row = {
        "BTI_REFERENCE": reference,
        "START_DATE_OF_VALIDITY": "02/03/2025",
        "END_DATE_OF_VALIDITY": "01/03/2028",
        "NOMENCLATURE_CODE": "9503007500************",
        "CLASSIFICATION_JUSTIFICATION": "Rules 1 and 6.",
        "STATUS": "VALID",
        "LANGUAGE": "DE",
        "DATE_OF _ISSUE": "02/03/2025",
        "DESCRIPTION_OF_GOODS": 'Ein Spielzeug, "bunt",\naus Kunststoff',
        "KEYWORDS": "TOYS, OF PLASTIC",
    } | fields
    return [row.get(column, "") for column in COLUMNS]


def ebti_zip(path: Path, rows: list[list[str]], *, delimiter: str = ",") -> Path:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([COLUMNS, *rows])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("BTI_2025.csv", "\ufeff" + text.getvalue())
    return path


def imported(folder: Path, file: Path, **options: Any) -> RulingCorpus:
    corpus = RulingCorpus(folder)
    import_rulings(corpus, read_rulings(file), TODAY, **options)
    return corpus


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_decision_is_read_with_goods_grounds_and_code(tmp_path: Path, delimiter: str) -> None:
    file = ebti_zip(tmp_path / "e.zip", [bti("DEBTI1/25-1")], delimiter=delimiter)
    ruling = imported(tmp_path, file).get("DEBTI1/25-1")
    assert ruling is not None
    assert (ruling.codes, ruling.subject, ruling.language) == (("95030075",), "TOYS, OF PLASTIC", "de")
    assert (ruling.text, ruling.grounds) == ('Ein Spielzeug, "bunt",\naus Kunststoff', "Rules 1 and 6.")
    assert (ruling.date, ruling.valid_to) == (dt.date(2025, 3, 2), dt.date(2028, 3, 1))
    assert ruling.status is RulingStatus.IN_FORCE


def test_only_decisions_in_force_in_the_chosen_languages_are_kept(tmp_path: Path) -> None:
    rows = [
        bti("A"),
        bti("B", STATUS="INVALID", INVALIDATION_REASON="Annulled"),
        bti("C", END_DATE_OF_VALIDITY="31/05/2026"),
        bti("D", LANGUAGE="FR"),
        bti("E", NOMENCLATURE_CODE="****"),
    ]
    corpus = imported(tmp_path, ebti_zip(tmp_path / "e.zip", rows), languages=frozenset({"de"}))
    assert [ruling.reference for ruling in corpus.scan()] == ["A"]


def test_a_daily_file_withdraws_a_decision(tmp_path: Path) -> None:
    imported(tmp_path, ebti_zip(tmp_path / "full.zip", [bti("A"), bti("B")]))
    changed = bti("A", STATUS="INVALID", INVALIDATION_REASON="Annulled", **{"DATE_OF _ISSUE": "2025-03-02 00:00:00"})
    ruling = imported(tmp_path, ebti_zip(tmp_path / "delta.zip", [changed])).get("A")
    assert ruling is not None
    assert (ruling.status, ruling.status_from) == (RulingStatus.REVOKED, "EBTI gives it as invalid: Annulled")
    assert ruling.text.startswith("Ein Spielzeug")


def test_a_zip_of_something_else_or_cut_off_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.csv", "a,b\n1,2\n")
    with pytest.raises(SourceError, match="no column BTI_REFERENCE"):
        list(read_rulings(tmp_path / "other.zip"))
    whole = ebti_zip(tmp_path / "whole.zip", [bti("A")]).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match="not a whole ZIP"):
        list(read_rulings(tmp_path / "cut.zip"))


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"")])
def test_a_file_without_a_ruling_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.jsonl").write_bytes(content)
    with pytest.raises(SourceError, match=r"empty\.jsonl has no ruling"):
        list(read_rulings(tmp_path / "empty.jsonl"))


def test_a_hundred_thousand_decisions_are_imported_in_bounded_memory(tmp_path: Path) -> None:
    """The peak of a process of its own, imports included, while 100,000 rows of 2 kB go in."""
    file = tmp_path / "e.zip"
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("BTI_2025.csv", "w") as raw,
        io.TextIOWrapper(raw, "utf-8", newline="") as text,
    ):
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for number in range(100_000):
            writer.writerow(bti(f"DEBTI{number}/25-1", DESCRIPTION_OF_GOODS=f"Spielzeug {number} " * 100))
    run = subprocess.run(
        [sys.executable, "-c", _IMPORT, str(tmp_path), str(file)],
        env=os.environ | {"PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=True,
        timeout=110,
    )
    said = json.loads(run.stdout.splitlines()[-1])
    assert said["rulings"] == 100_000
    assert said["reports"] > 100
    assert said["peak_mb"] < 400, said


_IMPORT = """
import datetime, json, pathlib, re, sys
from pcs.rulings.files import import_rulings, read_rulings
from pcs.rulings.service import RulingCorpus
corpus, reports = RulingCorpus(pathlib.Path(sys.argv[1])), []
import_rulings(corpus, read_rulings(pathlib.Path(sys.argv[2])), datetime.date(2026, 6, 1), report=reports.append)
peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({"rulings": len(corpus), "reports": len(reports), "peak_mb": peak}))
"""


def test_json_lines_of_both_shapes_are_read_and_a_bad_line_is_named(tmp_path: Path) -> None:
    lines = [
        {
            "rulingNumber": "N1",
            "rulingDate": "2026-01-02",
            "subject": "Goods",
            "tariffs": ["6109.10.0012"],
            "text": None,
        },
        {
            "reference": "X/1",
            "date": "2026-01-03",
            "subject": "Other goods",
            "codes": ["95030075"],
            "status": "revoked",
        },
    ]
    file = tmp_path / "rulings.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    corpus = imported(tmp_path, file)
    first, second = corpus.get("N1"), corpus.get("X/1")
    assert first is not None
    assert second is not None
    assert (first.source, first.status) == (RulingSource.CROSS, RulingStatus.UNKNOWN)
    assert (second.source, second.status, second.codes) == (RulingSource.OTHER, RulingStatus.REVOKED, ("95030075",))
    file.write_text('{"reference": "X/2"}\n{"subject": "no reference"}\n')
    with pytest.raises(SourceError, match=r"rulings\.jsonl, line 2"):
        list(read_rulings(file))


def test_the_real_sample_of_cross_is_imported(tmp_path: Path, published: Path) -> None:
    corpus = imported(tmp_path, published / "rulings/cross_sample.jsonl")
    assert len(corpus) == 259
    assert sum(bool(ruling.text) for ruling in corpus.scan()) == 103
    assert all(ruling.codes for ruling in corpus.scan(with_text=False))


def test_what_is_new_about_a_ruling_is_added_and_nothing_known_is_lost(tmp_path: Path) -> None:
    corpus = RulingCorpus(tmp_path)
    full = Ruling("N1", RulingSource.CROSS, TODAY, "Goods", "The letter", codes=(Code("61091000"),))
    corpus.add([full])
    before = corpus.version()
    corpus.add([Ruling("N1", RulingSource.CROSS, None, "", status=RulingStatus.MODIFIED, status_from="modified by H1")])
    ruling = corpus.get("N1")
    assert ruling is not None
    assert (ruling.text, ruling.subject, ruling.date, ruling.codes) == ("The letter", "Goods", TODAY, ("61091000",))
    assert ruling.status is RulingStatus.MODIFIED
    assert corpus.version() > before


def schedule(*codes: str, words: str = "Line") -> Schedule:
    rows = [PublishedRow(Code("6109"), 0, "Shirts")]
    rows += [PublishedRow(Code(code), 1, f"{words} {place}", declarable=True) for place, code in enumerate(codes)]
    return assemble(ScheduleName.US_HTS, "test", with_all_levels(rows))


def test_the_standing_of_a_cited_code() -> None:
    now = schedule("6109100012", "6109100014", "6109901000")
    assert standing_of(Code("6109100012"), now).now == "6109100012"
    assert standing_of(Code("6109901050"), now).now == "6109901000"
    divided = standing_of(Code("6109100018"), now)
    assert (divided.now, divided.digits_held) == (None, 8)
    assert standing_of(Code("6109200000"), now).digits_held == 4
    assert standing_of(Code("9503000000"), now).digits_held == 0


def test_a_code_whose_words_moved_is_mapped_through_the_change() -> None:
    before, after = schedule("6109100012", "6109901000"), schedule("6109100097", "6109901000")
    moved = standing_of(Code("6109100012"), after, [changes_between(before, after)])
    assert (moved.now, moved.because) == ("6109100097", "its words were given this number")
