"""The client is its own small thing: what it imports, and that one of its halves is made from the other."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "python"
MODULES = sorted((CLIENT / "src" / "pcs_client").glob("*.py"))
ABOUT = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def imported(module: Path) -> set[str]:
    """The packages that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_the_client_imports_what_it_declares_and_nothing_of_the_service(module: Path) -> None:
    declared = {requirement.partition(">=")[0] for requirement in ABOUT["dependencies"]}
    assert declared == {"httpx2", "pydantic"}
    assert imported(module) - set(sys.stdlib_module_names) <= declared | {"pcs_client"}


def test_the_synchronous_client_is_what_the_asynchronous_one_makes() -> None:
    checked = subprocess.run(
        [sys.executable, CLIENT / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_client_and_service_have_one_version() -> None:
    service = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ABOUT["version"] == service["version"]
