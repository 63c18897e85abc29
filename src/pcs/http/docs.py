"""The reference for people, made from the document for programs. The trap: a page that needs somebody's CDN; this one
is one file without scripts and works offline."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from pcs.http.pages import PAGE_HEADERS, render

router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs(request: Request) -> Response:
    """The reference of every endpoint."""
    document = request.app.openapi()
    page = render("docs.html", info=document["info"], sections=_sections(document), base_url=str(request.base_url))
    return HTMLResponse(page, headers=PAGE_HEADERS)


def _sections(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The operations under their tags, each with what the page shows of it."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            shown = _operation(document, method.upper(), path, operation)
            sections.setdefault(operation["tags"][0], []).append(shown)
    return sections


def _operation(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    body = _json(operation.get("requestBody"))
    return {
        "id": operation["operationId"],
        "method": method,
        "path": path,
        "text": operation["description"],
        "parameters": operation.get("parameters", []),
        "fields": _fields(document, body.get("schema", {})),
        "request": _pretty(body.get("example")),
        "answers": [
            {
                "status": status,
                "text": response["description"],
                "example": _pretty(_json(response).get("example")),
                "fields": _fields(document, _json(response).get("schema", {})) if status.startswith("2") else [],
            }
            for status, response in sorted(operation["responses"].items())
        ],
    }


def _json(part: dict[str, Any] | None) -> dict[str, Any]:
    found: dict[str, Any] = (part or {}).get("content", {}).get("application/json", {})
    return found


def _pretty(example: object) -> str:
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, str]]:
    """The fields of an object: name, type, whether it is always there, and what is said of it."""
    schema = _resolved(document, schema)
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "type": _type(document, field),
            "required": "yes" if name in required else "no",
            "text": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return _resolved(document, found)
    return _resolved(document, schema["anyOf"][0]) if "anyOf" in schema and "properties" not in schema else schema


def _type(document: dict[str, Any], schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(document, kind) for kind in schema["anyOf"])
    if "$ref" in schema:
        found = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return _type(document, found) if "enum" in found else str(schema["$ref"].rpartition("/")[2])
    if schema.get("type") == "array":
        return f"array of {_type(document, schema.get('items', {}))}"
    if "enum" in schema and len(schema["enum"]) <= 8:
        return " | ".join(f"“{value}”" for value in schema["enum"])
    return str(schema.get("format") or schema.get("type", "any"))
