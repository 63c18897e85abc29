"""Our own style sheet, script and icon. The trap: a path that leads out of the folder; only files listed at the start
are served."""

from __future__ import annotations

from functools import cache
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def _files() -> dict[str, bytes]:
    folder = resources.files("pcs.dashboard") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES}


async def serve(request: Request) -> Response:
    """A static file; its address names its content, so it may be kept for ever."""
    name = request.path_params["name"]
    content = _files().get(name)
    if content is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


ROUTES = (Route("/dashboard/static/{name}", serve, methods=["GET"]),)
