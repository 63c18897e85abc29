"""The house's own rules: sizes, openings, quiet imports, no addresses of a registry or of one machine."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pcs.base.settings import reference

ROOT = Path(__file__).parents[2]
MODULES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "clients").rglob("*.py")])
LONGEST = 400
NOISY = ("sqlalchemy", "fastapi", "procrastinate", "sklearn")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_short_and_opens_with_what_it_is_for(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST, "split it: a module has at most 400 lines"
    assert not text.strip() or ast.get_docstring(ast.parse(text)), "open it with what it is for and the trap it avoids"


@pytest.mark.parametrize("library", ["pcs.tariff.schedule", "pcs.engine.classify", "pcs.evaluation.metrics"])
def test_the_libraries_import_no_web_no_database_and_no_trainer(library: str) -> None:
    code = f"import sys, {library}; print([name for name in {NOISY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock", "requirements-reviewer.lock"])
def test_a_lock_pins_hashes_and_names_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert text.count("==") <= text.count("--hash=")


def test_every_link_in_the_documents_leads_to_a_file() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in documents
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []


def test_the_page_of_settings_is_what_the_code_says() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == reference(), "write it anew: pcs settings > docs/settings.md"


@pytest.mark.parametrize(
    "store", sorted((ROOT / "src").rglob("*store.py")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_a_store_asks_for_a_tenant_s_rows_in_the_one_way(store: Path) -> None:
    text = store.read_text(encoding="utf-8")
    by_hand = re.findall(
        r".*== \w*\.?tenant\.organization_id.*|.*\benvironment = :environment.*|.*\.environment == [\w.]*tenant.*", text
    )
    assert by_hand == [], "take owned() or owned_sql() of base/owned.py, and tenant.columns"


@pytest.mark.parametrize("file", ["Makefile", ".ci/run"])
def test_the_commands_look_nowhere_outside_the_clone(file: str) -> None:
    assert "../" not in (ROOT / file).read_text(encoding="utf-8").replace('"$(dirname "$0")/.."', "")


def test_the_architecture_names_every_package_and_no_path_that_is_not_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    service = ROOT / "src" / "pcs"
    tree = page.split("```")[1]
    packages = {folder.parent.name for folder in service.glob("*/__init__.py")}
    assert len(packages) > 15, "the walk found the packages"
    assert [name for name in sorted(packages) if f"{name}/" not in tree] == []
    within = {f"engine/{folder.parent.name}" for folder in service.glob("engine/*/__init__.py")}
    assert [name for name in sorted(within) if f"{name.partition('/')[2]}/" not in tree] == []
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", page))
    assert len(named) > 20, "the page names files"
    assert [name for name in sorted(named) if not any((base / name).exists() for base in (service, ROOT))] == []
