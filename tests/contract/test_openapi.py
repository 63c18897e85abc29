"""The document of the interface is one that generators take. The trap: finding out in somebody's build; `make openapi`
lints it with two linters, and what they hold is held here without npm."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from typer.testing import CliRunner

from pcs.cli.main import build
from pcs.http.app import described

VERBS = {
    *("answer", "assign", "cancel", "classify", "create", "get", "list", "redeliver", "remove", "review", "search"),
    *("send", "set", "test", "withdraw", "change", "rotate", "replay", "trigger", "upload", "download", "stream"),
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return described().openapi()


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def test_the_document_says_where_the_interface_is(document: dict[str, Any]) -> None:
    [server] = document["servers"]
    assert server["url"] == "/"


def test_every_operation_and_event_says_how_it_is_secured_by_a_scheme_with_a_legal_name(
    document: dict[str, Any],
) -> None:
    schemes = document["components"]["securitySchemes"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in schemes)
    assert all(operation["security"] == [{name: []} for name in schemes] for operation in operations(document))
    assert all(event["post"]["security"] == [] for event in document["webhooks"].values())


def test_every_section_is_described_and_has_operations(document: dict[str, Any]) -> None:
    described_tags = [tag["name"] for tag in document["tags"] if tag["description"].endswith(".")]
    assert Counter(described_tags) == Counter({tag for operation in operations(document) for tag in operation["tags"]})


def test_every_operation_has_a_name_of_its_own_that_says_what_is_done_to_what(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(document)]
    assert [name for name, times in Counter(names).items() if times > 1] == []
    assert [
        name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)+", name) or name.split("_")[0] not in VERBS
    ] == []


def test_every_component_has_a_name_that_generators_take_and_is_used(document: dict[str, Any]) -> None:
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for part in document["components"].values() for name in part)
    told = json.dumps(document)
    assert [name for name in document["components"]["schemas"] if f'schemas/{name}"' not in told] == []


def test_the_command_writes_the_document_for_an_address() -> None:
    written = CliRunner().invoke(build("openapi"), ["openapi", "--server", "https://pcs.example.com"])
    assert written.exit_code == 0, written.output
    document = json.loads(written.output)
    assert document["servers"] == [{"url": "https://pcs.example.com"}]
    assert document["paths"] == json.loads(json.dumps(described().openapi()["paths"]))
