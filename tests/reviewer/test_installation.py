"""An installation put together as `pcs work` does it: the real engine, its candidates, the starter schedules."""

import dataclasses
from pathlib import Path

import pytest

from model_server import ModelServer, datas, faithful
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.bootstrap import build_assessments, build_engine
from pcs.engine.product import Product
from pcs.reviewer.model import Budget, Ending, Prices
from pcs.reviewer.replies import FileReplies
from pcs.tariff.revision import ScheduleName

MUG = Product("Ceramic coffee mug", "Stoneware, 350 ml")


async def test_the_engine_s_own_candidates_are_assessed_under_both_schedules(
    server: ModelServer, replies: FileReplies, tmp_path: Path
) -> None:
    server.script = faithful
    settings = Settings(
        data_dir=tmp_path,
        reviewer_api="openai",
        reviewer_model="test-model",
        reviewer_base_url=server.openai_url,
        reviewer_ask_below=1.0,
    )
    engine = build_engine(settings)
    assessments = build_assessments(settings, engine.evidence)
    assert assessments is not None
    for name in ScheduleName:
        determination = engine.analyse(MUG, name, ())
        law, headings = engine.evidence(MUG, name)
        found = await assessments.reviewer.assess(MUG, determination, law, headings, replies)
        assert found.record is not None
        assert found.record.ending in {Ending.CONFIRMED, Ending.CHANGED}
        assert found.determination.code in {line.code for line in law.schedule.lines}
        assert engine.evidence(MUG, name)[0].schedule is law.schedule
    shown = next(datas(asked.question)[2] for asked in server.asked if asked.step == "headings")
    assert {"6912", "6911"} <= {one["code"] for one in shown["headings"]}
    await assessments.reviewer.model.close()


def test_an_installation_has_no_reviewer_until_one_is_set_and_a_budget_needs_prices() -> None:
    assert build_assessments(Settings(), lambda _, __: pytest.fail("asked")) is None
    set_up = Settings(
        reviewer_api="anthropic", reviewer_model="m", reviewer_api_key="k", reviewer_organization_daily_budget=5.0
    )
    with pytest.raises(OperatorError, match="budget needs prices"):
        build_assessments(set_up, lambda _, __: pytest.fail("asked"))
    priced = dataclasses.replace(set_up, reviewer_input_price=3.0, reviewer_output_price=15.0)
    assessments = build_assessments(priced, lambda _, __: pytest.fail("asked"))
    assert assessments is not None
    assert assessments.budget == Budget(organization=assessments.budget.organization)
    assert assessments.reviewer.terms.prices == Prices(
        assessments.reviewer.terms.prices.input, assessments.reviewer.terms.prices.output, "USD"
    )
    assert "'k'" not in repr(priced)


def test_pictures_are_off_until_asked_for_and_are_no_larger_than_the_vendor_takes() -> None:
    set_up = Settings(reviewer_api="anthropic", reviewer_model="m", reviewer_api_key="k")
    for settings, largest in (
        (set_up, 0),
        (dataclasses.replace(set_up, reviewer_pictures=True), 5 * 1024 * 1024 * 3 // 4),  # 5 MiB once it is Base64
        (dataclasses.replace(set_up, reviewer_pictures=True, reviewer_api="openai"), 5_000_000),
    ):
        assessments = build_assessments(settings, lambda _, __: pytest.fail("asked"))
        assert assessments is not None
        found = assessments.reviewer.terms.picture_bytes
        assert largest * 0.99 <= found <= largest
