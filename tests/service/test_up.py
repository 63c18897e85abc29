"""`pcs up` as its user meets it: real processes, real ports."""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from pcs.base.locks import EXCLUSIVE, locked


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """An empty installation on free ports."""
    folder = Path(tempfile.mkdtemp(prefix="pcs-up-"))
    folder.chmod(0o755)
    ours = {name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")}
    yield {
        **ours,
        "PCS_DATA_DIR": str(folder / "data"),
        "PCS_LIVE_PORT": str(free_port()),
        "PCS_SANDBOX_PORT": str(free_port()),
        "PCS_WORKERS": "1",
        "COLUMNS": "200",
    }
    shutil.rmtree(folder)


def pcs(environ: dict[str, str], *arguments: str, seconds: float = 90) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pcs.cli.main", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=seconds, check=False)


@contextlib.contextmanager
def serving(environ: dict[str, str], *options: str, said: list[str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """`pcs up` until it says that it serves; stopped at the end at the latest. `said` gets the lines before that."""
    command = [sys.executable, "-m", "pcs.cli.main", "up", *options]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("Serving"):
                    break
                if said is not None:
                    said.append(line.rstrip("\n"))
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(60)


def children(pid: int) -> dict[int, str]:
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return {int(row[0]): row[2] for row in rows if int(row[1]) == pid and "<defunct>" not in row[2]}


@pytest.mark.timeout(400)  # three starts
def test_the_demonstration_is_shown_at_the_first_start_or_on_request_and_at_nobody_s_expense(
    environ: dict[str, str],
) -> None:
    said: list[str] = []
    with serving({**environ, "COLUMNS": "70"}, "--demo-once", said=said):
        check_demonstration(said, columns=70)
        live, sandbox = [line for line in said if line.startswith("export PCS_KEY=")]
        assert re.fullmatch(r"export PCS_KEY=svc_live_\w{38}", live)
        assert re.fullmatch(r"export PCS_KEY=svc_test_\w{38}", sandbox)
        with customer(environ, live) as api:
            endpoint = {"url": "https://example.com/hook", "event_types": ["classification.completed"], "enabled": True}
            api.put("/webhooks", json=endpoint).raise_for_status()
        [command] = [line for line in said if line.startswith("curl ")]
        typed, alone = f"{live}\n{command}", {"PATH": os.environ["PATH"], "no_proxy": "*"}
        ran = subprocess.run(["bash", "-c", typed], env=alone, capture_output=True, text=True, check=True)
        assert len(json.loads(ran.stdout)["classifications"]) == 2, ran.stdout
    asked = pcs({**environ, "COLUMNS": "80"}, "up", "--demo", "--exit", seconds=150)
    assert asked.returncode == 0, asked.stdout + asked.stderr
    check_demonstration(asked.stdout.splitlines(), columns=80)
    assert "svc_" not in asked.stdout, "secrets are shown once"
    listed = pcs(environ, "admin", "list-keys").stdout
    assert listed.count("key_") == 2, "none but the first start's, as there is none but its organization"
    said.clear()
    with serving(environ, "--demo-once", said=said), customer(environ, live) as api:
        assert not any("svc_" in line or "US-HTS" in line for line in said)
        spent = api.get("/usage").raise_for_status().json()["credits_consumed_in_all"]
        sent = api.get("/webhooks/deliveries").raise_for_status().json()["data"]
        assert (spent, len(sent)) == (2, 2), "what the customer's own command took, and no more"
    assert not any(environ["PCS_DATA_DIR"] in line for line in _all_commands())


def check_demonstration(lines: list[str], *, columns: int) -> None:
    table = [line for line in lines if line.startswith(("│", "┃"))]
    assert len(table) == 1 + 6 * 3, lines
    assert all(len(line) <= columns for line in table)
    assert sum(bool(re.search(r"│ US-HTS +│ \d{10} │", line)) for line in table) == 6
    assert sum(bool(re.search(r"│ EU-CN +│ \d{8} +│", line)) for line in table) == 6


@contextlib.contextmanager
def customer(environ: dict[str, str], export: str) -> Iterator[httpx2.Client]:
    """The live API as somebody calls it with the key that an `export` names."""
    headers = {"Authorization": f"Bearer {export.partition('=')[2]}"}
    address = f"http://127.0.0.1:{environ['PCS_LIVE_PORT']}/api/v1"
    with httpx2.Client(base_url=address, headers=headers, trust_env=False, timeout=30) as api:
        yield api


def test_a_dead_process_is_replaced_and_sigterm_stops_everything(environ: dict[str, str]) -> None:
    with serving(environ) as up:
        before = children(up.pid)
        assert sum("pcs.cli.main serve" in command for command in before.values()) == 2
        [worker] = [pid for pid, command in before.items() if command.endswith("pcs.cli.main work")]
        os.kill(worker, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            workers = [pid for pid, command in children(up.pid).items() if command.endswith("pcs.cli.main work")]
            if workers and workers != [worker]:
                break
            time.sleep(0.1)
        assert workers != [worker]
        assert len(workers) == 1
        response = httpx2.get(f"http://127.0.0.1:{environ['PCS_LIVE_PORT']}/ready", trust_env=False)
        assert response.status_code == 200
        again = pcs({**environ, "PCS_LIVE_PORT": str(free_port()), "PCS_SANDBOX_PORT": str(free_port())}, "up")
        assert again.returncode == 1
        assert "running already" in again.stderr
        token = pcs(environ, "admin", "create-key", "laptop", "--environment", "test").stdout.split()[-1]
        headers = {"Authorization": f"Bearer {token}"}
        address = f"http://127.0.0.1:{environ['PCS_SANDBOX_PORT']}/api/v1/webhooks"
        assert httpx2.get(address, headers=headers, trust_env=False).status_code == 404
        up.send_signal(signal.SIGTERM)
        assert up.wait(60) == 0
    assert not any(environ["PCS_DATA_DIR"] in line for line in _all_commands())


def test_the_apis_start_while_the_pack_is_counted_and_a_stop_does_not_wait_for_it(
    environ: dict[str, str], tmp_path: Path
) -> None:
    health = f"http://127.0.0.1:{environ['PCS_LIVE_PORT']}/health"
    command = [sys.executable, "-m", "pcs.cli.main", "up"]
    with locked(tmp_path / "trained.lock", EXCLUSIVE):  # so that it is counted as long as this test lasts
        up = subprocess.Popen(command, env={**environ, "PCS_CACHE_DIR": str(tmp_path)})
        try:
            deadline = time.monotonic() + 60
            while not answers(health):
                assert time.monotonic() < deadline, "the API did not start"
                time.sleep(0.2)
            assert not list(tmp_path.glob("trained-*"))
            up.send_signal(signal.SIGTERM)
            assert up.wait(60) == 0
        finally:
            up.kill()
            up.wait()
        assert not answers(health)


def answers(address: str) -> bool:
    try:
        return httpx2.get(address, trust_env=False).is_success
    except httpx2.TransportError:
        return False


def test_children_do_not_outlive_a_killed_supervisor(environ: dict[str, str]) -> None:
    with serving(environ) as up:
        orphans = list(children(up.pid))
        assert len(orphans) == 3
        up.kill()
        up.wait()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and any(Path(f"/proc/{pid}/cmdline").exists() for pid in orphans):
            time.sleep(0.1)
        assert not any(Path(f"/proc/{pid}/cmdline").exists() for pid in orphans)
    assert pcs(environ, "migrate").returncode == 0  # finds the database that lived on, and stops it
    assert not any(environ["PCS_DATA_DIR"] in line for line in _all_commands())


def test_what_an_operator_can_mend_is_one_sentence(environ: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", int(environ["PCS_LIVE_PORT"])))
        taken.listen()
        finished = pcs(environ, "up")
    assert finished.returncode == 1
    assert "PCS_LIVE_PORT" in finished.stderr
    assert "Traceback" not in finished.stderr
    for name, value in (("PCS_WORKERS", "x"), ("PCS_DATABASE_URL", "postgresql://127.0.0.1:1/x")):
        finished = pcs({**environ, name: value}, "up")
        assert finished.returncode == 1
        assert name in finished.stderr
        assert len(finished.stderr.strip().splitlines()) == 1
    assert "pcs migrate" in pcs(environ, "serve").stderr


def _processes() -> dict[int, str]:
    listed = subprocess.run(["ps", "-wweo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return {int(pid): command for pid, command in (line.split(None, 1) for line in listed.splitlines()[1:])}


def _all_commands() -> list[str]:
    return list(_processes().values())


def test_a_database_killed_under_a_running_service_is_started_again(environ: dict[str, str]) -> None:
    with serving(environ) as up:
        [database] = _databases(environ)
        os.kill(database, signal.SIGKILL)
        address = f"http://127.0.0.1:{environ['PCS_LIVE_PORT']}/ready"
        deadline = time.monotonic() + 90
        started_again, status = False, 0
        while time.monotonic() < deadline and (not started_again or status != 200):
            time.sleep(0.2)
            started_again = bool(_databases(environ)) and database not in _databases(environ)
            status = httpx2.get(address, trust_env=False).status_code
        assert (started_again, status) == (True, 200)
        assert up.poll() is None


def _databases(environ: dict[str, str]) -> list[int]:
    return [pid for pid, command in _processes().items() if f"-D {environ['PCS_DATA_DIR']}" in command]


def test_keys_and_administrators_are_made_and_revoked_at_the_terminal(environ: dict[str, str]) -> None:
    assert pcs(environ, "migrate").returncode == 0
    assert "create-organization" in pcs(environ, "admin", "create-key", "x").stderr
    organization = pcs(environ, "admin", "create-organization", "Acme").stdout.strip()
    assert organization.startswith("org_")
    assert pcs(environ, "admin", "create-administrator", "a@example.com").returncode == 0
    assert "already" in pcs(environ, "admin", "create-administrator", "A@example.com").stderr
    key_id, token = pcs(environ, "admin", "create-key", "laptop", "--read-only").stdout.split()
    listed = pcs(environ, "admin", "list-keys").stdout
    assert token[-4:] in listed
    assert token not in listed
    assert key_id in listed
    assert pcs(environ, "admin", "create-organization", "Another").returncode == 0  # an id says whose key it is
    assert pcs(environ, "admin", "revoke-key", key_id).returncode == 0
    again = pcs(environ, "admin", "revoke-key", key_id)
    assert again.returncode == 1
    assert key_id in again.stderr


def test_a_damaged_model_is_named_with_what_mends_it_and_the_service_serves(environ: dict[str, str]) -> None:
    Path(environ["PCS_DATA_DIR"]).mkdir()
    (Path(environ["PCS_DATA_DIR"]) / "trained.npz").write_bytes(b"cut short")
    command = [sys.executable, "-m", "pcs.cli.main", "up"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = list(itertools.takewhile(lambda line: not line.startswith("Serving"), process.stdout))
            ready = httpx2.get(f"http://127.0.0.1:{environ['PCS_LIVE_PORT']}/ready", trust_env=False)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    assert any("trained.npz" in line and "run `pcs train`" in line for line in said)
    assert ready.status_code == httpx2.codes.OK
    assert "run `pcs train`" in ready.json()["damaged"]["trained"]
    classified = pcs(environ, "classify", "cotton T-shirt")
    assert classified.returncode == 1
    assert classified.stderr.count("run `pcs train`") == 1
    assert "Traceback" not in classified.stderr
