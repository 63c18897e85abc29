"""`pcs evaluate --reviewer` as an operator runs it, against the local server: reported, resumed, refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from model_server import Asked, Fault, ModelServer, Use, datas, faithful, verdict
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.cli.assessed import require_reviewer
from pcs.rulings.service import RulingCorpus
from reviewer.small_law import ruling

CASES = [
    ("1", "US-HTS", "Men's knitted cotton T-shirt", "6109100012"),
    ("2", "US-HTS", "Ceramic coffee mug", "6912003510"),
    ("3", "EU-CN", "Cotton T-shirt, knitted", "61091000"),
]
PCS = [sys.executable, "-m", "pcs.cli.main"]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "shop.jsonl"
    fields = ("id", "schedule", "name", "code")
    file.write_text("".join(json.dumps(dict(zip(fields, case, strict=True))) + "\n" for case in CASES))
    return file


def environ(server: ModelServer, tmp_path: Path, **more: str) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")},
        "PCS_DATA_DIR": str(tmp_path),
        "PCS_REVIEWER_API": "openai",
        "PCS_REVIEWER_BASE_URL": server.openai_url,
        "PCS_REVIEWER_MODEL": "test-model",
        "PCS_REVIEWER_INPUT_PRICE": "3",
        "PCS_REVIEWER_OUTPUT_PRICE": "15",
        "PCS_REVIEWER_CONCURRENCY": "1",
        "PCS_REVIEWER_ASK_BELOW": "1",
        **more,
    }


def evaluate(cases: Path, *options: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pcs.cli.main", "evaluate", str(cases), "--reviewer", *options]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)


def knowing(asked: Asked) -> Any:
    """A model that knows what the cases are and answers the right line where it was shown."""
    if asked.step == "check":
        shown = datas(asked.question)[3]["lines"]
        right = next((code for _, _, name, code in CASES if name == asked.data(0)["name"]), "")
        return verdict(right if right in {line["code"] for line in shown} else shown[0]["code"])
    return faithful(asked)


def searching(asked: Asked) -> Any:
    """A model that searches rulings by the goods' name and by a code before it agrees."""
    if asked.step == "tools" and len(asked.turns) == 1:
        name = asked.data(0)["name"]
        return Use(("search_rulings", {"words": name}), ("search_rulings", {"code": CASES[0][3]}))
    return faithful(asked)


def test_accuracy_tokens_and_cost_stand_beside_the_engine_alone_and_a_break_costs_nothing_twice(
    server: ModelServer, cases: Path, tmp_path: Path
) -> None:
    server.script = knowing
    setting = environ(server, tmp_path)
    started = subprocess.Popen([*PCS, "evaluate", str(cases), "--reviewer"], env=setting, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(server.asked) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    started.send_signal(signal.SIGKILL)
    started.wait()
    before = len(server.asked)
    assert before >= 4

    ended = evaluate(cases, "--json", environ=setting)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    sent = [json.dumps(asked.body, sort_keys=True) for asked in server.asked]
    assert len(sent) - len(set(sent)) <= 1  # the one that was under way when the process was killed
    figures = report["reviewer"]["shop"]
    assert figures["asked"] == figures["confirmed"] + figures["changed"] == len(CASES)
    assert figures["requests"] == len(set(sent))
    assert figures["input_tokens"] == 100 * len(set(sent))
    assert figures["cost"] == pytest.approx(0.00045 * len(set(sent)))
    exact = [report[part]["sets"]["shop"]["exact"]["value"] for part in ("engine", "reviewed")]
    assert round((exact[1] - exact[0]) * len(CASES)) == figures["put_right"] - figures["put_wrong"]

    again = evaluate(cases, environ=setting)
    assert len(server.asked) == len(sent)
    assert "The engine alone" in again.stdout
    assert "Assessed by test-model" in again.stdout
    assert f"{figures['input_tokens']} / {figures['output_tokens']} | {figures['cost']:.4f} USD" in again.stdout


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"PCS_REVIEWER_API": "off"}, "No reviewer is configured"),
        ({"PCS_REVIEWER_API": "other"}, "PCS_REVIEWER_API='other' is not usable: give off, openai, anthropic."),
        ({"PCS_REVIEWER_MODEL": ""}, "PCS_REVIEWER_MODEL is empty"),
        ({"PCS_REVIEWER_BASE_URL": "localhost:11434"}, "begins with http:// or https://"),
        ({"PCS_REVIEWER_API": "anthropic"}, "PCS_REVIEWER_API_KEY is empty"),
        ({"PCS_REVIEWER_WAY": "guess"}, "PCS_REVIEWER_WAY='guess' is not usable: give pipeline, tools."),
        ({"PCS_REVIEWER_CONCURRENCY": "0"}, "must be 1 or more"),
        ({"PCS_REVIEWER_INPUT_PRICE": "cheap"}, "PCS_REVIEWER_INPUT_PRICE='cheap' is not usable"),
    ],
)
def test_a_setting_that_cannot_work_is_told_in_a_sentence(
    server: ModelServer, tmp_path: Path, more: dict[str, str], told: str
) -> None:
    with pytest.raises(OperatorError, match=re.escape(told)):
        require_reviewer(Settings.from_environment(environ(server, tmp_path, **more)))


def test_a_server_that_accepts_no_request_ends_the_evaluation_at_once(
    server: ModelServer, cases: Path, tmp_path: Path
) -> None:
    server.script = lambda _: Fault(401)
    ended = evaluate(cases, environ=environ(server, tmp_path, PCS_REVIEWER_API_KEY="sk-wrong"))
    assert ended.returncode != 0
    assert "Check PCS_REVIEWER_API_KEY" in " ".join(ended.stderr.split())
    assert "sk-wrong" not in ended.stderr + ended.stdout
    assert len(server.asked) == 1


def test_the_curve_is_printed_and_a_ruling_that_is_nearly_a_case_is_left_out_and_counted(
    server: ModelServer, cases: Path, tmp_path: Path
) -> None:
    with closing(RulingCorpus(tmp_path)) as corpus:
        corpus.add(
            [ruling("N900001", "A men's knitted cotton T-shirt", CASES[0][3]), ruling("N900002", "A vest", CASES[0][3])]
        )
    server.script = searching
    setting = environ(server, tmp_path, PCS_REVIEWER_WAY="tools")
    ended = evaluate(cases, "--json", environ=setting)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["reviewer"]["shop"]["leaks_left_out"] == 1
    assert [point["asked"] for point in report["curve"]["points"]][-1] == 1
    own, others = [
        json.dumps([asked.body for asked in server.asked if (CASES[0][2] in asked.question) is its_own])
        for its_own in (True, False)
    ]
    assert "N900002" in own
    assert "N900001" not in own
    assert "N900001" in others
    told = evaluate(cases, environ=setting).stdout
    assert "Rulings left out because they are nearly a case: 1." in told
    assert "| ask below | asked | right at 6 digits |" in told
