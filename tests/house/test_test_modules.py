"""Tests are collected together: no module of theirs may hide another. The trap: each folder passes by itself."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def test_no_test_module_hides_another() -> None:
    folders = {folder.name for folder in TESTS.iterdir() if folder.is_dir()}
    modules = [path for path in TESTS.glob("*/*.py") if path.stem not in {"__init__", "conftest"}]
    assert not [path for path in modules if path.stem in folders]
    assert not [stem for stem, times in Counter(path.stem for path in modules).items() if times > 1]
