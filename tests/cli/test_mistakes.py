"""What a hurried user types wrong is answered in a sentence that says what to do, and leaves nothing behind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cli.terminal import pcs
from pcs.base.data_folder import default_data_folder
from pcs.cli.main import main

ROOT = Path(__file__).parents[2]

_TAKING_FILES = (["schedules", "import"], ["schedules", "notes"], ["schedules", "correlate"], ["evaluate"])
FILES = {
    "there.txt": b"name\n",
    "there.csv": b"name\n",
    "bytes.csv": b"\xaa\x00\r\x81\n",
    "list.jsonl": b"[1]\n",
    "object.jsonl": b'{"id": "1"}\n',
    "good.jsonl": b'{"id": "1", "schedule": "EU-CN", "name": "mug", "code": "69111000"}\n',
    "cut.jsonl": b'{"name": "mug"\n',
    "empty.jsonl": b"",
}
MISTAKES: list[tuple[list[str], dict[str, str], str]] = [
    (["frobnicate"], {}, "No such command 'frobnicate'"),
    (["up", "--exit"], {}, "is only for use with --demo"),
    (["up"], {"PCS_LIVE_PORT": "8100", "PCS_SANDBOX_PORT": "8100"}, "PCS_SANDBOX_PORT are both 8100"),
    (["up"], {"PCS_LIVE_PORT": "99999"}, "PCS_LIVE_PORT='99999' is not usable: give a port, 1 to 65535"),
    (["up"], {"PCS_HOST": "no such host"}, "PCS_HOST=no such host is not an address of this machine"),
    (["up"], {"PCS_WORKERS": "0"}, "PCS_WORKERS='0' is not usable: give a whole number, 1 or more"),
    (["up"], {"PCS_SWEEP_SECONDS": "often"}, "give a number, 0 or more"),
    (["up"], {"PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS": "home"}, "give networks such as 10.1.0.0/16"),
    (["work"], {"PCS_LOG_LEVEL": "loud"}, "give debug, info, warning or error"),
    (["serve", "--port", "99999"], {}, "'--port': must be at most 65535"),
    (["serve", "--environment", "sandbox"], {}, "'live', 'test'"),
    (["migrate"], {"PCS_DATABASE_URL": "mysql://x"}, "must look like postgresql://"),
    (["backup", "nowhere/x.backup"], {}, "There is no folder nowhere"),
    (["backup", "there.txt"], {}, "there.txt already exists"),
    (["restore", "missing.backup"], {}, "missing.backup cannot be read (No such file or directory)"),
    (["restore", "there.txt"], {}, "there.txt is not a backup, or is incomplete"),
    (["admin", "create-organization", " "], {}, "give a name, in quotes if it has spaces"),
    (["admin", "create-administrator", "jo"], {}, "email must be an e-mail address"),
    (["admin", "redeliver", "--since", "yesterday"], {}, "give a time with its time zone, such as 2026-11-22T08:00"),
    (["classify"], {}, "give either a TEXT, or both"),
    (["classify", " "], {}, "say what the product is"),
    (["classify", "--input", "x.csv", "--output", "y.csv", "--language", "de"], {}, "in its column 'language'"),
    (["classify", "--input", "x.csv", "--output", "y.csv", "--attribute", "a=b"], {}, "attribute:material"),
    (["classify", "tee", "--attribute", "leather"], {}, "must be written NAME=VALUE"),
    (["classify", "tee", "--schedule", "JP"], {}, "'--schedule': 'JP' is not one of 'US-HTS', 'EU-CN'."),
    (["classify", "tee", "--jobs", "two"], {}, "'--jobs': must be a whole number"),
    (["classify", "tee", "--review-below", "0,5"], {}, "'--review-below': must be a number"),
    (["schedules", "import", "missing.json"], {}, "missing.json"),
    (["schedules", "promote", "EU-CN", "2031"], {}, "no revision 2031"),
    (["schedules", "check", "EU-CN"], {}, "no revision that is current"),
    (["schedules", "check"], {}, "name a schedule, US-HTS or EU-CN"),
    (["schedules", "check", "JP"], {}, "name a schedule, US-HTS or EU-CN"),
    (
        ["schedules", "check", "--starter", "--cases", "there.txt", "missing.jsonl"],
        {},
        "'missing.jsonl' does not exist",
    ),
    (["schedules", "rollback", "EU-CN"], {}, "no earlier revision"),
    (["schedules", "diff", "EU-CN", "a", "b"], {}, "no revision a"),
    (["schedules", "outdated", "EU-CN", "a", "b"], {}, "no revision a"),
    (["rulings", "show", "N1"], {}, "There is no ruling N1"),
    (["rulings", "import", "there.txt"], {}, "there.txt"),
    (["rulings", "fetch", "wco"], {}, "'cross', 'ebti'"),
    (["evaluate", "there.txt"], {}, "there.txt"),
    (["evaluate", "there.csv", "--baseline", "there.txt"], {}, "there.txt"),
    (["train", "--without", "there.txt"], {}, "there.txt"),
    *(([*command, "there"], {}, "'there' is a directory") for command in _TAKING_FILES),
    (["schedules", "correlate", "bytes.csv"], {}, "bytes.csv: The file is not a CSV."),
    (["rulings", "import", "bytes.csv"], {}, "bytes.csv, line 1, is not a ruling: it is not an object of JSON."),
    (["rulings", "import", "list.jsonl"], {}, "list.jsonl, line 1, is not a ruling: it is not an object of JSON."),
    (["rulings", "mend"], {}, "There is no file of rulings in"),
    (["evaluate", "bytes.csv"], {}, "line 1: not a labelled case (it is not an object of JSON); each needs id"),
    (["evaluate", "list.jsonl"], {}, "line 1: not a labelled case (it is not an object of JSON); each needs id"),
    (["evaluate", "object.jsonl"], {}, "line 1: not a labelled case (it has no name); each needs id"),
    (["evaluate", "good.jsonl", "--decisions", "bytes.csv"], {}, "bytes.csv"),
    (["evaluate", "good.jsonl", "--baseline", "bytes.csv"], {}, "bytes.csv is not JSON"),
    (["evaluate", "empty.jsonl"], {}, "empty.jsonl has no labelled cases"),
    (["classify", "--input", "cut.jsonl", "--output", "out.csv"], {}, "cut.jsonl: line 1: not JSON."),
]


@pytest.mark.parametrize(
    ("arguments", "variables", "told"), [pytest.param(*each, id=" ".join(each[0])) for each in MISTAKES]
)
def test_a_mistake_is_answered_with_what_to_do_and_leaves_nothing_behind(  # noqa: PLR0917
    arguments: list[str],
    variables: dict[str, str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / "there").mkdir()
    for name, content in FILES.items():
        (here / name).write_bytes(content)
    for name, said in {"PCS_DATA_DIR": str(tmp_path / "data"), "COLUMNS": "80", **variables}.items():
        monkeypatch.setenv(name, said)
    monkeypatch.setattr(sys, "argv", ["pcs", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    answer = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert ended.value.code in {1, 2}
    assert told in answer
    assert "Errno" not in answer
    assert sorted(path.name for path in here.iterdir()) == sorted([*FILES, "there"])


def test_classifying_leaves_nothing_where_one_stands(tmp_path: Path) -> None:
    assert pcs(tmp_path, "classify", "men's cotton t-shirt").returncode == 0
    assert list((tmp_path / "here").iterdir()) == []


def test_a_clone_keeps_its_data_and_an_installed_package_keeps_its_user_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert default_data_folder() == ROOT / ".pcs"
    assert "clone" in pcs(tmp_path, "settings").stdout
    package = tmp_path / "lib" / "site-packages" / "pcs"
    package.parent.mkdir(parents=True)
    package.symlink_to(ROOT / "src" / "pcs")
    code = "from pcs.base import data_folder as at; print(at.__file__, at.default_data_folder())"
    environ = {**os.environ, "PYTHONPATH": str(package.parent), "XDG_DATA_HOME": str(tmp_path / "users")}
    told = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True).stdout
    assert told.split() == [str(package / "base" / "data_folder.py"), str(tmp_path / "users" / "pcs")]


def test_a_taken_port_is_told_by_plain_python_before_anything_is_installed(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        environ = {"PYTHONPATH": str(ROOT / "src"), "PCS_SANDBOX_PORT": str(taken.getsockname()[1])}
        bare = [sys.executable, "-S", "-m", "pcs.cli.ports"]  # -S: no installed library can be imported
        told = subprocess.run(bare, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "PCS_SANDBOX_PORT" in told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_make_run_asks_for_the_ports_before_it_installs() -> None:
    printed = subprocess.run(["make", "-n", "-B", "run"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert 0 < printed.index("pcs.cli.ports") < printed.index(".ci/install") < printed.index("pcs up --demo")
