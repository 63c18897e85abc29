"""docs/listening.md does what it says: a receiver takes what `pcs listen` forwards of what `pcs trigger` has happen.

The trap: commands that are typed in three terminals and tested in one; here too they run beside each other."""

import re
import sys
from pathlib import Path

from cli.terminal import pcs
from deployment import Deployment, free_port
from pcs.base.tenancy import Environment
from terminals import done, line, terminal

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "listening.md").read_text(encoding="utf-8")
INSTALL, RECEIVE, LISTEN, TRIGGER = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)


def as_here(script: str, deployment: Deployment, key: str, port: int) -> str:
    """The page's commands with this deployment's address and key, and a port that is free."""
    kept = re.sub(r"PCS=\S+ PCS_KEY=\S+", f"PCS={deployment.sandbox_url} PCS_KEY={key}", script)
    return kept.replace("9000", str(port)).replace("python3", sys.executable)


async def test_the_page_is_true_in_three_terminals(deployment: Deployment, tmp_path: Path) -> None:
    webhooks = (DOCS / "webhooks.md").read_text(encoding="utf-8")
    [receiver] = re.findall(r"```python\n(.*?)```", webhooks, re.DOTALL)
    (tmp_path / "receiver.py").write_text(receiver, encoding="utf-8")
    port = free_port()
    key = await deployment.key(await deployment.organization(), Environment.TEST)
    scripts = [as_here(one, deployment, key, port) for one in (RECEIVE, LISTEN, TRIGGER)]
    environ = {"PCS": deployment.sandbox_url, "PCS_KEY": key}
    async with terminal(scripts[0], tmp_path), terminal(scripts[1], tmp_path) as listening:
        assert (await line(listening)).startswith(f"Forwarding to http://127.0.0.1:{port}/, signed with ")
        assert await line(listening) == "Listening. Ctrl-C ends it."
        said = await done(scripts[2], tmp_path, **environ)
        told = [await line(listening) for _ in range(7)]
    happened = [one.split(" happened: ") for one in said.splitlines()]
    for kind, subject in happened:
        [found] = [one for one in told if f"  {kind}  " in one and subject.rstrip(".") in one]
        assert re.search(r"  evt_\w{26}  \S+  -> 204 in \d+ ms$", found)
    assert [kind for kind, _ in happened] == re.findall(r"pcs trigger (\S+)", TRIGGER)
    assert sum("classification.completed" in one for one in told) == 4, "one alone, one reviewed, two of the batch"


def test_what_cannot_be_triggered_says_why(tmp_path: Path) -> None:
    for arguments, key, sentence in (
        ("schedule.outdated", "svc_test_x", "pcs: schedule.outdated happens when a new revision is promoted: "),
        ("batch.begun", "svc_test_x", "pcs: There is no event batch.begun: `pcs trigger` knows classification."),
        ("batch.completed", "svc_live_x", "pcs: Set PCS_KEY to a sandbox key (svc_test_…): "),
    ):
        done = pcs(tmp_path, "trigger", arguments, PCS_KEY=key)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(sentence), done.stderr
