"""Anthropic's messages. The trap: an answer in prose; it is always given through a tool of known schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anthropic
from anthropic import AsyncAnthropic

from pcs.reviewer.conversation import ANSWER, Reply, Request, Said, Stop, ToolCall, ToolResult, Turn, text_of, tokens_of
from pcs.reviewer.model import AssessmentError, Fault
from pcs.reviewer.server import Server, refusal

if TYPE_CHECKING:
    from anthropic.types import Message

_STOPS = {"max_tokens": Stop.LENGTH, "model_context_window_exceeded": Stop.LENGTH, "refusal": Stop.REFUSED}


class AnthropicMessages:
    """A model behind `/v1/messages`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._client = AsyncAnthropic(
            api_key=server.key, base_url=server.base_url or None, timeout=server.seconds, max_retries=server.retries
        )

    async def ask(self, request: Request) -> Reply:
        """See Model."""
        try:
            message = await self._client.messages.create(**self.sent(request))
        except anthropic.APITimeoutError as error:
            raise AssessmentError(Fault.TIME_OUT) from error
        except anthropic.APIStatusError as error:
            raise refusal(request, error.status_code, error.message) from error
        except (anthropic.APIError, ValueError, RecursionError) as error:  # no connection, or no JSON
            raise AssessmentError(Fault.UNAVAILABLE, type(error).__name__) from error
        return _reply(message)

    async def close(self) -> None:
        """See Model."""
        await self._client.close()

    def sent(self, request: Request) -> dict[str, Any]:
        """The request in this format."""
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        tools.append({"name": ANSWER, "description": "Give the final answer.", "input_schema": request.schema})
        sent: dict[str, Any] = {
            "model": self._server.model,
            "max_tokens": request.most_tokens,
            "system": request.system,
            "messages": list(_messages(request.turns)),
            "tools": tools,
            "tool_choice": {"type": "any"} if request.tools else {"type": "tool", "name": ANSWER},
        }
        if self._server.temperature is not None:
            sent["temperature"] = self._server.temperature
        return sent


def _messages(turns: tuple[Turn, ...]) -> Iterator[dict[str, Any]]:
    """The turns, those of one side that follow each other in one message, as the format wants it."""
    side, blocks = "user", list[dict[str, Any]]()
    for turn in turns:
        speaks = "assistant" if isinstance(turn, Reply) else "user"
        if speaks != side and blocks:
            yield {"role": side, "content": blocks}
            blocks = []
        side = speaks
        blocks.extend(_blocks(turn))
    if blocks:
        yield {"role": side, "content": blocks}


def _blocks(turn: Turn) -> Iterator[dict[str, Any]]:
    if isinstance(turn, ToolResult):
        yield {"type": "tool_result", "tool_use_id": turn.call, "content": turn.text}
        return
    if isinstance(turn, Said):
        for picture in turn.pictures:
            source = {"type": "base64", "media_type": picture.media_type, "data": picture.base64}
            yield {"type": "image", "source": source}
    if isinstance(turn, Said) or turn.text:
        yield {"type": "text", "text": turn.text}
    if isinstance(turn, Reply):
        for call in turn.calls:
            yield {"type": "tool_use", "id": call.id, "name": call.tool, "input": json.loads(call.arguments)}


def _reply(message: Message) -> Reply:
    """Its text and tools. Raises AssessmentError where a server that says 200 sends something else."""
    try:
        text = "".join(text_of(block.text) for block in message.content if block.type == "text")
        calls = tuple(
            ToolCall(text_of(block.id), text_of(block.name), text_of(json.dumps(block.input)))
            for block in message.content
            if block.type == "tool_use"
        )
        used = message.usage
        cached = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
        tokens = tokens_of(used.input_tokens + cached, used.output_tokens)
        return Reply(text, calls, _STOPS.get(message.stop_reason or "", Stop.DONE), tokens)
    except (AttributeError, TypeError) as error:
        raise AssessmentError(Fault.UNAVAILABLE, "no message") from error
