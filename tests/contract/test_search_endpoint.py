"""`GET /schedules/{schedule}/search` over HTTP: what it finds, how much of it, and what it refuses."""

from typing import Any

import httpx2
import pytest

from deployment import Customer

SEARCH = "/api/v1/schedules/US-HTS/search"


async def search(api: httpx2.AsyncClient, **asked: Any) -> Any:
    """What a search answers; the first one of a process opens the engine, on a busy machine for a while."""
    return (await api.get(SEARCH, params=asked, timeout=90)).json()


async def test_brake_pads_are_found_first_where_the_engine_has_them(customer: Customer) -> None:
    for api in (customer.live, customer.sandbox):
        found = await search(api, q="brake pads")
        assert set(found) == {"schedule", "schedule_revision", "data"}
        assert found["schedule"] == "US-HTS"
        first, second = found["data"][:2]
        assert (first["code"], first["declarable"], first["description_language"]) == ("870830", False, "en")
        assert second["code"].startswith("870830")
        assert second["declarable"]
    assert (await customer.live.get("/api/v1/usage")).json()["credits_consumed_in_all"] == 0


async def test_what_is_shown_is_limited(customer: Customer) -> None:
    whole = (await search(customer.live, q="cotton", limit=60))["data"]
    assert (await search(customer.live, q="cotton"))["data"] == whole[:20]
    assert (await search(customer.live, q="cotton", limit=3))["data"] == whole[:3]


@pytest.mark.parametrize(
    ("asked", "field"),
    [({}, "q"), ({"q": "  "}, "q"), ({"q": "x" * 501}, "q"), ({"q": "x", "limit": 61}, "limit")],
)
async def test_what_cannot_be_searched_for_is_refused(customer: Customer, asked: dict[str, Any], field: str) -> None:
    refused = await customer.live.get(SEARCH, params=asked)
    assert refused.status_code == 400
    assert [one["field"] for one in refused.json()["error"]["details"]] == [field]


async def test_an_unknown_schedule_or_revision_is_not_found(customer: Customer) -> None:
    assert (await customer.live.get("/api/v1/schedules/JP/search", params={"q": "x"})).status_code == 404
    assert (await customer.live.get(SEARCH, params={"q": "x", "revision": "1999"})).status_code == 404
