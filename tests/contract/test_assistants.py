"""Assistants, with the official client, at `/mcp` of a live and a sandbox process."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from deployment import Customer, Deployment
from pcs.base.tenancy import Environment
from pcs.organizations.model import READ_ONLY
from pcs.reviewer.desk import NAMES


@contextlib.asynccontextmanager
async def assistant(api: httpx2.AsyncClient) -> AsyncIterator[Client]:
    headers = {"Authorization": api.headers["Authorization"]}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(f"{api.base_url}/mcp", http_client=http)) as client,
    ):
        yield client


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


async def test_goods_are_classified_for_a_credit_and_can_be_read_again(customer: Customer) -> None:
    async with assistant(customer.live) as client:
        found = await call(client, "classify_product", name="Cotton T-shirt", schedules=["US-HTS", "EU-CN"])
        american, european = found["classifications"]
        assert american["result"]["hts_code"] == "6109100012"
        assert european["result"]["cn_code"] == "61091000"
        assert await call(client, "get_classification", classification_id=american["id"]) == american
    assert await customer.deployment.count("credit_entries", customer.id) == 2


async def test_a_code_is_looked_up_and_rulings_are_searched(customer: Customer) -> None:
    async with assistant(customer.sandbox) as client:
        found = await call(client, "look_up_code", code="6109.10", schedule="US-HTS")
        assert found["code"] == "610910"
        assert found["children"]
        assert "610990" in {one["code"] for one in found["siblings"]}
        searched = await call(client, "search_schedule", words="knitted T-shirts", schedule="EU-CN")
        assert searched["found"][0]["code"].startswith("6109")
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
    ],
)
async def test_a_refusal_is_told_in_words(customer: Customer, tool: str, arguments: dict[str, Any], told: str) -> None:
    async with assistant(customer.live) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert told in result.content[0].text


async def test_a_tool_needs_its_scope_and_another_s_classification_is_not_there(
    customer: Customer, deployment: Deployment
) -> None:
    accepted = await customer.classify(customer.sandbox)
    async with await customer.client(Environment.LIVE, scopes=READ_ONLY) as reader, assistant(reader) as client:
        refused = await client.call_tool("classify_product", {"name": "T-shirt"})
        assert "classifications:write" in refused.content[0].text
        other = accepted["classifications"][0]["id"]
        refused = await client.call_tool("get_classification", {"classification_id": other})
        assert "There is no classification" in refused.content[0].text
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
