"""The quick starts do what they say, and docs/quick-starts.md shows them as the dashboard does.

The trap: a first call that is the first disappointment."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from deployment import Customer, Deployment
from pcs.base.settings import Settings
from pcs.dashboard.quick_starts import ADDRESS, KEY, filled_in, quick_starts

ROOT = Path(__file__).parents[2]
TEXTS = {one.name: one.text for one in quick_starts()}


def filled(name: str, customer: Customer, deployment: Deployment) -> str:
    key = customer.live.headers["Authorization"].removeprefix("Bearer ")
    assert ADDRESS in TEXTS[name]
    assert KEY in TEXTS[name]
    return TEXTS[name].replace(ADDRESS, deployment.live_url).replace(KEY, key)


async def printed(*command: str) -> str:
    environ = {**os.environ, "no_proxy": "127.0.0.1", "PYTHONPATH": str(ROOT / "clients" / "python" / "src")}
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    return output


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
async def test_the_first_call_with_curl_answers_with_the_codes(customer: Customer, deployment: Deployment) -> None:
    output = await printed("bash", "-c", filled("curl", customer, deployment))
    assert '"hts_code":"6109100012"' in output
    assert '"cn_code":"61091000"' in output


async def test_the_first_call_in_python_prints_the_codes(customer: Customer, deployment: Deployment) -> None:
    quick = filled("python", customer, deployment).replace(
        "Client(", "Client(policy=Policy(polling=((9.0, 0.1),)), base_url="
    )
    quick = quick.replace(', "svc_', ', api_key="svc_').replace("import Client", "import Client, Policy")
    assert await printed(sys.executable, "-c", quick) == "US-HTS 6109100012\nEU-CN 61091000\n"


async def test_what_excel_sends_is_answered_with_a_code_and_paid_once(
    customer: Customer, deployment: Deployment
) -> None:
    text = TEXTS["excel"]
    for part in ('wait = "30"', "product = [name", "identifier = ", 'schedules = {"US-HTS"}', "[result][hts_code]"):
        assert part in text
    [path] = re.findall(r'RelativePath = "([^"]+)"', text)
    body = {"product": {"name": "Cotton T-shirt, knitted", "identifier": "SKU-1"}, "schedules": ["US-HTS"]}
    for _ in range(2):
        answer = await customer.live.post(
            f"/{path}", params={"wait": "30"}, json=body, headers={"Idempotency-Key": "excel-SKU-1"}
        )
        assert answer.json()["classifications"][0]["result"]["hts_code"].startswith("6109")
    assert await deployment.count("classifications", customer.id) == 1


def test_the_page_shows_them_as_the_dashboard_does() -> None:
    page = (ROOT / "docs" / "quick-starts.md").read_text(encoding="utf-8")
    assert re.findall(r"```\w+\n(.*?)```", page, re.DOTALL) == list(TEXTS.values())


@pytest.mark.parametrize(
    ("sandbox", "address"),
    [
        ({"PCS_SANDBOX_PUBLIC_URL": "https://sandbox.example.com/"}, "https://sandbox.example.com"),
        ({}, "https://YOUR_SANDBOX"),
    ],
)
def test_behind_public_addresses_each_key_s_first_call_goes_to_its_own(sandbox: dict[str, str], address: str) -> None:
    settings = Settings.from_environment({"PCS_PUBLIC_URL": "https://codes.example.com", **sandbox})
    for token, expected in (("svc_test_x", address), ("svc_live_x", "https://codes.example.com")):
        for one in filled_in(token, settings):
            assert token in one.text
            assert f"{expected}/" in one.text or f'{expected}"' in one.text
            assert ADDRESS not in one.text
