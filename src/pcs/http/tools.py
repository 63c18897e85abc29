"""How a tool of the assistants takes its arguments: those it has and no others, refused in our own words.

The trap: the protocol's library drops an argument that it does not know and runs the tool without it; an assistant that
calls `words` `query` would be told, with confidence, of something else."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, INVALID_REQUEST, GetPromptResult, jsonrpc_message_adapter
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pcs.http.violations import told

_NO_MESSAGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": INVALID_REQUEST,
        "message": 'The body is not a JSON-RPC 2.0 message: send an object with "jsonrpc", "id", "method", "params".',
    },
}


class ToolServer(MCPServer[Any]):
    """The protocol's server, whose refusals speak of our tools and their arguments."""

    async def get_prompt(self, name: str, *_: Any, **__: Any) -> GetPromptResult:  # noqa: ANN401 (the library's)
        """There are none. Raises MCPError, which is no fault of ours to log."""
        raise MCPError(INVALID_PARAMS, f"There is no prompt {name!r}: there are tools only.")

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:  # noqa: ANN401 (the library's)
        """What a tool answers. Raises ToolError in words for the assistant."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            takes = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}
            raise ToolError(_in_words(error, name, arguments, takes)) from error


class MessagesOnly:
    """Lets in JSON-RPC messages alone; what is none is refused in our words, not in a parser's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        answer = self._app
        try:
            jsonrpc_message_adapter.validate_python(scope["state"].get("body"), by_name=False)  # the guard parsed it
        except ValidationError:
            answer = JSONResponse(_NO_MESSAGE, status_code=400)
        await answer(scope, receive, send)


def strict_tool(function: Callable[..., Any], **about: Any) -> Tool:  # noqa: ANN401 (the library's)
    """A tool that refuses arguments which it does not have, and says so in its schema."""
    tool = Tool.from_function(function, structured_output=True, **about)
    taken: type[BaseModel] = tool.fn_metadata.arg_model
    taken.model_config["extra"] = "forbid"
    taken.model_rebuild(force=True)
    tool.parameters = taken.model_json_schema(by_alias=True)
    return tool


def _in_words(error: ToolError, name: str, given: Mapping[str, Any], takes: Mapping[str, list[str]]) -> str:
    if name not in takes:
        return f"There is no tool {name!r}: there are {_listed(takes)}."
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        return "; ".join(_violation(one, name, given, takes[name]) for one in cause.errors(include_url=False))
    return str(cause) if isinstance(cause, ToolError) else str(error)


def _violation(found: Mapping[str, Any], tool: str, given: Mapping[str, Any], takes: list[str]) -> str:
    argument = str(found["loc"][0])
    if found["type"] == "extra_forbidden":
        right = _meant(argument, [one for one in takes if one not in given])
        meant = f"did you mean `{right}`? It takes" if right else "it takes"
        return f"`{argument}` is not an argument of {tool}: {meant} {_listed(takes)}"
    return f"`{argument}` {told(found)}"


def _meant(argument: str, free: list[str]) -> str | None:
    """The argument that was probably meant: one spelt alike, or else the first that was not given."""
    return next(iter(difflib.get_close_matches(argument, free, n=1) or free), None)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
