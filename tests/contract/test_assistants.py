"""Assistants, with the official client, at `/mcp` of a live and a sandbox process."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from deployment import TIMEOUT, Customer, Deployment
from pcs.base.tenancy import Environment
from pcs.organizations.model import READ_ONLY
from pcs.reviewer.lookups import NAMES


@contextlib.asynccontextmanager
async def assistant(api: httpx2.AsyncClient) -> AsyncIterator[Client]:
    headers = {"Authorization": api.headers["Authorization"]}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=TIMEOUT) as http,
        Client(streamable_http_client(f"{api.base_url}/mcp", http_client=http)) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    [said] = result.content
    assert isinstance(said, TextContent)
    return said.text


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def test_the_tools_are_listed_with_what_they_take(customer: Customer) -> None:
    async with assistant(customer.live) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"classify_product", "get_classification"} | NAMES
    assert tools["classify_product"].input_schema["required"] == ["name"]
    reading = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
    assert reading == set(tools) - {"classify_product"}
    assert not [name for name, tool in tools.items() if "    " in (tool.description or "")]
    assert [name for name, tool in tools.items() if tool.input_schema.get("additionalProperties", True)] == []


async def test_goods_are_classified_for_a_credit_and_can_be_read_again(customer: Customer) -> None:
    async with assistant(customer.live) as client:
        found = await call(client, "classify_product", name="Cotton T-shirt", schedules=["US-HTS", "EU-CN"])
        american, european = found["classifications"]
        assert american["result"]["hts_code"] == "6109100012"
        assert european["result"]["cn_code"] == "61091000"
        assert await call(client, "get_classification", classification_id=american["id"]) == american
    assert await customer.deployment.count("credit_entries", customer.id) == 2


async def test_official_words_are_in_the_language_asked_for_as_far_as_they_are_loaded(customer: Customer) -> None:
    async with assistant(customer.live) as client:
        found = await call(client, "classify_product", name="Cotton T-shirt", schedules=["EU-CN"], words_in="Deutsch")
        [shown] = found["classifications"]
        assert shown["result"]["description_language"] == "en"  # the starter schedule speaks English alone
        again = await call(client, "get_classification", classification_id=shown["id"], words_in="de")
        assert again == shown
        refused = await client.call_tool("get_classification", {"classification_id": shown["id"], "words_in": "zz"})
        assert refused.is_error
        assert "words_in" in text_of(refused)


async def test_a_code_is_looked_up_and_rulings_are_searched(customer: Customer) -> None:
    async with assistant(customer.sandbox) as client:
        found = await call(client, "look_up_code", code="6109.10", schedule="US-HTS")
        assert found["code"] == "610910"
        assert found["children"]
        assert "610990" in {one.split()[0] for one in found["siblings"]}
        searched = await call(client, "search_schedule", words="knitted T-shirts", schedule="EU-CN")
        assert searched["found"][0]["code"].startswith("6109")
        brakes = await call(client, "search_schedule", words="brake pads")
        assert brakes["found"][0]["code"] == "870830", "as the engine ranks it, and every other search"
        assert await call(client, "search_rulings", words="shirt") == {"rulings": []}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("look_up_code", {"code": "9999"}, "has no code"),
        ("look_up_code", {"code": "T-shirt"}, "not a tariff code"),
        ("read_ruling", {"reference": "N999999"}, "no ruling N999999"),
        ("get_classification", {"classification_id": "clf_unknown"}, "There is no classification"),
        ("classify_product", {"name": " "}, "name"),
        ("classify_product", {"name": "x", "country_of_origin": "UK"}, "GB"),
        (
            "search_schedule",
            {"query": "T-shirts"},
            "`query` is not an argument of search_schedule: did you mean `words`?",
        ),
        (
            "search_rulings",
            {"query": "T-shirts"},
            "`query` is not an argument of search_rulings: did you mean `words`?",
        ),
        ("search_rulings", {"words": "x", "codes": "6109"}, "did you mean `code`?"),
        ("search_rulings", {"words": "x", "limit": 51}, "`limit` must be at most 50"),
        ("search_rulings", {"words": "x", "limit": "many"}, "`limit` must be a whole number"),
        ("look_up_code", {}, "`code` is required"),
        ("look_up_code", {"code": "6109", "schedule": "JP"}, "`schedule` must be 'US-HTS' or 'EU-CN'"),
        ("classify_product", {"name": "x", "schedules": "JP"}, "`schedules` must be an array"),
        ("classify_product", {"name": "x", "schedules": []}, "`schedules` must not be empty"),
        ("classify_product", {"name": "x", "schedules": ["JP"]}, "`schedules` must be 'US-HTS' or 'EU-CN'"),
        ("classify_product", {"name": 7}, "`name` must be a string"),
        ("classify", {"name": "x"}, "There is no tool 'classify': there are `classify_product`,"),
    ],
)
async def test_a_refusal_is_told_in_words(customer: Customer, tool: str, arguments: dict[str, Any], told: str) -> None:
    async with assistant(customer.live) as client:
        result = await client.call_tool(tool, arguments)
    said = text_of(result)
    assert result.is_error
    assert told in said
    assert not [word for word in ("pydantic", "validation error", "Error executing", "input_value") if word in said]


@pytest.mark.parametrize("body", [[], {}, {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "x"}, "x"])
async def test_what_is_no_message_of_the_protocol_is_refused_in_our_words(customer: Customer, body: Any) -> None:
    refused = await customer.live.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("The body is not a JSON-RPC 2.0 message: send an object")


async def test_there_are_no_prompts_and_asking_for_one_is_refused(customer: Customer) -> None:
    async with assistant(customer.live) as client:
        with pytest.raises(MCPError, match="There is no prompt 'x': there are tools only"):
            await client.get_prompt("x")


async def test_a_tool_needs_its_scope_and_another_s_classification_is_not_there(
    customer: Customer, deployment: Deployment
) -> None:
    accepted = await customer.classify(customer.sandbox)
    async with await customer.client(Environment.LIVE, scopes=READ_ONLY) as reader, assistant(reader) as client:
        refused = await client.call_tool("classify_product", {"name": "T-shirt"})
        assert "classifications:write" in text_of(refused)
        other = accepted["classifications"][0]["id"]
        refused = await client.call_tool("get_classification", {"classification_id": other})
        assert "There is no classification" in text_of(refused)
    assert await deployment.count("products", customer.id) == 1


async def test_without_a_key_there_is_no_way_in_and_every_request_counts(customer: Customer) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    url = "/mcp"
    headers = {"Authorization": "Bearer nonsense"}
    assert (await customer.live.post(url, json=body, headers=headers)).status_code == 401
    async with await customer.client(rate_limit=1) as limited:
        first = await limited.post("/mcp", json=body, headers={"Accept": "application/json, text/event-stream"})
        second = await limited.post("/mcp", json=body)
    assert first.headers["X-RateLimit-Remaining"] == "0"
    assert second.status_code == 429
