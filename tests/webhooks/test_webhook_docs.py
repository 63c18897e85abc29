"""docs/webhooks.md does what it says: its receivers verify real deliveries, its commands run, its tables are true.

The trap: a verification that takes everything; each receiver is also shown what is forged, changed and old."""

import asyncio
import base64
import contextlib
import dataclasses
import datetime as dt
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from builders import ServiceUnderTest
from deployment import Customer, client_of, database_beside, deployed, free_port
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.webhooks import model, signing
from pcs.webhooks.model import EventType

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")
SECRET = "whsec_" + base64.b64encode(b"thirty-two bytes of a secret ...").decode()
INTERPRETERS = {"python": (sys.executable, "receiver.py"), "js": ("node", "receiver.mjs")}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@contextlib.asynccontextmanager
async def listening(language: str, folder: Path, secret: str) -> AsyncIterator[str]:
    """A receiver of the page as a process of its own, once it listens; its URL."""
    interpreter, name = INTERPRETERS[language]
    [program] = blocks(language)
    (folder / name).write_text(program, encoding="utf-8")
    port = free_port()
    environ = {**os.environ, "PORT": str(port), "PCS_WEBHOOK_SECRET": secret}
    process = await asyncio.create_subprocess_exec(
        interpreter, name, cwd=folder, env=environ, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(60):
            while True:
                with contextlib.suppress(OSError):
                    (await asyncio.open_connection("127.0.0.1", port))[1].close()
                    break
                assert process.returncode is None, "the receiver ended"
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/hooks"
    finally:
        process.kill()
        await process.wait()


@pytest.fixture(params=list(INTERPRETERS))
def language(request: pytest.FixtureRequest) -> str:
    chosen = str(request.param)
    if not shutil.which(INTERPRETERS[chosen][0]):
        pytest.skip(f"{INTERPRETERS[chosen][0]} is not installed")
    return chosen


async def attempts(running: ServiceUnderTest) -> list[list[int | None]]:
    """The answers that each delivery got, oldest delivery first."""
    listed = (await running.live.get("/api/v1/webhooks/deliveries")).json()["data"]
    details = [(await running.live.get(f"/api/v1/webhooks/deliveries/{one['id']}")).json() for one in reversed(listed)]
    return [[attempt["response_status"] for attempt in one["attempt_history"]] for one in details]


@pytest.mark.parametrize("secret", [SECRET, "just-a-text"])
async def test_a_receiver_of_the_page_takes_what_is_ours_and_nothing_else(
    running: ServiceUnderTest, language: str, secret: str, tmp_path: Path
) -> None:
    if language == "python" and secret != SECRET:
        pytest.skip("the page tells to give this library such a secret's bytes")
    async with listening(language, tmp_path, secret) as url:
        await running.live.put("/api/v1/webhooks", json={"url": url, "secret": secret})
        await running.classify()
        await running.work()
        [listed] = (await running.live.get("/api/v1/webhooks/deliveries")).json()["data"]
        await running.live.post(f"/api/v1/webhooks/deliveries/{listed['id']}/redeliver")
        await running.work()
        assert await attempts(running) == [[204, 204]]
        newer = signing.new_secret()
        await running.live.put("/api/v1/webhooks", json={"url": url, "secret": newer})
        await running.live.post("/api/v1/webhooks/test")
        await running.work()
        assert (await attempts(running))[1] == [204], "it knows the old secret only: both sign for a day"
        await refuses_what_is_not_ours(url, secret)


async def refuses_what_is_not_ours(url: str, secret: str) -> None:
    body, now = b'{"event": "webhook.test", "data": {}}', dt.datetime.now(dt.UTC)
    ours = {"X-Service-Delivery-ID": "dlv_1", **signing.headers("evt_1", body, [secret], now=now)}
    forged = signing.headers("evt_1", body, [signing.new_secret()], now=now)
    old = signing.headers("evt_1", body, [secret], now=now - dt.timedelta(minutes=6))
    unsigned = {name: value for name, value in ours.items() if name != "webhook-signature"}
    undated = {**ours, "webhook-timestamp": "soon"}
    async with httpx2.AsyncClient(trust_env=False) as client:
        assert (await client.post(url, headers=ours, content=body)).status_code == 204
        assert (await client.post(url, headers=ours, content=body + b" ")).status_code == 401
        for headers in (forged, old, unsigned, undated, {}):
            assert (await client.post(url, headers=headers, content=body)).status_code == 401, headers


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
async def test_the_commands_run_as_they_are_written(settings: Settings, tmp_path: Path) -> None:
    with database_beside(settings.database_url, "webhook_docs") as url:
        own = dataclasses.replace(settings, database_url=url, queue_poll_seconds=0.1, log_level="error")
        async with deployed(own) as deployment, listening("python", tmp_path, SECRET) as receiver:
            organization = await deployment.organization()
            keys = [await deployment.key(organization, environment) for environment in Environment]
            clients = [client_of(deployment, *pair) for pair in zip(Environment, keys, strict=True)]
            customer = Customer(deployment, organization, *clients)
            environ = {"PCS": deployment.sandbox_url, "PCS_KEY": keys[1], "RECEIVER": receiver}
            made, replay, tried = blocks("bash")
            assert re.fullmatch(r"whsec_[\w+/]{43}=\n", await shell(made, {}))
            output = await shell(tried, {**environ, "PCS_WEBHOOK_SECRET": SECRET})
            assert output.count('"last_response_status":204') == 2
            await deployment.run("UPDATE deliveries SET status = 'failed'")
            assert '"total":2' in await shell(replay, environ)
            async with asyncio.timeout(60):
                while await undelivered(customer):  # noqa: ASYNC110 (another process does it)
                    await asyncio.sleep(0.1)
            for client in clients:
                await client.aclose()


async def undelivered(customer: Customer) -> int:
    listed = (await customer.sandbox.get("/api/v1/webhooks/deliveries")).json()["data"]
    return sum(one["status"] != "delivered" for one in listed)


async def shell(script: str, more: dict[str, str]) -> str:
    environ = {**os.environ, "no_proxy": "127.0.0.1", **more}
    process = await asyncio.create_subprocess_exec(
        "bash", "-euo", "pipefail", "-c", script, env=environ, stdout=-1, stderr=asyncio.subprocess.STDOUT
    )
    output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    return output


def test_the_tables_and_figures_are_the_code_s() -> None:
    assert re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", PAGE, re.MULTILINE) == [kind.value for kind in EventType]
    delays = [int(text.replace(",", "")) for text in re.findall(r"\| ([\d,]+) seconds after the failure before", PAGE)]
    assert delays == [delay.total_seconds() for delay in model.RETRY_DELAYS]
    assert f"stays in the history for {model.HISTORY.days} days" in PAGE
    assert f"For {model.ROTATION.total_seconds() / 3600:.0f} hours" in PAGE
    assert f"no answer within\n{Settings().webhook_timeout_seconds:.0f} seconds" in PAGE
    assert model.MAX_AT_ONCE == 5
    assert "At most five requests to one host are in progress" in PAGE
