"""A small tariff of our own with notes and rulings, a determination about a T-shirt, and a model's server."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from builders import ServiceUnderTest
from model_server import ModelServer
from pcs.reviewer.anthropic_messages import AnthropicMessages
from pcs.reviewer.chat_completions import ChatCompletions
from pcs.reviewer.conversation import LanguageModel
from pcs.reviewer.law import Law
from pcs.reviewer.replies import FileReplies
from pcs.reviewer.server import Server
from pcs.rulings.service import RulingCorpus, SharedRulings
from reviewer.small_law import RULINGS, small_law


@pytest.fixture(scope="session")
def listening() -> Iterator[ModelServer]:
    found = ModelServer()
    yield found
    found.close()


@pytest.fixture
def server(listening: ModelServer) -> ModelServer:
    listening.forget()
    return listening


@pytest.fixture(scope="session", params=["openai", "anthropic"])
async def model(request: pytest.FixtureRequest, listening: ModelServer) -> AsyncIterator[LanguageModel]:
    """The same model in either wire format."""
    found = model_at(listening, request.param)
    yield found
    await found.close()


@pytest.fixture(scope="session")
async def openai_model(listening: ModelServer) -> AsyncIterator[LanguageModel]:
    """Where the format does not matter."""
    found = model_at(listening, "openai")
    yield found
    await found.close()


@pytest.fixture
async def running(running: ServiceUnderTest) -> ServiceUnderTest:
    """With nothing left to be done: of what an earlier test left, the worker of this one would ask the model."""
    await running.work()
    return running


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Where replies are recorded."""
    return tmp_path / "replies.jsonl"


@pytest.fixture
def replies(tape: Path) -> FileReplies:
    return FileReplies(tape)


def model_at(server: ModelServer, api: str) -> LanguageModel:
    if api == "openai":
        return ChatCompletions(Server("test-model", server.openai_url, "sk-secret", seconds=0.5, retries=2))
    return AnthropicMessages(Server("test-model", server.address, "sk-secret", seconds=0.5, retries=2))


@pytest.fixture
def law(tmp_path: Path) -> Law:
    with closing(RulingCorpus(tmp_path)) as corpus:
        corpus.add(RULINGS)
    return small_law(SharedRulings(tmp_path))
