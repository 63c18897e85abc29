"""Nobody sees, changes or learns of what is another organization's or another environment's, on any route.

The trap: the route that was added last; a route without a case here fails the first test."""

import json
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute

from deployment import Customer, Deployment, NewCustomer
from pcs.http.app import FEATURES
from pcs.wire.base import API_PREFIX

MARK = "only-the-owner-knows-this"

SEEN = {  # lists and the caller's own things: answered, and nothing of the owner's is in the answer
    "GET /api/v1/products",
    "GET /api/v1/classifications",
    "GET /api/v1/classifications/bulk",
    "GET /api/v1/classifications/evidence.zip",
    "GET /api/v1/decisions",
    "GET /api/v1/audits",
    "GET /api/v1/schedules/{schedule}/outdated",
    "GET /api/v1/usage",
    "GET /api/v1/requests",
    "GET /api/v1/me",
    "GET /api/v1/promise",
    "GET /api/v1/quality",
    "PUT /api/v1/promise",
    "DELETE /api/v1/promise",
    "GET /api/v1/webhooks",
    "GET /api/v1/webhooks/deliveries",
    "GET /api/v1/webhooks/endpoints",
    "GET /api/v1/events",
    "DELETE /api/v1/webhooks",
    "POST /api/v1/webhooks/test",
    "PUT /api/v1/webhooks",
}
SHARED = {  # the same for everybody: tariffs, rulings, the sandbox's scenarios
    "GET /api/v1/schedules",
    "GET /api/v1/schedules/{schedule}/codes/{code}",
    "GET /api/v1/schedules/{schedule}/search",
    "GET /api/v1/rulings",
    "GET /api/v1/rulings/{reference}",
    "GET /api/v1/sandbox/scenarios",
}
CREATING = {  # makes the caller's own things
    "POST /api/v1/decisions/bulk",
    "POST /api/v1/products",
    "POST /api/v1/products/classify",
    "POST /api/v1/webhooks/endpoints",
    "POST /api/v1/classifications/bulk",
    "POST /api/v1/audits",
    "POST /api/v1/uploads",
    "POST /api/v1/schedules/{schedule}/outdated/classify",
}
REACHING: dict[str, Any] = {  # names one thing by its id; the value is the body to send
    "GET /api/v1/products/{product_id}": None,
    "GET /api/v1/classifications/{classification_id}": None,
    "GET /api/v1/classifications/{classification_id}/report": None,
    "GET /api/v1/classifications/{classification_id}/evidence.json": None,
    "GET /api/v1/classifications/{classification_id}/evidence.pdf": None,
    "GET /api/v1/classifications/bulk/{batch_id}/evidence.zip": None,
    "GET /api/v1/classifications/{classification_id}/ruling-request.docx": None,
    "GET /api/v1/classifications/bulk/{batch_id}": None,
    "GET /api/v1/audits/{batch_id}": None,
    "POST /api/v1/classifications/{classification_id}/cancel": None,
    "POST /api/v1/classifications/{classification_id}/answers": {"answers": [{"question": "q", "text": "leather"}]},
    "GET /api/v1/webhooks/deliveries/{delivery_id}": None,
    "GET /api/v1/webhooks/endpoints/{endpoint_id}": None,
    "PATCH /api/v1/webhooks/endpoints/{endpoint_id}": {"enabled": False},
    "POST /api/v1/webhooks/endpoints/{endpoint_id}/secret": {},
    "POST /api/v1/webhooks/endpoints/{endpoint_id}/test": None,
    "POST /api/v1/webhooks/endpoints/{endpoint_id}/replays": {},
    "GET /api/v1/webhooks/endpoints/{endpoint_id}/replays/{replay_id}": None,
    "DELETE /api/v1/webhooks/endpoints/{endpoint_id}": None,
    "GET /api/v1/requests/{request_id}": None,
    "GET /api/v1/uploads/{upload_id}": None,
    "GET /api/v1/uploads/{upload_id}/result": None,
    "POST /api/v1/webhooks/deliveries/{delivery_id}/redeliver": None,
    "PUT /api/v1/classifications/{classification_id}/review": {"decision": "accepted"},
    "PUT /api/v1/classifications/{classification_id}/assignment": {"assigned_to": None},
    "POST /api/v1/classifications/{classification_id}/review/send-back": {"note": "Look again"},
    "DELETE /api/v1/decisions/{decision_id}": None,
    "POST /api/v1/classifications": {"product_id": "{product_id}", "schedules": ["US-HTS"]},
}


@dataclass
class Owned:
    """What the owner has, by the names that paths use."""

    owner: Customer
    ids: dict[str, str]

    def fill(self, template: str) -> str:
        template = template.replace("{schedule}", "US-HTS")
        for name, value in self.ids.items():
            template = template.replace(f"{{{name}}}", value)
        return template


@pytest.fixture
async def owned(new_customer: NewCustomer) -> Owned:
    """A customer with one of everything in the live environment."""
    owner = await new_customer()
    goods = {"name": MARK, "identifier": MARK, "description": MARK}
    await owner.live.put("/api/v1/webhooks", json={"url": f"https://{MARK}.example.com/"})
    hook = {"url": f"https://{MARK}.example.com/more", "description": MARK}
    endpoint = (await owner.live.post("/api/v1/webhooks/endpoints", json=hook)).json()
    replay = (await owner.live.post(f"/api/v1/webhooks/endpoints/{endpoint['id']}/replays", json={})).json()
    body = {"products": [goods], "schedules": ["US-HTS"]}
    batch = (await owner.live.post("/api/v1/classifications/bulk", json=body)).json()
    [item] = await owner.until_final(batch)
    decided = {"decisions": [{**goods, "schedule": "US-HTS", "code": "6109100012"}]}
    await owner.live.post("/api/v1/decisions/bulk", json=decided)
    files = {"file": (f"{MARK}.csv", f"name\n{MARK}\n".encode(), "text/csv")}
    sent = await owner.live.post("/api/v1/uploads", files=files, data={"schedules": "US-HTS"})
    return Owned(
        owner,
        {
            "product_id": item["product_id"],
            "classification_id": item["id"],
            "batch_id": batch["batch_id"],
            "endpoint_id": endpoint["id"],
            "replay_id": replay["id"],
            "decision_id": (await owner.live.get("/api/v1/decisions")).json()["data"][0]["id"],
            "upload_id": sent.json()["upload_id"],
            "delivery_id": (await owner.live.get("/api/v1/webhooks/deliveries")).json()["data"][0]["id"],
        },
    )


def routes() -> set[str]:
    """Every endpoint that is served, whether the document shows it or not."""
    served = [route for feature in FEATURES for route in feature.router.routes if isinstance(route, APIRoute)]
    return {f"{method} {API_PREFIX}{route.path}" for route in served for method in route.methods or ()}


async def test_every_route_has_a_case_here(customer: Customer) -> None:
    document = (await customer.live.get("/openapi.json")).json()
    shown = {f"{method.upper()} {path}" for path, operations in document["paths"].items() for method in operations}
    assert shown == routes() == SEEN | SHARED | CREATING | set(REACHING)


async def strangers(owned: Owned, new_customer: NewCustomer) -> dict[str, httpx2.AsyncClient]:
    """Another organization in the same environment, and the owner's own key of the other one."""
    return {"another organization": (await new_customer()).live, "another environment": owned.owner.sandbox}


async def test_what_is_named_by_its_id_is_not_found_by_anybody_else(owned: Owned, new_customer: NewCustomer) -> None:
    for who, stranger in (await strangers(owned, new_customer)).items():
        for route, body in REACHING.items():
            method, path = owned.fill(route).split(" ")
            sent = None if body is None else json.loads(owned.fill(json.dumps(body)))
            response = await stranger.request(method, path, json=sent)
            assert response.status_code == 404, f"{who}: {route} answered {response.status_code}"
            assert MARK not in response.text, f"{who}: {route}"
    kept = (await owned.owner.live.get(owned.fill("/api/v1/webhooks/endpoints/{endpoint_id}"))).json()
    assert (kept["enabled"], kept["updated_at"]) == (True, kept["created_at"])
    shown = await owned.owner.live.get(f"/api/v1/classifications/{owned.ids['classification_id']}")
    assert "review" not in shown.json()


async def test_lists_and_filters_show_nothing_of_anybody_else(owned: Owned, new_customer: NewCustomer) -> None:
    filters = {"identifier": MARK, "product_id": owned.ids["product_id"], "batch_id": owned.ids["batch_id"]}
    for who, stranger in (await strangers(owned, new_customer)).items():
        for query in ({}, filters):
            for route in sorted(SEEN):
                method, path = owned.fill(route).split(" ")
                if method != "GET" or (
                    query and route == "GET /api/v1/requests"
                ):  # whose own log has what it asks here
                    continue
                response = await stranger.get(path, params=query)
                told = response.text.replace(stranger.headers["Authorization"], "")
                assert MARK not in told, f"{who}: {route} {query}"
                assert not any(one in told for one in owned.ids.values()), f"{who}: {route} {query}"


async def test_a_cursor_of_another_organization_leads_nowhere_else(owned: Owned, new_customer: NewCustomer) -> None:
    await owned.owner.classify()
    cursor = (await owned.owner.live.get("/api/v1/classifications", params={"limit": 1})).json()["next_cursor"]
    for stranger in (await strangers(owned, new_customer)).values():
        listed = (await stranger.get("/api/v1/classifications", params={"cursor": cursor})).json()
        assert listed == {"data": [], "has_more": False, "next_cursor": None}


async def test_setting_or_removing_a_webhook_changes_only_one_s_own(owned: Owned, new_customer: NewCustomer) -> None:
    for stranger in (await strangers(owned, new_customer)).values():
        assert (await stranger.delete("/api/v1/webhooks")).status_code == 404
        await stranger.put("/api/v1/webhooks", json={"url": "https://other.example.com/"})
    assert MARK in (await owned.owner.live.get("/api/v1/webhooks")).text


async def test_an_idempotency_key_belongs_to_one_organization_and_environment(
    owned: Owned, new_customer: NewCustomer
) -> None:
    body = {"product": {"name": MARK}, "schedules": ["US-HTS"]}
    headers = {"Idempotency-Key": "the same"}
    first = await owned.owner.live.post("/api/v1/products/classify", json=body, headers=headers)
    for stranger in (await strangers(owned, new_customer)).values():
        other = await stranger.post("/api/v1/products/classify", json=body, headers=headers)
        assert "Idempotent-Replayed" not in other.headers
        assert other.json()["product_id"] != first.json()["product_id"]


@pytest.mark.usefixtures("owned")
async def test_a_webhook_of_one_organization_hears_nothing_of_another(
    new_customer: NewCustomer, deployment: Deployment
) -> None:
    other = await new_customer()
    await other.until_final(await other.classify())
    assert await deployment.count("deliveries", other.id) == 0
