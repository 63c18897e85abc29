"""The TypeScript client as users have it: packed, and installed alone into an empty project. Fixtures of this folder.

The trap: making it once for every module, at half a minute each."""

import re
import shutil
from pathlib import Path

import pytest

from pcs.dashboard.quick_starts import ADDRESS, KEY, quick_starts
from running import run

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "typescript"
TOOLS = ROOT / ".venv" / "npm" / "node_modules"
README = (CLIENT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `npm pack` makes."""
    folder = tmp_path_factory.mktemp("typescript")
    named = run(CLIENT / "build.sh", TOOLS, folder, cwd=ROOT).split()[-1]
    return folder / named


@pytest.fixture(scope="session")
def user(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the package alone installed; the tests and the README's programs compiled in it."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "package.json").write_text('{"type": "module", "private": true}', encoding="utf-8")
    run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", package, cwd=folder)
    for file in (CLIENT / "test").iterdir():
        shutil.copy2(file, folder)
    for number, program in enumerate(re.findall(r"```ts\n(.*?)```", README, re.DOTALL)):
        (folder / f"readme{number}.ts").write_text(program, encoding="utf-8")
    [quick] = [one.text for one in quick_starts() if one.name == "typescript"]
    for written, variable in ((ADDRESS, "PCS"), (KEY, "PCS_KEY")):
        quick = quick.replace(f'"{written}"', f'process.env["{variable}"]!')
    (folder / "quick.ts").write_text(quick, encoding="utf-8")
    run(TOOLS / ".bin" / "tsc", "--typeRoots", TOOLS / "@types", cwd=folder)
    return folder
