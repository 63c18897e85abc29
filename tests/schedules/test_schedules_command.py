from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from pcs.cli.schedules import app


def pcs(data_dir: Path, *arguments: str | Path) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments), "--data-dir", str(data_dir)], env={"COLUMNS": "120"})


def test_import_list_diff_and_rollback(published: Path, tmp_path: Path) -> None:
    hts = published / "us-hts"
    assert pcs(tmp_path, "import", hts / "hts_2025_basic.json.gz").exit_code == 0
    assert pcs(tmp_path, "import", hts / "hts_2026_rev_10.json.gz", "--in-force-from", "2026-06-08").exit_code == 0
    listed = pcs(tmp_path, "list").stdout
    current = next(line for line in listed.splitlines() if "2026-rev-10" in line)
    assert all(cell in current for cell in ("2026-06-08", "1,228", "19,738", "yes"))
    assert "+223 / -98" in pcs(tmp_path, "diff", "US-HTS", "2025-basic", "2026-rev-10").stdout
    removed = json.loads(
        pcs(tmp_path, "diff", "US-HTS", "2025-basic", "2026-rev-10", "--kind", "split", "--json").stdout
    )
    assert {"code": "0709510100", "kind": "split"}.items() <= removed[0].items()
    assert "2025-basic" in pcs(tmp_path, "rollback", "US-HTS").stdout
    assert pcs(tmp_path, "check", "US-HTS").exit_code == 0


def test_a_broken_file_is_refused_with_what_is_wrong_and_nothing_changes(published: Path, tmp_path: Path) -> None:
    refused = pcs(tmp_path, "import", published / "us-hts/hts_2026_rev_9.json.gz")
    assert refused.exit_code == 1
    assert "heading of the Harmonized System is missing: 0101" in refused.stderr
    assert "No schedule in" in pcs(tmp_path, "list").stdout


def test_a_file_of_another_kind_ends_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "hts_2026_basic.json"
    file.write_text("<html>We are busy</html>")
    refused = pcs(tmp_path, "import", file)
    assert refused.exit_code == 1
    assert "is a web page" in refused.stderr


def test_another_language_answers_only_when_promoted_by_name(published: Path, tmp_path: Path) -> None:
    pcs(tmp_path, "import", published / "eu-cn/taric_nomenclature_2025-08_DE.xlsx")
    assert "yes" not in pcs(tmp_path, "list").stdout
    assert pcs(tmp_path, "promote", "EU-CN", "2025-08-de").exit_code == 0
    assert "yes" in pcs(tmp_path, "list").stdout
