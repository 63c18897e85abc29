"""One meaning a name: a public class is defined once. The client mirrors the interface's nouns, and exports those."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pcs_client

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "src" / "pcs"
CLIENT = ROOT / "clients" / "python" / "src"


def _classes(folder: Path) -> list[str]:
    texts = (module.read_text(encoding="utf-8") for module in folder.rglob("*.py"))
    return [name for text in texts for name in re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE)]


def test_a_public_class_name_is_defined_once() -> None:
    service, client = Counter(_classes(SERVICE)), Counter(_classes(CLIENT))
    assert len(service) > 100, "the walk found the service"
    assert len(client) > 20, "the walk found the client"
    twice = [name for name, times in [*service.items(), *client.items()] if times > 1]
    assert twice == [], "one name, two meanings: take the field's or the ecosystem's word for one of them"


def test_the_client_shares_only_the_names_that_its_users_import() -> None:
    shared = set(_classes(SERVICE)) & set(_classes(CLIENT))
    assert shared - set(pcs_client.__all__) == set(), "name it otherwise, on one side"


FIGURATIVE = {
    *("door", "desk", "shelf", "shelves", "notebook", "lane", "lanes", "patience"),
    *("past", "overtaken", "stale"),
}
"""What was named in pictures once; what is outdated or over is called so."""


def _names(module: Path) -> Iterator[str]:
    """What a module is called, and all that it names."""
    yield module.stem
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.arg | ast.keyword | ast.Attribute):
            yield next(filter(None, (getattr(node, field, None) for field in ("id", "arg", "attr"))), "")


def _words(name: str) -> set[str]:
    """
    >>> sorted(_words("_open_desk")), sorted(_words("OpenDesk")), sorted(_words("LANES"))
    (['desk', 'open'], ['desk', 'open'], ['lanes'])
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def test_things_are_named_as_the_field_names_them() -> None:
    modules = [
        module for folder in ("src", "clients", "tests", "benchmarks") for module in (ROOT / folder).rglob("*.py")
    ]
    assert len(modules) > 300, "the walk found the tree"
    found = {f"{module.relative_to(ROOT)}: {name}" for module in modules for name in _names(module)}
    assert sorted(name for name in found if FIGURATIVE & _words(name.split(": ")[1])) == []
    assert [module for module in modules if FIGURATIVE & _words(module.stem)] == []


def test_a_review_is_a_person_s_and_an_assessment_the_language_model_s() -> None:
    model_s = [SERVICE / "reviewer", SERVICE / "worker", SERVICE / "cli", ROOT / "tests" / "reviewer"]
    modules = [module for folder in model_s for module in folder.rglob("*.py")]
    found = {f"{module.relative_to(ROOT)}: {name}" for module in modules for name in _names(module)}
    assert any(name.endswith(": Assessed") for name in found), "the walk found the assessments"
    reviews = [name for name in found if {"review", "reviews", "reviewed", "reviewing"} & _words(name.split(": ")[1])]
    assert {name.split(": ")[1] for name in reviews} - PERSON_S == set()


PERSON_S = {
    *("needs_review", "review_below", "REVIEW_BELOW", "ReviewBelow", "set_review_below"),
    *("CLASSIFICATION_REVIEWED", "_reviewed"),
}
"""Where a language model or the engine asks for a person, and where `pcs trigger` has a person's word happen."""
