"""No secret reaches a log, whoever logs it and however it is wrapped."""

import json
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from pcs.base.redaction import REDACTED, redact, without_secrets
from pcs.base.tenancy import Environment
from pcs.organizations import tokens

KEY = tokens.new_token(Environment.LIVE)
SECRET = "hunter2hunter2"

PROGRAM = f"""
import logging, structlog
from pcs.base.telemetry import configure_logging
configure_logging("debug")
log = structlog.get_logger("ours")
log.info("event with {KEY} in it", authorization="Bearer {KEY}", Cookie="{SECRET}",
    nested={{"api_key": "{SECRET}", "n": [1]}})
log.warning("headers", headers=[("X-Webhook-Secret", 1), {{"x-webhook-secret": "{SECRET}"}}], raw=b"{KEY}")
logging.getLogger("library").error("connect to postgresql://pcs:{SECRET}@db/pcs failed with %s", "token={SECRET}")
try:
    raise RuntimeError("password: {SECRET}, Authorization: Bearer {KEY}")
except RuntimeError:
    log.exception("fault", path="/kept")
"""


def test_what_is_logged_by_us_by_libraries_and_by_faults_holds_no_secret() -> None:
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stderr
    entries = [json.loads(line) for line in said.splitlines()]
    assert [entry["level"] for entry in entries] == ["info", "warning", "error", "error"]
    assert entries[3]["path"] == "/kept"
    assert "RuntimeError" in entries[3]["exception"]
    assert entries[0]["nested"] == {"api_key": REDACTED, "n": [1]}
    assert KEY not in said
    assert KEY[9:] not in said
    assert SECRET not in said


@given(st.text(), st.sampled_from(Environment), st.text())
def test_an_api_key_is_found_in_any_text(before: str, environment: Environment, after: str) -> None:
    token = tokens.new_token(environment)
    assert token not in without_secrets(f"{before} {token} {after}")


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text() | st.binary(), st.lists)))
def test_anything_that_can_be_logged_can_be_redacted(entry: dict[str, object]) -> None:
    assert set(redact(None, "info", dict(entry))) == set(entry)


def test_ordinary_entries_stay_as_they_are() -> None:
    entry = {"event": "request", "method": "GET", "path": "/api/v1/me", "status": 200, "milliseconds": 1.5, "ok": True}
    assert redact(None, "info", dict(entry)) == entry
