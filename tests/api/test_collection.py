"""The collection for Postman and Bruno has every operation, and each request is one that the service answers as its
document says. The trap: a path variable that nothing fills."""

import json
import re
from typing import Any

from builders import ServiceUnderTest


def filled(text: str, variables: dict[str, str]) -> str:
    """As Postman fills in variables of the collection."""
    return re.sub(r"\{\{(\$?\w+)\}\}", lambda found: variables[found[1]], text)


async def test_every_operation_is_a_request_that_the_service_knows(running: ServiceUnderTest) -> None:
    made = (await running.live.get("/collection.json")).json()
    document = (await running.live.get("/openapi.json")).json()
    accepted = await running.classify()
    await running.work()
    variables = {one["key"]: one["value"] for one in made["variable"]}
    known = {"product_id": accepted["product_id"], "classification_id": accepted["classifications"][0]["id"]}
    variables |= known | {"$guid": "4f2c", "address": "http://test", "key": "unused: the client has one"}
    asked = [(folder["name"], item["request"]) for folder in made["item"] for item in folder["item"]]
    operations = {
        (method.upper(), path): operation
        for path, each in document["paths"].items()
        for method, operation in each.items()
    }
    assert len(asked) == len(operations) > 50
    for folder, request in asked:
        path = "/" + "/".join(re.sub(r"^:(\w+)$", r"{\1}", part) for part in request["url"]["path"])
        operation = operations.pop((request["method"], path))
        assert operation["tags"] == [folder]
        response = await send(running, request, variables)
        named = {str(response.status_code), "default"} & set(operation["responses"])
        assert named, f"{request['method']} {path}: {response.status_code} {response.text[:200]}"
    assert not operations
    assert made["info"]["schema"].endswith("/v2.1.0/collection.json")


async def send(running: ServiceUnderTest, request: dict[str, Any], variables: dict[str, str]) -> Any:
    path = "/".join(request["url"]["path"])
    for one in request["url"]["variable"]:
        path = path.replace(f":{one['key']}", filled(one["value"], variables) or "unknown")
    headers = {one["key"]: filled(one["value"], variables) for one in request["header"] if not one["disabled"]}
    query = {one["key"]: one["value"] for one in request["url"]["query"] if not one["disabled"]}
    body = request.get("body", {"mode": "none"})
    if body["mode"] == "formdata":
        told = {one["key"]: one["value"] for one in body["formdata"] if one["type"] == "text" and not one["disabled"]}
        files = {"file": ("goods.csv", b"name\nCotton T-shirt\n")}
        return await running.live.request(request["method"], f"/{path}", data=told, files=files, headers=headers)
    sent = json.loads(body["raw"]) if body["mode"] == "raw" else None
    return await running.live.request(request["method"], f"/{path}", params=query, headers=headers, json=sent)


async def test_it_is_a_download_and_holds_no_key(running: ServiceUnderTest) -> None:
    answer = await running.live.get("/collection.json")
    assert answer.headers["Content-Disposition"].endswith('filename="pcs.postman_collection.json"')
    assert "svc_live_" not in json.dumps(answer.json()["variable"])
