"""One meaning a name: a public class is defined once. The client mirrors the interface's nouns, and exports those."""

import re
from collections import Counter
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


def test_modules_and_classes_are_named_as_the_field_names_them() -> None:
    figurative = {"door", "lane", "lanes", "past", "overtaken", "stale", "patience"}
    modules = {module.stem for module in SERVICE.rglob("*.py")}
    assert not figurative & (modules | {name.lower() for name in _classes(SERVICE)})
