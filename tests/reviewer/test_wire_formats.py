"""What is sent is what the vendors' own types allow, and holds no more than it must."""

import json
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from model_server import Asked, ModelServer, faithful, verdict
from pcs.reviewer.assessment import Reviewer
from pcs.reviewer.chat_completions import ChatCompletions
from pcs.reviewer.conversation import LanguageModel, Request, Said, text_of
from pcs.reviewer.law import Law
from pcs.reviewer.model import AssessmentLimits, Way
from pcs.reviewer.replies import FileReplies
from pcs.reviewer.server import Server
from pcs.tariff.code import Code
from reviewer.small_law import MEN, SHIRT, determination

OPENAI = TypeAdapter(CompletionCreateParamsNonStreaming)
ANTHROPIC = TypeAdapter(MessageCreateParamsNonStreaming)


@pytest.mark.parametrize("way", Way)
async def test_every_request_is_what_the_vendor_s_types_allow(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, way: Way
) -> None:
    def script(asked: Asked) -> Any:
        answer = faithful(asked)
        final = isinstance(answer, dict) and "code" in answer
        return verdict(MEN, rulings=[] if asked.is_repair else ["N999999"]) if final else answer

    server.script = script
    found = await Reviewer(model, AssessmentLimits("test-model", way=way)).assess(
        SHIRT, determination(), law, (Code("6109"),), replies
    )
    assert found.determination.code == MEN
    assert any(asked.is_repair for asked in server.asked)
    for asked in server.asked:
        (ANTHROPIC if asked.is_anthropic else OPENAI).validate_python(asked.body)


async def test_only_the_goods_and_the_law_are_sent(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = faithful
    product = SHIRT.__class__(SHIRT.name, SHIRT.description, country_of_origin="BD")
    await Reviewer(openai_model, AssessmentLimits("test-model")).assess(
        product, determination(), law, (Code("6109"),), replies
    )
    sent = json.dumps([asked.body for asked in server.asked])
    assert SHIRT.name in sent
    assert '"BD"' not in sent.replace("\\", "")
    assert all(asked.headers["authorization"] == "Bearer sk-secret" for asked in server.asked)
    assert "sk-secret" not in sent


@pytest.mark.parametrize(
    ("base_url", "limit"),
    [
        ("", "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1/", "max_completion_tokens"),
        ("http://localhost:11434/v1", "max_tokens"),
    ],
)
def test_the_limit_is_named_as_the_server_knows_it(base_url: str, limit: str) -> None:
    model = ChatCompletions(Server("test-model", base_url, "sk-secret", temperature=0.0))
    sent = model.sent(Request("Who you are", (Said("A question"),), {"type": "object"}, most_tokens=7))
    assert sent[limit] == 7
    assert sent["temperature"] == 0.0
    assert "sk-secret" not in repr(Server("test-model", base_url, "sk-secret"))


def test_what_a_server_sends_can_be_stored_and_sent_on() -> None:
    assert text_of("a\x00b\ud800") == "ab?"
    assert text_of(None) == ""
    assert text_of({"a": 1}) == '{"a": 1}'
