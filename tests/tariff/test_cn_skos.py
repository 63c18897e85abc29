"""The RDF is made from TARIC's own rows, so that both publications of one nomenclature must give one schedule."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from html import escape
from pathlib import Path

import pytest

from pcs.tariff.schedule import Schedule
from pcs.tariff.sources import cn_skos, taric
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.taric import TaricRow

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
<skos:ConceptScheme rdf:about="http://data.europa.eu/xsp/cn2025/cn2025"/>
"""
LANGUAGES = (
    "bg",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fi",
    "fr",
    "ga",
    "hr",
    "hu",
    "it",
    "lt",
    "lv",
    "mt",
    "nl",
    "pl",
)


def concept(row: TaricRow, languages: tuple[str, ...]) -> str:
    code = " ".join(filter(None, (row.digits[:4], row.digits[4:6], row.digits[6:8])))
    digits, suffix = row.digits, row.suffix
    notation = code[: {4: 4, 6: 7, 8: 10}[row.position]] if suffix == "80" and row.position > 2 else ""
    if row.position == 2:
        digits, suffix, notation = f"{row.digits[:2]}00210000", "90", row.digits[:2]
    labels = []
    for language in languages:
        text = escape(row.text)
        alt = f"CHAPTER {int(digits[:2])} - {text}" if row.position == 2 else f"{'-' * row.dashes} {text}".strip()
        labels.append(f'<skos:altLabel xml:lang="{language}">{alt}</skos:altLabel>')
        labels.append(f'<skos:prefLabel xml:lang="{language}">{notation} {alt}</skos:prefLabel>')
    about = f"http://data.europa.eu/xsp/cn2025/{digits}{suffix}"
    shown = f"<skos:notation>{notation}</skos:notation>" if notation else ""
    named = f"<dc:identifier>{digits}{suffix}</dc:identifier>{shown}{''.join(labels)}"
    return f'<skos:Concept rdf:about="{about}">{named}</skos:Concept>\n'


def rdf(path: Path, rows: list[TaricRow], *, languages: tuple[str, ...] = ("en",)) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for row in reversed(rows):  # the publisher keeps no order
            file.write(concept(row, languages))
        file.write("</rdf:RDF>\n")
    return path


@pytest.fixture(scope="session")
def taric_rows(shared: Path) -> list[TaricRow]:
    rows = taric.read_xlsx(shared / "eu-cn/taric_nomenclature_2025-08_EN.xlsx").rows
    return [row for row in rows if row.position <= 8 and row.digits < "98"]


def test_both_publications_give_the_same_schedule(
    tmp_path: Path, taric_rows: list[TaricRow], eu_2025: Schedule
) -> None:
    schedule = read_schedule(rdf(tmp_path / "ESTAT-CN2025.rdf", taric_rows))
    assert schedule.revision.edition == "2025"
    assert [line.code for line in schedule.lines] == [line.code for line in eu_2025.lines]
    for line in schedule.lines:
        twin = eu_2025.get(line.code or "")
        assert twin is not None
        assert schedule.description(line) == eu_2025.description(twin)


def test_a_zip_of_it_is_read_too_and_another_language_has_its_own_edition(tmp_path: Path) -> None:
    rows = [TaricRow("4200000000", "80", 2, 0, "LEATHER"), TaricRow("4201000000", "80", 4, 0, "Saddlery")]
    file = rdf(tmp_path / "CN_2025.rdf", rows, languages=("en", "de"))
    with zipfile.ZipFile(tmp_path / "CN_2025.rdf.zip", "w") as archive:
        archive.write(file, "CN_2025.rdf")
    schedule = read_schedule(tmp_path / "CN_2025.rdf.zip", language="de")
    assert schedule.revision.edition == "2025-de"
    assert [line.code for line in schedule.lines] == ["42010000"]


def test_a_language_that_is_not_there_and_a_cut_file_are_refused(tmp_path: Path) -> None:
    file = rdf(tmp_path / "cn.rdf", [TaricRow("4201000000", "80", 4, 0, "Saddlery")])
    with pytest.raises(SourceError, match="in 'xx' and holds none"):
        cn_skos.read_rdf(file, "xx")
    file.write_text(file.read_text()[:-40])
    with pytest.raises(SourceError, match="is not RDF of the Combined Nomenclature"):
        cn_skos.read_rdf(file)


def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path, taric_rows: list[TaricRow]) -> None:
    file = rdf(tmp_path / "ESTAT-CN2025.rdf", taric_rows, languages=LANGUAGES)
    assert file.stat().st_size > 50_000_000
    run = subprocess.run(
        [sys.executable, "-c", _READ, str(file)],
        env=os.environ | {"PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=True,
        timeout=110,
    )
    said = json.loads(run.stdout)
    assert said["rows"] == len(taric_rows)
    assert said["peak_mb"] < 150, said


_READ = """
import json, pathlib, re, sys
from pcs.tariff.sources.cn_skos import read_rdf
rows = read_rdf(pathlib.Path(sys.argv[1]), "de").rows
peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({"rows": len(rows), "peak_mb": peak}))
"""
