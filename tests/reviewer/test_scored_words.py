"""How right a model was by what it said: counted by an evaluation, kept as numbers, said of what it changes."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from determinations import result_of
from model_server import Asked, ModelServer, faithful, verdict
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.reviewer.assessment import Reviewer
from pcs.reviewer.calibration import FILE, Calibration, Tally, Word, keep_calibration, read_calibration, word_of
from pcs.reviewer.configuration import configured_reviewer
from pcs.reviewer.conversation import LanguageModel
from pcs.reviewer.law import Law
from pcs.reviewer.model import AssessmentLimits, Ending, Way
from pcs.reviewer.pictures import Looked, picture_of
from pcs.reviewer.replies import FileReplies
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from reviewer.small_law import MEN, SHIRT, determination

LIMITS = AssessmentLimits("test-model", way=Way.TOOLS)
SURE, UNSURE = Tally(cases=40, four=38, six=36, whole=30), Tally(cases=30, four=20, six=10, whole=5)
US, EU = ScheduleName.US_HTS, ScheduleName.EU_CN


async def changed(model: LanguageModel, law: Law, replies: FileReplies, known: Calibration) -> Any:
    found = await Reviewer(model, LIMITS, known).assess(SHIRT, determination(), law, (Code("6109"),), replies)
    assert found.record is not None
    assert found.record.ending is Ending.CHANGED
    return result_of(found.determination), found.record


def choosing(**said: Any) -> Any:
    return lambda asked: verdict(MEN, **said) if asked.step == "tools" else faithful(asked)


async def test_a_changed_answer_carries_how_often_such_choices_were_right(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = choosing()
    answer, record = await changed(model, law, replies, Calibration({(US, Word.CHANGED): SURE}))
    assert answer.confidence == pytest.approx(0.728, abs=0.001)  # the middle of Wilson's interval of 30 in 40
    confidences = {len(level.code or ""): level.confidence for level in answer.hierarchy}
    assert confidences[4] > confidences[6] > confidences[10] == answer.confidence
    assert confidences[2] is None, "a chapter was not counted"
    assert "of 40 such choices of the model, 30 were right to the last digit in an evaluation, so" in answer.reasoning
    assert (answer.needs_review, answer.confident_digits, record.certain) == (True, 6, True)


@pytest.mark.parametrize(
    "said", [{"sureness": "doubtful"}, {"known_digits": 6, "missing": ["for whom (men, women, children, infants)"]}]
)
async def test_a_choice_that_the_model_doubts_is_scored_by_its_like_or_not_at_all(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, *, said: dict[str, Any]
) -> None:
    server.script = choosing(**said)
    answer, record = await changed(openai_model, law, replies, Calibration({(US, Word.CHANGED): SURE}))
    assert (answer.confidence, record.certain) == (None, False)
    assert "the model's choice is not scored" in answer.reasoning
    both = Calibration({(US, Word.CHANGED): SURE, (US, Word.CHANGED_IN_DOUBT): UNSURE})
    answer, _ = await changed(openai_model, law, replies, both)
    assert answer.confidence == pytest.approx(0.204, abs=0.001)


async def test_a_choice_that_pictures_led_to_is_not_scored_by_those_that_words_led_to(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    async def look() -> Looked:
        seen = picture_of(b"GIF89a...")
        assert seen is not None
        return Looked((seen,))

    server.script = choosing()
    reviewer = Reviewer(openai_model, LIMITS, Calibration({(US, Word.CHANGED): SURE}))
    found = await reviewer.assess(SHIRT, determination(), law, (Code("6109"),), replies, look=look)
    assert (result_of(found.determination).code, result_of(found.determination).confidence) == (MEN, None)
    assert found.record is not None
    assert word_of(found.record) is None, "nor is it counted"


OTHERS = [{"model": "other"}, {"way": Way.PIPELINE}, {"ask_below": 0.7}]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_what_was_counted_of_another_model_way_or_share_asked_is_not_used(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    keep_calibration(tmp_path, LIMITS, {US: {Word.CHANGED: SURE}})
    assert read_calibration(tmp_path, LIMITS).of(US, Word.CHANGED) == SURE
    assert read_calibration(tmp_path, LIMITS).of(EU, Word.CHANGED) is None
    elsewhere = dataclasses.replace(LIMITS, **other)
    assert read_calibration(tmp_path, elsewhere) == Calibration({})
    keep_calibration(tmp_path, elsewhere, {US: {Word.CHANGED: UNSURE}})
    assert read_calibration(tmp_path, LIMITS).of(US, Word.CHANGED) == SURE, "each stays beside the others"
    assert read_calibration(tmp_path, elsewhere).of(US, Word.CHANGED) == UNSURE


def test_what_was_counted_under_another_version_of_the_prompts_is_not_used(tmp_path: Path) -> None:
    keep_calibration(tmp_path, LIMITS, {US: {Word.CHANGED: SURE}})
    file = tmp_path / FILE
    kept = json.loads(file.read_text())
    kept["calibrations"][0]["terms"]["prompts"] = "2020-01-01.1"
    file.write_text(json.dumps(kept))
    assert read_calibration(tmp_path, LIMITS) == Calibration({})


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"calibrations": 1}', "[" * 100_000],
)
def test_a_damaged_file_is_told_at_the_start_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(OperatorError, match=r"reviewer-calibration\.json is damaged: remove it"):
        read_calibration(tmp_path, LIMITS)


@pytest.mark.parametrize("wrong", [{"cases": 29}, {"whole": 37}, {"four": 41}, {"six": -1}], ids=str)
def test_a_file_of_too_few_cases_or_impossible_counts_is_damaged(tmp_path: Path, wrong: dict[str, int]) -> None:
    keep_calibration(tmp_path, LIMITS, {US: {Word.CHANGED: SURE}})
    kept = json.loads((tmp_path / FILE).read_text())
    kept["calibrations"][0]["words"]["changed"] |= wrong
    (tmp_path / FILE).write_text(json.dumps(kept))
    with pytest.raises(OperatorError, match="is damaged"):
        read_calibration(tmp_path, LIMITS)


def environ(server: ModelServer, tmp_path: Path) -> dict[str, str]:
    plain = {
        name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")
    }
    return {
        **plain,
        "PCS_DATA_DIR": str(tmp_path),
        "PCS_REVIEWER_API": "openai",
        "PCS_REVIEWER_BASE_URL": server.openai_url,
        "PCS_REVIEWER_MODEL": "test-model",
        "PCS_REVIEWER_WAY": "tools",
        "PCS_REVIEWER_ASK_BELOW": "1",
    }


def evaluate(file: Path, *options: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pcs.cli.main", "evaluate", str(file), *options]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=240)


def taking_the_next(asked: Asked) -> Any:
    """A model that takes the engine's first alternative; of every sixth shirt it says that it is not certain."""
    if asked.step != "tools":
        return faithful(asked)
    number = int(asked.data(0)["name"].rsplit(" ", 1)[1])
    return verdict(asked.data(2)[1]["code"], sureness="doubtful" if number % 6 == 0 else "sure")


def test_an_evaluation_counts_each_case_once_keeps_what_is_enough_and_the_service_reads_it(
    server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "shirts.jsonl"
    shirts = [
        {"id": str(n), "schedule": "US-HTS", "name": f"Men's knitted cotton T-shirt {n}", "code": "6109100012"}
        for n in range(36)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in [*shirts, {**shirts[1], "id": "again"}]))
    server.script = taking_the_next
    setting = environ(server, tmp_path)
    ended = evaluate(file, "--reviewer", "--calibrate", "--json", environ=setting)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    words = report["calibration"]["US-HTS"]
    assert {word: found["cases"] for word, found in words.items()} == {"changed": 30, "changed, not certain": 6}
    assert words["changed, not certain"]["right"] is None
    four = words["changed"]["right"]["4"]
    assert four["interval"][0] < four["share"] <= four["interval"][1] <= 1
    kept = json.loads((tmp_path / FILE).read_text())
    [entry] = kept["calibrations"]
    assert entry["terms"]["model"] == "test-model"
    assert list(entry["words"]) == ["changed"]
    assert "shirt" not in json.dumps(kept), "numbers only"
    settings = Settings.from_environment(setting)
    reviewer = configured_reviewer(settings)
    assert reviewer is not None
    tally = reviewer.calibration.of(US, Word.CHANGED)
    assert tally is not None
    assert tally.cases == 30
    assert tally.four / 30 == pytest.approx(four["share"])

    asked = len(server.asked)
    told = evaluate(file, "--reviewer", "--calibrate", environ=setting).stdout
    assert len(server.asked) == asked, "kept replies cost nothing"
    assert "| US-HTS | changed | 30 |" in told
    assert "| US-HTS | changed, not certain | 6 | too few | too few | too few |" in told


def test_calibrating_without_a_reviewer_is_refused(server: ModelServer, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("")
    ended = evaluate(file, "--calibrate", environ=environ(server, tmp_path))
    assert ended.returncode == 2
    assert "give --reviewer too" in " ".join(ended.stderr.split())
