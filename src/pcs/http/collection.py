"""The interface as a collection for Postman, Bruno and Insomnia, made from its OpenAPI document: `/collection.json`.

Format: Postman Collection v2.1.0. The trap: a collection written by hand, which knows last month's interface."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

router = APIRouter(include_in_schema=False)

FORMAT = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_FILLED = {"schedule": "US-HTS", "code": "6109.10"}
_LEFT_OUT = {"prefer", "accept-language"}  # each has a parameter of the query that says the same
_KEPT = """\
// What an answer names is put into the addresses of the requests that follow.
const told = (() => { try { return pm.response.json(); } catch { return {}; } })();
const first = told.classifications?.[0] ?? told.data?.[0] ?? {};
for (const name of ["product_id", "batch_id", "upload_id"]) {
  const id = told[name] ?? first[name];
  if (id) pm.collectionVariables.set(name, id);
}
for (const id of [told.id, first.id].filter(Boolean)) {
  const name = { clf: "classification", product: "product", batch: "batch", dlv: "delivery" }[id.split("_")[0]];
  if (name) pm.collectionVariables.set(`${name}_id`, id);
}
"""


@router.get("/collection.json")
async def collection(request: Request) -> Response:
    """The collection, with this service's address in it."""
    made = collection_of(request.app.openapi(), str(request.base_url).rstrip("/"))
    headers = {"Content-Disposition": 'attachment; filename="pcs.postman_collection.json"'}
    return JSONResponse(made, headers=headers)


def collection_of(document: dict[str, Any], address: str) -> dict[str, Any]:
    """Every operation of an OpenAPI document as a request, in a folder for each tag; the key is a variable."""
    folders: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    names = set[str]()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            folders[operation["tags"][0]].append(_item(method.upper(), path, operation))
            names |= {one["name"] for one in _parameters(operation, "path")}
    about = document["info"]
    variables = {"address": address, "key": "", **{name: _FILLED.get(name, "") for name in sorted(names)}}
    return {
        "info": {"name": about["title"], "description": about["description"], "schema": FORMAT},
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{key}}", "type": "string"}]},
        "variable": [{"key": name, "value": value, "type": "string"} for name, value in variables.items()],
        "event": [{"listen": "test", "script": {"type": "text/javascript", "exec": _KEPT.splitlines()}}],
        "item": [{"name": name, "item": items} for name, items in folders.items() if items],
    }


def _item(method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    asked = _parameters(operation, "query")
    request = {
        "method": method,
        "description": operation["description"],
        "header": [_header(one) for one in _parameters(operation, "header") if one["name"].lower() not in _LEFT_OUT],
        "url": {
            "raw": "{{address}}" + path.replace("{", ":").replace("}", ""),
            "host": ["{{address}}"],
            "path": path.strip("/").replace("{", ":").replace("}", "").split("/"),
            "query": [_query(one) for one in asked],
            "variable": [
                {"key": one["name"], "value": "{{" + one["name"] + "}}"} for one in _parameters(operation, "path")
            ],
        },
    }
    return {"name": operation["summary"], "request": request | _body(operation)}


def _parameters(operation: dict[str, Any], place: str) -> list[dict[str, Any]]:
    return [one for one in operation.get("parameters", []) if one["in"] == place]


def _header(one: dict[str, Any]) -> dict[str, Any]:
    value = "{{$guid}}" if one["name"] == "Idempotency-Key" else ""
    return {"key": one["name"], "value": value, "description": one.get("description", ""), "disabled": not value}


def _query(one: dict[str, Any]) -> dict[str, Any]:
    schema = one["schema"]
    value = next(iter(schema.get("examples", [])), schema.get("default") or "")
    told = {"key": one["name"], "value": str(value), "description": one.get("description", "")}
    return told | {"disabled": not one.get("required", False)}


def _body(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return {"body": {"mode": "raw", "raw": _pretty(content), "options": {"raw": {"language": "json"}}}}
    if "multipart/form-data" in content:
        fields = content["multipart/form-data"]["schema"]["properties"]
        return {"body": {"mode": "formdata", "formdata": [_field(name, one) for name, one in fields.items()]}}
    return {}


def _pretty(content: dict[str, Any]) -> str:
    return json.dumps(content["application/json"]["example"], indent=2, ensure_ascii=False)


def _field(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    told = {"key": name, "description": schema.get("description", "")}
    if name == "file":
        return told | {"type": "file", "src": []}
    return told | {"type": "text", "value": "US-HTS" if name == "schedules" else "", "disabled": name != "schedules"}
