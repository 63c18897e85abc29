"""OpenAI's chat completions, as vLLM, Ollama, llama.cpp, Azure and others speak them too. The trap: each server knows
another part of the format; only what all of them know is needed, and the answer is asked for in words as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import openai
from openai import AsyncOpenAI

from pcs.reviewer.conversation import ANSWER, Reply, Request, Said, Stop, ToolCall, ToolResult, Turn, text_of, tokens_of
from pcs.reviewer.model import AssessmentError, Fault
from pcs.reviewer.pictures import Picture
from pcs.reviewer.server import Server, refusal

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

_NEEDS_NO_KEY = "none"  # the client insists on one; local servers ignore it
_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}


class ChatCompletions:
    """A model behind `/chat/completions`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._client = AsyncOpenAI(
            api_key=server.key or _NEEDS_NO_KEY,
            base_url=server.base_url or None,
            timeout=server.seconds,
            max_retries=server.retries,
        )

    async def ask(self, request: Request) -> Reply:
        """See Model."""
        try:
            completion = await self._client.chat.completions.create(**self.sent(request))
        except openai.APITimeoutError as error:
            raise AssessmentError(Fault.TIME_OUT) from error
        except openai.APIStatusError as error:
            raise refusal(request, error.status_code, error.message) from error
        except (openai.APIError, ValueError, RecursionError) as error:  # no connection, or no JSON
            raise AssessmentError(Fault.UNAVAILABLE, type(error).__name__) from error
        return _reply(completion)

    async def close(self) -> None:
        """See Model."""
        await self._client.close()

    def sent(self, request: Request) -> dict[str, Any]:
        """The request in this format."""
        messages = [{"role": "system", "content": request.system}, *map(_message, request.turns)]
        sent: dict[str, Any] = {"model": self._server.model, "messages": messages}
        sent["max_completion_tokens" if self._server.is_openai else "max_tokens"] = request.most_tokens
        if self._server.temperature is not None:
            sent["temperature"] = self._server.temperature
        if request.tools:
            sent["tools"] = [_tool(tool.name, tool.description, tool.parameters) for tool in request.tools]
            sent["tools"].append(_tool(ANSWER, "Give the final answer.", request.schema))
        else:
            shape = {"name": ANSWER, "schema": request.schema}
            sent["response_format"] = {"type": "json_schema", "json_schema": shape}
        return sent


def _tool(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _message(turn: Turn) -> dict[str, Any]:
    if isinstance(turn, Said):
        return {"role": "user", "content": [*map(_shown, turn.pictures), _words(turn)] if turn.pictures else turn.text}
    if isinstance(turn, ToolResult):
        return {"role": "tool", "tool_call_id": turn.call, "content": turn.text}
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in turn.calls
        ]
    return message


def _words(turn: Said) -> dict[str, Any]:
    return {"type": "text", "text": turn.text}


def _shown(picture: Picture) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{picture.base64}"}}


def _reply(completion: ChatCompletion) -> Reply:
    """The first choice. Raises AssessmentError where a server that says 200 sends something else."""
    try:
        choice = completion.choices[0]
        message = choice.message
        calls = tuple(
            ToolCall(text_of(call.id), text_of(call.function.name), text_of(call.function.arguments))
            for call in message.tool_calls or ()
            if call.type == "function"
        )
        used = completion.usage
        tokens = tokens_of(used and used.prompt_tokens, used and used.completion_tokens)
        stop = Stop.REFUSED if message.refusal else _STOPS.get(choice.finish_reason, Stop.DONE)
        return Reply(text_of(message.content), calls, stop, tokens)
    except (AttributeError, IndexError, TypeError) as error:
        raise AssessmentError(Fault.UNAVAILABLE, "no chat completion") from error
