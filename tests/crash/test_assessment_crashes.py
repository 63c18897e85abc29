"""A worker killed between the steps of an assessment: a step that is done is stored, and is not paid for again."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import ServiceUnderTest
from crash.processes import dies, process, until_settled
from model_server import ModelServer, faithful

pytestmark = pytest.mark.crash

REVIEWER = str(Path(__file__).with_name("mortal_reviewer.py"))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    listening = ModelServer()
    listening.script = faithful
    yield listening
    listening.close()


@pytest.mark.parametrize(("way", "replies"), [("pipeline", 2), ("tools", 1)])
async def test_no_reply_is_paid_for_twice(
    apart: ServiceUnderTest, server: ModelServer, tmp_path: Path, *, replies: int, way: str
) -> None:
    settings = dataclasses.replace(
        apart.service.settings,
        data_dir=tmp_path,
        reviewer_api="openai" if way == "pipeline" else "anthropic",
        reviewer_base_url=server.openai_url if way == "pipeline" else server.address,
        reviewer_model="test-model",
        reviewer_api_key="sk-secret",
        reviewer_way=way,
        reviewer_input_price=3.0,
        reviewer_output_price=15.0,
    )
    accepted = await apart.classify()
    async with process(settings, REVIEWER, TEST_DIE_AFTER_REPLIES=str(replies)) as doomed:
        await dies(doomed)
    assert len(server.asked) == replies
    assert (await apart.poll(accepted))["status"] == "processing"
    assert len(await apart.rows("SELECT 1 FROM reviewer_replies")) == replies
    async with process(settings, REVIEWER):
        await until_settled(apart, seconds=60)
    polled = await apart.poll(accepted)
    assert polled["status"] == "completed"
    sent = [json.dumps(asked.body, sort_keys=True) for asked in server.asked]
    assert len(sent) == len(set(sent)) >= replies
    [day] = await apart.rows("SELECT requests, input_tokens, cost, confirmed FROM reviewer_days")
    assert (day["requests"], day["input_tokens"], day["confirmed"]) == (len(sent), 100 * len(sent), 1)
    assert polled["usage"]["reviewer"]["requests"] == len(sent)
    assert polled["usage"]["reviewer"]["cost"] == pytest.approx(float(day["cost"]))
    assert await apart.rows("SELECT 1 FROM reviewer_replies") == []
