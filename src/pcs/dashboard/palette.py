"""What the palette finds while somebody types: what an id names, codes of the tariff, goods by name, SKU or code.

The trap: opening the engine for a few letters; codes are looked up in the schedules as they are stored."""

from __future__ import annotations

import asyncio
import re

from starlette.responses import JSONResponse, Response

from pcs.base.text import shortened
from pcs.dashboard.classifications import page_of
from pcs.dashboard.visit import Visit, page
from pcs.lists import service as lists
from pcs.lists.model import Listed, Wanted
from pcs.schedules.library import Library
from pcs.tariff.revision import ScheduleName

_FEWEST, _MOST = 2, 6
_LONGEST = 90
_CODE = re.compile(r"\d{4}(?:[. ]?\d{2}){0,3}")
_Place = tuple[str, str]  # what to read, and where it leads in the environment


async def find(visit: Visit) -> Response:
    """Places for what is typed as JSON, `words` and `href` each; none for a single letter."""
    words = visit.searched()
    found = await _places(visit, words) if len(words) >= _FEWEST else []
    return JSONResponse([{"words": shortened(told, _LONGEST), "href": visit.base + path} for told, path in found])


async def _places(visit: Visit, words: str) -> list[_Place]:
    if named := page_of(words.lower()):
        return [(f"Open {words.lower()}", named)]
    codes = await asyncio.to_thread(_codes, visit.service.library, words) if _CODE.fullmatch(words) else []
    async with visit.service.database.begin() as transaction:
        goods = await lists.page(transaction, visit.tenant, Wanted(search=words, limit=_MOST))
    return [*codes, *map(_place_of, goods.items)]


def _codes(library: Library, words: str) -> list[_Place]:
    """The first places of each schedule that begin with a code."""
    return [
        (f"{hit.code.dotted} · {name} · {hit.path}", f"/schedules/{name}/codes/{hit.code}")
        for name in ScheduleName
        for hit in library.search(name, words)[: _MOST // 2]
    ]


def _place_of(line: Listed) -> _Place:
    code = line.shown_code
    told = (line.product_name, line.identifier, line.schedule, code.dotted if code else None)
    return " · ".join(one for one in told if one), f"/classifications/{line.id}"


ROUTES = (page("/dashboard/{environment:environment}/find", find),)
