"""docs/first-day.md does what it says, in Python and in Node: goods, a file of five hundred, a receiver, a replay.

The trap: a page of two languages of which one was tried."""

import datetime as dt
import re
import sys
from pathlib import Path

import pytest

from deployment import Deployment, free_port
from pcs.base.tenancy import Environment
from terminals import done, line, terminal

ROOT = Path(__file__).parents[2]
DOCS, CLIENT = ROOT / "docs", str(ROOT / "clients" / "python" / "src")
PAGE = (DOCS / "first-day.md").read_text(encoding="utf-8")
RECEIVERS = (DOCS / "webhooks.md").read_text(encoding="utf-8")
SETTING, RECEIVE, LISTEN, TRIGGER, REPLAY = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
PRINTED, EVENT = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
FORWARDED = re.compile(r"\S+Z  (?P<kind>\S+)  (?P<id>evt_\w{26})  \S+  -> 204 in \d+ ms")


def program(page: str, language: str) -> str:
    [found] = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
    return str(found)


async def lived(deployment: Deployment, folder: Path, language: str, run: str, receive: str) -> None:
    """The page from its first line to its last, its programs run by `run` and `receive`."""
    port = free_port()
    key = await deployment.key(await deployment.organization(), Environment.TEST)
    secret = re.search(r"PCS_WEBHOOK_SECRET=(\S+)", SETTING)
    assert secret is not None
    environ = {"PCS": deployment.sandbox_url, "PCS_KEY": key, "PCS_WEBHOOK_SECRET": secret[1], "PYTHONPATH": CLIENT}
    (folder / receive.rsplit(maxsplit=1)[-1]).write_text(program(RECEIVERS, language), encoding="utf-8")
    (folder / run.rsplit(maxsplit=1)[-1]).write_text(program(PAGE, language), encoding="utf-8")

    def here(script: str) -> str:
        return script.replace("9000", str(port))

    began = dt.datetime.now(tz=dt.UTC)
    async with terminal(f"PORT={port} exec {receive}", folder, **environ):
        async with terminal(here(LISTEN), folder, **environ) as listening:
            assert (await line(listening)).startswith(f"Forwarding to http://127.0.0.1:{port}/")
            assert await line(listening) == "Listening. Ctrl-C ends it."
            assert await done(run, folder, **environ) == PRINTED
            told = [FORWARDED.fullmatch(await line(listening)) for _ in range(6)]
        assert all(told), told
        assert [one["kind"] for one in told if one] == [*(["batch.completed"] * 5), "classification.reviewed"]
        assert re.fullmatch(r"batch.completed happened: batch_\w+\.\n", await done(TRIGGER, folder, **environ))
        script = re.sub(r"--replay-since \S+", f"--replay-since {began:%Y-%m-%dT%H:%M:%SZ}", here(REPLAY))
        async with terminal(script, folder, **environ) as replaying:
            assert (await line(replaying)).startswith("Forwarding")
            assert await line(replaying) == "Listening. Ctrl-C ends it."
            again = [FORWARDED.fullmatch(await line(replaying)) for _ in range(6)]
    assert all(again), again
    assert [one["id"] for one in again if one][:5] == [one["id"] for one in told if one][:5], "with the ids they had"
    first, *rows = (folder / "codes.csv").read_text(encoding="utf-8-sig").splitlines()
    assert first.startswith("sku;name;")
    assert len(rows) == 500
    assert all("6109.10.00.12" in row for row in rows)


async def test_in_python(deployment: Deployment, tmp_path: Path) -> None:
    await lived(deployment, tmp_path, "python", f"{sys.executable} day.py", f"{sys.executable} receiver.py")


@pytest.mark.npm
async def test_in_node(deployment: Deployment, user: Path) -> None:
    await lived(deployment, user, "js", "node day.mjs", "node receiver.mjs")


def test_what_an_event_looks_like_is_what_is_printed() -> None:
    kind, _, told = EVENT.strip().partition("  ")[2].partition("  ")
    assert kind == "batch.completed"
    assert re.fullmatch(r"evt_\w{26}  batch_\S+  -> 204 in \d+ ms", told)
