"""A wheel made of the tracked files alone, installed into an empty environment in another folder, classifies.

The trap: a file that the package needs and the wheel lacks, which no test sees that runs from the clone."""

import re
import shutil
import socket
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import run

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that the database's own user can enter."""
    made = tmp_path_factory.mktemp("wheel")
    for path in (made, made.parent):
        path.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    clone = folder / "clone"
    for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0"):
        if name and (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    build = "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"
    run(sys.executable, "-m", *build, "-w", folder / "dist", clone, cwd=folder)
    [made] = (folder / "dist").glob("pcs-*.whl")
    return made


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith("pcs-")}
    tracked = set(run("git", "ls-files", "src/pcs", cwd=ROOT).split("\n")) - {""}
    assert held == {name.removeprefix("src/") for name in tracked if (ROOT / name).is_file()}


def test_an_installed_wheel_starts_and_completes_every_classification(wheel: Path, folder: Path) -> None:
    venv = folder / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=folder)
    pip, options = venv / "bin" / "pip", ("-q", "--disable-pip-version-check", "--only-binary", ":all:")
    run(pip, "install", *options, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=folder)
    run(pip, "install", *options, "--no-deps", wheel, cwd=folder)
    run(venv / "bin" / "pip", "check", cwd=folder)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    said = run(
        venv / "bin" / "pcs",
        "up",
        "--demo",
        "--exit",
        cwd=elsewhere,
        PCS_LIVE_PORT=free_port(),
        PCS_SANDBOX_PORT=free_port(),
        PCS_WORKERS="1",
        XDG_DATA_HOME=str(folder / "users"),
        COLUMNS="200",
    )
    assert len(re.findall(r"│ US-HTS +│ \d{10} │", said)) == 6
    assert len(re.findall(r"│ EU-CN +│ \d{8} +│", said)) == 6
    assert list(elsewhere.iterdir()) == [], "an installed package keeps its data in the user's folder"
    assert (folder / "users" / "pcs" / "secret.key").is_file()
    assert "src/pcs" not in run(venv / "bin" / "python", "-c", "import pcs; print(pcs.__file__)", cwd=elsewhere)
