"""The TypeScript client, packed and installed into an empty folder as users do: against the running service, against
one that misbehaves, and its README as it is written. The trap: a package that compiles only where it was made."""

import asyncio
import contextlib
import json
import os
import re
import tarfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contract.node_project import CLIENT, ROOT
from deployment import Customer, free_port
from running import run

SECRET = "whsec_c2VzYW1lIHNlc2FtZSBzZXNhbWU="

pytestmark = [pytest.mark.npm, pytest.mark.timeout(400)]


@contextlib.asynccontextmanager
async def node(
    user: Path, customer: Customer, *arguments: str, **variables: str
) -> AsyncIterator[asyncio.StreamReader]:
    """What a program prints, which is ended if it has not by itself."""
    key = customer.live.headers["Authorization"].removeprefix("Bearer ")
    ours = {"PCS": customer.deployment.live_url, "PCS_KEY": key, **variables}
    process = await asyncio.create_subprocess_exec(
        *("node", *arguments),
        cwd=user,
        env=os.environ | ours,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_its_own_tests_pass_against_the_running_service(user: Path, customer: Customer) -> None:
    tests = sorted(str(file) for file in (user / "built").glob("*.test.js"))
    async with node(user, customer, "--test", "--test-reporter=tap", *tests) as printed:
        told = (await printed.read()).decode()
    assert "\n# fail 0\n" in told, told
    passed = re.search(r"\n# pass (\d+)\n", told)
    assert passed is not None
    written = sum(file.read_text(encoding="utf-8").count("\ntest(") for file in (CLIENT / "test").glob("*.ts"))
    assert int(passed[1]) > written, "the loop over what passes makes several of one"


async def test_the_quick_start_prints_the_codes(user: Path, customer: Customer) -> None:
    async with node(user, customer, "built/quick.js") as printed:
        assert (await printed.read()).decode() == "US-HTS 6109100012\nEU-CN 61091000\n"


async def test_the_readme_runs_as_it_is_written(user: Path, customer: Customer) -> None:
    async with node(user, customer, "built/readme0.js") as printed:
        told = (await printed.read()).decode()
    assert "US-HTS 6109100012\nEU-CN 61091000\n" in told
    assert re.search(r"NotFoundError 404 request req_\w+\n", told)


async def test_the_receiver_in_the_readme_verifies_what_the_service_sends(user: Path, customer: Customer) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/hook"
    await customer.live.put("/api/v1/webhooks", json={"url": url, "secret": SECRET})
    async with node(user, customer, "built/readme1.js", PORT=str(port), PCS_WEBHOOK_SECRET=SECRET) as printed:
        assert await printed.readline() == f"listening on {port}\n".encode()
        accepted = await customer.classify()
        async with asyncio.timeout(60):
            line = (await printed.readline()).decode()
    assert re.fullmatch(rf"dlv_\w+ {accepted['classifications'][0]['id']}\n", line)


async def test_a_file_is_classified_as_the_readme_has_it(user: Path, customer: Customer) -> None:
    (user / "goods.csv").write_text("SKU;Name\n1;Cotton T-shirt\n2;\n", encoding="utf-8")
    async with node(user, customer, "built/readme2.js") as printed:
        told = (await printed.read()).decode()
    assert told.startswith("left out: row 3 name"), told
    assert "6109.10.00.12" in (user / "results.csv").read_text(encoding="utf-8")


def test_the_package_brings_no_dependency_and_holds_what_it_should(package: Path) -> None:
    with tarfile.open(package) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
        inside = packed.extractfile("package/package.json")
        assert inside is not None
        about = json.loads(inside.read())
    modules = {file.stem for file in (CLIENT / "src").iterdir()} | {"schema"}
    built = {f"dist/{module}{ending}" for module in modules for ending in (".js", ".d.ts")}
    assert names == built | {"package.json", "README.md", "LICENSE"}
    assert "dependencies" not in about


def test_client_and_document_have_one_version() -> None:
    about = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    made = json.loads(run(ROOT / ".venv" / "bin" / "pcs", "openapi", cwd=ROOT))
    assert about["version"] == made["info"]["version"]
