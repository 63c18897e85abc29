"""docs/decide-and-export.md does what it says: a file is sent, decided and exported, and the next one is decided.

The trap: an export that shows the machine's code where a person has decided another. The worker is a real one, as the
last step is the engine's."""

import csv
import dataclasses
import io
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from deployment import Deployment, database_of_its_own
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from terminals import done

PAGE = (Path(__file__).parents[2] / "docs" / "decide-and-export.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
async def test_the_page_runs_as_it_is_written(settings: Settings, tmp_path: Path) -> None:
    with database_of_its_own(settings) as own:
        quick = dataclasses.replace(own, data_dir=tmp_path / "data", queue_poll_seconds=0.1, log_level="error")
        deployment = Deployment(build_service(quick))
        try:
            url = deployment.serve(Environment.LIVE)
            deployment.run_command("work")
            await deployment.until_ready(url)
            key = await deployment.key(await deployment.organization())
            environ = {"PCS": url, "PCS_KEY": key, "no_proxy": "127.0.0.1"}
            said = (await done("".join(BLOCKS), tmp_path, **environ)).splitlines()
        finally:
            await deployment.stop()
    assert said[-3:] == ["6109100012", "8211922000", "precedent"]
    assert len(said) > 3, "the reasoning"
    first, last = (
        list(csv.DictReader(io.StringIO((tmp_path / name).read_text(encoding="utf-8-sig"))))
        for name in ("first.csv", "codes.csv")
    )
    assert [row["SKU"] for row in last] == ["A-1", "A-2", "A-3"]
    assert [row["error"][:10] for row in first] == ["", "", "Nothing in"]
    assert [row["final_code"] for row in last] == ["6109.10.00.12", "8211.92.20.00", ""]
    assert [row["decided_by"] for row in last] == ["person", "person", ""]
    assert last[1]["code"] == first[1]["code"] != "8211.92.20.00", "the machine's answer stays"
    with zipfile.ZipFile(tmp_path / "evidence.zip") as evidence:
        assert sorted(name.rpartition(".")[2] for name in evidence.namelist()) == ["json", "pdf"]
