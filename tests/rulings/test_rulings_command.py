from __future__ import annotations

import datetime as dt
import json
import zipfile
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from cross_server import CrossServer
from pcs.cli.rulings import app
from pcs.rulings.service import RulingCorpus
from pcs.schedules import store
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow
from pcs.tariff.sources.levels import with_all_levels


def pcs(data_dir: Path, *arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments), "--data-dir", str(data_dir)], env={"COLUMNS": "200"})


def test_fetch_shows_what_it_brought_and_says_what_has_no_text(cross: CrossServer, tmp_path: Path) -> None:
    today = dt.datetime.now(tz=dt.UTC).date()
    cross.add("N300001", today - dt.timedelta(days=3))
    cross.add("N300002", today - dt.timedelta(days=40), revokedBy=["N300001"], detail={"text": ""})
    since = (today - dt.timedelta(days=50)).isoformat()
    done = pcs(tmp_path, "fetch", "cross", "--since", since, "--address", cross.address, "--pause", "0")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.split()[-5:] == ["cross", "1", "0", "1", "0"]
    assert "no text for 1 of them" in done.stderr


def test_a_fault_ends_in_a_sentence_and_what_was_read_is_kept(cross: CrossServer, tmp_path: Path) -> None:
    cross.add("N300001", dt.datetime.now(tz=dt.UTC).date())
    cross.faults = ["", "html"]
    failed = pcs(tmp_path, "fetch", "cross", "--since", "2024-01-01", "--address", cross.address, "--pause", "0")
    assert failed.exit_code == 1
    assert "CROSS answered" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_import_list_and_show(tmp_path: Path) -> None:
    file = tmp_path / "rulings.jsonl"
    file.write_text(json.dumps({"reference": "X/1", "subject": "Goods", "codes": ["95030075"], "text": "Of [wood]"}))
    assert "1 added" in pcs(tmp_path, "import", file).stderr
    assert pcs(tmp_path, "list").stdout.split()[-5:] == ["other", "0", "0", "0", "1"]
    shown = pcs(tmp_path, "show", "x/1").stdout
    assert "unknown (the source does not say)" in shown
    assert "9503.00.75" in shown
    assert "Of [wood]" in shown
    assert pcs(tmp_path, "show", "X/2").exit_code == 1


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "nothing")
    failed = pcs(tmp_path, "import", tmp_path / "other.zip")
    assert failed.exit_code == 1
    assert "other.zip holds no CSV" in failed.stderr


def test_check_says_where_cited_codes_went(tmp_path: Path) -> None:
    """Two small revisions are stored by hand: they are not whole, and that is not what is asked here."""
    for edition, code in (("2025-rev-9", "6109100012"), ("2025-rev-10", "6109100097")):
        rows = [PublishedRow(Code("6109"), 0, "Shirts"), PublishedRow(Code(code), 1, "Men's", declarable=True)]
        rows.append(PublishedRow(Code("6109901000"), 1, "Women's", declarable=True))
        stored = store.write_revision(tmp_path, assemble(ScheduleName.US_HTS, edition, with_all_levels(rows)))
    store.write_pointer(tmp_path, ScheduleName.US_HTS, [stored.key])
    lines = [
        {"reference": "N1", "source": "cross", "codes": ["6109100012"]},
        {"reference": "N2", "source": "cross", "codes": ["6109901000"]},
        {"reference": "N3", "source": "cross", "codes": ["6109200000"], "status": "revoked"},
        {"reference": "N4", "source": "cross", "codes": ["6109300000"]},
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    pcs(tmp_path, "import", tmp_path / "r.jsonl")
    assert len(RulingCorpus(tmp_path)) == 4
    said = pcs(tmp_path, "check").stdout
    assert "2 cited codes are not in force today, 1 mapped" in said
    assert "6109.10.00.97" in next(line for line in said.splitlines() if line.startswith("6109.10.00.12"))
    assert "6109.20" not in said
