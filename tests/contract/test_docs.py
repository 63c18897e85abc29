"""docs/api.md does what it says: its requests run as they are written, its table names tests that exist; /docs and the
examples in the document are true. The trap: a document that was right once."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from builders import ServiceUnderTest
from contract import test_interface
from deployment import Customer, Deployment
from pcs.webhooks.model import EventType

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", API, re.DOTALL)


async def run(customer: Customer, deployment: Deployment, *command: str) -> str:
    """What a command prints in an empty folder, into which its files go."""
    key = customer.live.headers["Authorization"].removeprefix("Bearer ")
    environ = {**os.environ, "PCS": deployment.live_url, "PCS_KEY": key, "no_proxy": "127.0.0.1"}
    environ["PYTHONPATH"] = str(ROOT / "clients" / "python" / "src")
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, env=environ, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    return output


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
async def test_the_requests_run_as_they_are_written(customer: Customer, deployment: Deployment) -> None:
    script = "set -euo pipefail\n" + "".join(f'{block}\necho "=== block"\n' for block in blocks("bash"))
    output = await run(customer, deployment, "bash", "-c", script)
    assert output.count("=== block") == len(blocks("bash"))
    assert '"hts_code":"6109100012"' in output
    assert "<!doctype html>" in output
    assert await deployment.count("classifications", customer.id) == 14


async def test_the_python_runs_as_it_is_written(customer: Customer, deployment: Deployment) -> None:
    [program] = blocks("python")
    quick = program.replace("Client(", "Client(policy=Policy(polling=((9.0, 0.1),)), base_url=", 1).replace(
        'os.environ["PCS_KEY"])', 'api_key=os.environ["PCS_KEY"])'
    )
    output = await run(
        customer, deployment, sys.executable, "-c", quick.replace("import Client", "import Client, Policy")
    )
    assert "US-HTS 6109100012" in output


def test_the_table_names_tests_that_exist_and_all_of_them() -> None:
    named = set(re.findall(r"`(Test\w+)`", API))
    assert named == {name for name in vars(test_interface) if name.startswith("Test")}
    assert all((Path(__file__).parent / name).exists() for name in re.findall(r"`(test_\w+\.py)`", API))


async def test_every_endpoint_is_in_the_document_the_reference_and_this_text(customer: Customer) -> None:
    document = (await customer.live.get("/openapi.json")).json()
    page = await customer.live.get("/docs")
    assert page.headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert not re.search(r'(src|href)="(?!#|/openapi\.json)', page.text), "the reference loads nothing"
    assert "<script" not in page.text
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in page.text
        literal = path.partition("{")[0].rstrip("/")
        assert literal in API, f"docs/api.md does not show {path}"


def cases(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every content of the document, requests and answers, by a name."""
    found = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            parts = {"request": operation.get("requestBody", {}), **operation["responses"]}
            found += [
                (f"{method} {path} {name}", part["content"]["application/json"])
                for name, part in parts.items()
                if "application/json" in part.get("content", {})
            ]
    return found


async def test_every_answer_and_request_has_an_example_that_fits_its_schema(customer: Customer) -> None:
    document = (await customer.live.get("/openapi.json")).json()
    for name, content in cases(document):
        assert content.get("example"), f"{name} has no example"
        schema = {**content["schema"], "components": document["components"]}
        errors = [str(error) for error in jsonschema_rs.validator_for(schema).iter_errors(content["example"])]
        assert errors == [], name


async def test_the_document_has_every_webhook_event_in_the_shapes_of_the_answers(running: ServiceUnderTest) -> None:
    document = (await running.live.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    assert set(document["webhooks"]) == {kind.value for kind in EventType}
    for kind, operations in document["webhooks"].items():
        reference = operations["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        event = schemas[reference.rpartition("/")[2]]
        assert event["properties"]["event"]["const"] == kind
    told = schemas[schemas["ClassificationCompleted"]["properties"]["data"]["$ref"].rpartition("/")[2]]
    shapes = {one["$ref"] for one in told["properties"]["result"]["anyOf"]}
    assert shapes == {"#/components/schemas/UsResult", "#/components/schemas/EuResult"}
