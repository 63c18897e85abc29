"""A schedule that nobody has: what it takes to add one, added to a copy of the program and classified under.

It needs a module with its profile, a line that lists it, a member of ScheduleName, and its column of the pack."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pcs

PROFILE = '''"""A fictitious schedule of ten digits everywhere."""

from pcs.tariff.profiles.profile import PackColumn, Profile, WireNames

XX_TT = Profile(
    name="XX-TT",
    lengths=(10,),
    wire=WireNames("Xx", "tt_code", "tt_description"),
    pack=PackColumn(mark="t"),
    sister="EU-CN",
    samples=(("6109100000", ("T-shirts, knitted", "Of cotton")),),
)
'''
ASK = """
import json
from pcs.sandbox.simulation import simulate
from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.ruling import ruling_source
from pcs.wire.classifications import ClassificationOutput
from pcs.wire.results import SHAPES, result_of
third = ScheduleName("XX-TT")

def nothing(product, schedule, decided):
    revision = Revision(schedule, "starter", "starter")
    return Determination(revision, Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said."))

sandbox = simulate(Product("A T-shirt"), third, starter=nothing)
shapes = ClassificationOutput.model_json_schema()["$defs"]
print(json.dumps({
    "digits": third.digits, "source": ruling_source(third),
    "shapes": sorted(name for name in shapes if "Result" in name),
    "sandbox": result_of(third, sandbox.answer).model_dump(mode="json", exclude_unset=True)["tt_code"],
    "schedules": ClassificationOutput.model_json_schema()["$defs"]["ScheduleName"]["enum"],
}))
"""


def add_line(path: Path, after: str, line: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(after) == 1, (path, after)
    path.write_text(text.replace(after, after + line), "utf-8")


def with_column(line: str) -> list[str]:
    """A line of the pack with the fictitious schedule's own beside it: the EU's code and two zeros."""
    if goods := re.fullmatch(r"(> *\S+ +)(\d{8}|-)", line):
        return [f"{line} {goods[2]}00" if goods[2] != "-" else line]
    if line.startswith("e: "):
        return [line, "t: " + re.sub(r"\b(\d{8})=", r"\g<1>00=", line.removeprefix("e: "))]
    return [line]


def small(lines: list[str]) -> list[str]:
    """Three headings of a chapter, with a few goods of each group: enough to train on in seconds."""
    kept, heading, goods = [], "", 0
    for line in lines:
        heading = line[1:5] if line.startswith("@") else heading
        goods = goods + 1 if re.match(r"[^>@#/:]{3}", line) and not re.match(r"\w\w?:", line) else 0
        if heading in {"", "6105", "6109", "6110"} and goods <= 3:
            kept.append(line)
    return kept


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with a third schedule, and a pack of one chapter."""
    ours, copy = Path(pcs.__file__).parent, tmp_path_factory.mktemp("third") / "src" / "pcs"
    shutil.copytree(ours, copy, ignore=shutil.ignore_patterns("*.npz", "__pycache__", "[0-9][0-9].txt"))
    lines = small((ours / "tariff/starter/61.txt").read_text("utf-8").splitlines())
    (copy / "tariff/starter/61.txt").write_text("\n".join(new for line in lines for new in with_column(line)), "utf-8")
    (copy / "tariff/starter/brands.txt").write_text("@6109\nw: tee\n", "utf-8")
    profiles = copy / "tariff/profiles/__init__.py"
    (profiles.parent / "xx_tt.py").write_text(PROFILE)
    add_line(profiles, "from pcs.tariff.profiles.us_hts import US_HTS", "\nfrom pcs.tariff.profiles.xx_tt import XX_TT")
    add_line(profiles, "(US_HTS, EU_CN", ", XX_TT")
    add_line(copy / "tariff/revision.py", '    EU_CN = "EU-CN"', '\n    XX_TT = "XX-TT"')
    return copy.parent


def run(program: Path, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(program), "PCS_DATA_DIR": str(program.parent / "data")}
    environ["PCS_CACHE_DIR"] = str(program.parent / "cache")
    done = subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.timeout(400)
def test_a_third_schedule_is_trained_and_classified_under(program: Path) -> None:
    data = str(program.parent / "data")
    run(program, "-m", "pcs.cli.main", "train", "--data-dir", data)
    command = ("-m", "pcs.cli.main", "classify", "men's knitted cotton T-shirt", "--json", "--data-dir", data)
    found = {name: json.loads(run(program, *command, "--schedule", name)) for name in ("XX-TT", "EU-CN", "US-HTS")}
    assert re.fullmatch(r"6109\d{4}00", found["XX-TT"]["code"])
    assert found["XX-TT"]["schedule"] == "XX-TT"
    assert re.fullmatch(r"6109\d{4}", found["EU-CN"]["code"])
    assert re.fullmatch(r"6109\d{6}", found["US-HTS"]["code"])


def test_a_third_schedule_has_its_own_names_on_the_wire_and_its_own_answers_in_the_sandbox(program: Path) -> None:
    assert json.loads(run(program, "-c", ASK)) == {
        "digits": 10,
        "source": None,
        "shapes": ["EuResult", "UsResult", "XxResult"],
        "sandbox": "6109100000",
        "schedules": ["US-HTS", "EU-CN", "XX-TT"],
    }


def test_nothing_outside_a_profile_asks_which_of_two_schedules_it_is() -> None:
    folder = Path(pcs.__file__).parent
    asking = re.compile(r"\bis (not )?ScheduleName\.|[!=]= ?ScheduleName\.|\belse\b.*\bScheduleName\.")
    found = [str(path) for path in folder.rglob("*.py") if asking.search(path.read_text("utf-8"))]
    assert found == []
