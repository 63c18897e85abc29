"""A model's server on this machine that speaks both wire formats and plays a script, with faults on demand.

The trap: a stand-in that is kinder than the real thing; it checks the shape of what it is sent as the vendors do."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

Answer = dict[str, Any] | str
Script = Callable[["Asked"], "Answer | Fault | Use"]

FIRST_LIST = "Headings that come into question"


class Asked:
    """One request, in either format, as its parts."""

    def __init__(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
        self.path, self.headers, self.body = path, headers, body
        self.is_anthropic = path.endswith("/messages")

    @property
    def system(self) -> str:
        return str(self.body["system"] if self.is_anthropic else self.body["messages"][0]["content"])

    @property
    def turns(self) -> list[dict[str, Any]]:
        return list(self.body["messages"] if self.is_anthropic else self.body["messages"][1:])

    @property
    def question(self) -> str:
        """The first words said to the model."""
        content = self.turns[0]["content"]
        if isinstance(content, str):
            return content
        return next(str(block["text"]) for block in content if block["type"] == "text")

    @property
    def pictures(self) -> list[tuple[str, bytes]]:
        """The media type and the bytes of each picture that came with the first words."""
        content = self.turns[0]["content"]
        blocks = [] if isinstance(content, str) else content
        return [_picture(block) for block in blocks if block["type"] != "text"]

    @property
    def is_repair(self) -> bool:
        return "Your answer cannot be used" in json.dumps(self.turns[-1])

    @property
    def tools(self) -> set[str]:
        if self.is_anthropic:
            return {tool["name"] for tool in self.body["tools"]}
        return {tool["function"]["name"] for tool in self.body.get("tools", ())}

    @property
    def step(self) -> str:
        """Which question it is."""
        marks = {
            "Read these goods": "understand",
            FIRST_LIST: "headings",
            "Which number covers": "level",
            "What does each say": "rulings",
            "Check each line": "check",
            "Find the right line with the tools": "tools",
        }
        return next(step for mark, step in marks.items() if mark in self.question)

    def data(self, place: int = -1) -> Any:
        """The data in the question, by its place among them."""
        return datas(self.question)[place]


def _picture(block: dict[str, Any]) -> tuple[str, bytes]:
    if block["type"] == "image_url":
        media_type, _, data = block["image_url"]["url"].removeprefix("data:").partition(";base64,")
    else:
        media_type, data = block["source"]["media_type"], block["source"]["data"]
    return media_type, base64.b64decode(data, validate=True)


class Fault:
    """Something other than an answer: an HTTP status with headers, silence, or a body of one's own."""

    def __init__(
        self,
        status: int = 200,
        *,
        seconds: float = 0.0,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.status, self.seconds, self.body, self.headers = status, seconds, body, headers or {}


class Use:
    """An answer that uses tools: pairs of a tool and its arguments."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls = calls


def datas(text: str) -> list[Any]:
    """Everything between data marks."""
    parts = text.split("<data>\n")[1:]
    return [json.loads(part.split("\n</data>")[0]) for part in parts]


class ModelServer:
    """Serves a script: a function from what was asked to an answer (a form's fields, or a text) or a Fault."""

    def __init__(self) -> None:
        self.script: Script = lambda _: Fault(500)
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.at: list[float] = []
        self.input_tokens, self.output_tokens = 100, 10
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def openai_url(self) -> str:
        return f"{self.address}/v1"

    def forget(self) -> None:
        """Begin anew: nothing asked, nothing planned."""
        self.script, self.asked, self.faults, self.at = lambda _: Fault(500), [], [], []

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Asked) -> tuple[Fault, bytes]:
        wrong = _wrong_shape(asked)
        if wrong:
            return Fault(400), json.dumps({"error": {"message": wrong, "type": "invalid_request_error"}}).encode()
        found = self.faults.pop(0) if self.faults else self.script(asked)
        if isinstance(found, Fault):
            body = found.body if found.body is not None else b'{"error": {"message": "no", "type": "error"}}'
            return found, body
        message = self._anthropic(asked, found) if asked.is_anthropic else self._openai(asked, found)
        return Fault(), json.dumps(message).encode()

    def _openai(self, asked: Asked, found: Any) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": found if isinstance(found, str) else None}
        finish = "stop"
        calls = found.calls if isinstance(found, Use) else ()
        if isinstance(found, dict) and asked.tools:
            calls = (("answer", found),)
        elif isinstance(found, dict):
            message["content"] = json.dumps(found)
        if calls:
            finish = "tool_calls"
            message["tool_calls"] = [
                {"id": f"call_{n}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
                for n, (tool, arguments) in enumerate(calls)
            ]
        if found == "I refuse":
            message, finish = {"role": "assistant", "content": None, "refusal": "No."}, "stop"
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "someone else's",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": self.input_tokens,
                "completion_tokens": self.output_tokens,
                "total_tokens": self.input_tokens + self.output_tokens,
            },
        }

    def _anthropic(self, asked: Asked, found: Any) -> dict[str, Any]:
        calls = found.calls if isinstance(found, Use) else (("answer", found),) if isinstance(found, dict) else ()
        content: list[dict[str, Any]] = [{"type": "text", "text": found}] if isinstance(found, str) else []
        content += [
            {"type": "tool_use", "id": f"toolu_{len(asked.turns)}_{n}", "name": tool, "input": arguments}
            for n, (tool, arguments) in enumerate(calls)
        ]
        stop = "refusal" if found == "I refuse" else "tool_use" if calls else "end_turn"
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "someone else's",
            "content": [] if stop == "refusal" else content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens},
        }

    def _handler(outer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is inside
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                outer.asked.append(asked)
                outer.at.append(time.monotonic())
                fault, content = outer.answer(asked)
                time.sleep(fault.seconds)
                try:
                    self.send_response(fault.status)
                    for name, value in {"Content-Type": "application/json", **fault.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
                """Quiet."""

        return Handler


def _wrong_shape(asked: Asked) -> str:
    """What a vendor would refuse in a request."""
    body = asked.body
    if asked.is_anthropic:
        roles = [message["role"] for message in body["messages"]]
        if "max_tokens" not in body or not {"x-api-key", "authorization"} & set(asked.headers):
            return "max_tokens and a key are needed"
        if roles[0] != "user" or any(one == other for one, other in pairwise(roles)):
            return "roles must alternate, the user first"
        return _unanswered(
            [block for message in body["messages"] for block in _blocks(message)], "tool_use", "tool_result"
        )
    if "authorization" not in asked.headers or not {"max_tokens", "max_completion_tokens"} & set(body):
        return "a key and a limit are needed"
    calls = [call["id"] for message in body["messages"] for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    return "" if calls == results else "each tool call needs its result"


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _unanswered(blocks: list[dict[str, Any]], call: str, result: str) -> str:
    called = [block["id"] for block in blocks if block["type"] == call]
    answered = [block["tool_use_id"] for block in blocks if block["type"] == result]
    return "" if called == answered else "each tool call needs its result"


def faithful(asked: Asked) -> Answer | Fault | Use:
    """A model that answers every question sensibly and agrees with the engine where it can."""
    step = asked.step
    if step == "understand":
        name = asked.data()["name"]
        return {"goods": name, "facts": [{"fact": "what the goods are", "quote": name}]}
    if step == "headings":
        return {"headings": [one["code"] for one in asked.data()["headings"]][:1], "notes": []}
    if step == "level":
        return {"number": 1, "notes": []}
    if step == "rulings":
        return {"rulings": [{"reference": one["reference"], "bearing": "same goods"} for one in asked.data()]}
    return verdict(datas(asked.question)[2][0]["code"])


def verdict(code: str, **more: Any) -> dict[str, Any]:
    """A verdict on a line."""
    return {"code": code, "sureness": "sure", "rulings": [], "notes": [], "facts": [], "missing": [], **more}
