"""What generators make of the document compiles, and the Python one classifies. The trap: a document that linters like
and that no generator can use: names that collide, types that are none, answers left out."""

import json
import os
from pathlib import Path

import pytest

from deployment import Customer
from pcs.http.app import described
from running import run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = ROOT / ".venv" / "npm" / "node_modules" / ".bin"
GENERATOR = ROOT / ".venv" / "generator" / "bin"
STRICT = ("--strict", "--noEmit", "--target", "ES2022", "--module", "NodeNext", "--lib", "ES2023,DOM,DOM.Iterable")

pytestmark = [pytest.mark.npm, pytest.mark.timeout(400)]

USED = """
import importlib, pkgutil, sys
import generated
for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)

from generated import AuthenticatedClient
from generated.api.classifications import classify_product
from generated.models import ClassifyInput, ProductInput, ScheduleName

url, key = sys.argv[1:]
goods = ProductInput(name="Cotton T-shirt", identifier="SKU-1")
with AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True) as pcs:
    accepted = classify_product.sync(client=pcs, body=ClassifyInput(product=goods, schedules=[ScheduleName.US_HTS]))
    print(accepted.product.identifier, accepted.classifications[0].status)
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(described().openapi()), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "generator",
    [
        ("openapi-typescript", "openapi.json", "--output", "client.ts"),
        ("orval", "--input", "openapi.json", "--output", "client.ts", "--client", "fetch"),
    ],
    ids=lambda command: command[0],
)
def test_what_is_made_for_typescript_compiles(document: Path, generator: tuple[str, ...]) -> None:
    folder = document.parent
    run(PROGRAMS / generator[0], *generator[1:], cwd=folder)
    run(PROGRAMS / "tsc", *STRICT, "client.ts", cwd=folder)
    written = (folder / "client.ts").read_text(encoding="utf-8")
    assert "UsResult" in written


async def test_what_is_made_for_python_leaves_nothing_out_and_classifies(document: Path, customer: Customer) -> None:
    folder = document.parent
    config = ("--config", HERE / "openapi_python_client.yaml", "--meta", "none", "--fail-on-warning")
    path = f"{GENERATOR}:{os.environ['PATH']}"  # it tidies what it writes with the ruff beside it
    generate = (
        GENERATOR / "openapi-python-client",
        "generate",
        "--path",
        document,
        "--output-path",
        folder / "generated",
    )
    run(*generate, *config, cwd=folder, PATH=path)
    (folder / "used.py").write_text(USED, encoding="utf-8")
    key = customer.live.headers["Authorization"].removeprefix("Bearer ")
    told = run(GENERATOR / "python", folder / "used.py", customer.deployment.live_url, key, cwd=folder)
    assert told == "SKU-1 pending\n"
