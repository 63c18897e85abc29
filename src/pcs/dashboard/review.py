"""The review page: what waits on the left, the decision on the right, by mouse or by key; saving opens the next.

The trap: a place in the list that is lost with each decision; the address carries the filters, and the form which one
comes next."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from pcs.base import ids
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification
from pcs.dashboard.classifications import in_order, notes_of, reviewed
from pcs.dashboard.comparing import compared
from pcs.dashboard.visit import Visit, action, page
from pcs.lists import service as lists
from pcs.lists.model import Attention, Listed, Sort, Wanted
from pcs.organizations.people import Permission
from pcs.reviews.model import Decision
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import ScheduleName

_PATH = "/dashboard/{environment:environment}/review"
_ONE = f"{_PATH}/{{classification_id}}"
_SHOWN, _COUNTED = 100, 1_000
_BY_KEY = 5  # alternatives
_BANDS = {"0": (0.0, 0.25), "25": (0.25, 0.5), "50": (0.5, 0.75), "75": (0.75, 1.01)}
_FILTERS = ("stage", "schedule", "sureness", "batch", "disagreeing", "mine", "order")
_MOST_COMPARED = 4


@dataclass(frozen=True, slots=True)
class WaitingProduct:
    """A product of the list: its classifications, one a schedule; those that wait are to be decided."""

    name: str
    identifier: str | None
    lines: Sequence[Listed]


async def show(visit: Visit) -> Response:
    """What waits, and one of it. Raises NotFoundError."""
    wanted = _wanted(visit)
    async with visit.service.database.begin() as transaction:
        found = await lists.page(transaction, visit.tenant, wanted)
        number = await lists.count(transaction, visit.tenant, wanted, most=_COUNTED)
        products = list(dict.fromkeys(line.product_id for line in found.items))
        beside = await lists.of_products(transaction, visit.tenant, products)
        chosen = _chosen(visit, [line.id for line in found.items])
        one = await classifications.get(transaction, visit.tenant, chosen) if chosen else None
    waiting = [line.id for line in found.items]
    result = in_order(one.result) if one and one.result else None
    return visit.render(
        "review.html",
        products=_products(found.items, beside),
        waiting=frozenset(waiting),
        number=number,
        most=_COUNTED,
        place=waiting.index(chosen) + 1 if chosen in waiting else None,
        before=_beside(waiting, chosen, -1),
        following=_beside(waiting, chosen, 1),
        one=one,
        result=result,
        notes=await notes_of(visit, one.schedule, result.code) if one and result else [],
        by_key=_BY_KEY,
        query=urlencode({name: visit.asked(name) for name in _FILTERS if visit.asked(name)}),
        schedules=tuple(ScheduleName),
        bands=_BANDS,
    )


def _wanted(visit: Visit) -> Wanted:
    schedule = visit.asked("schedule")
    batches = tuple(each for each in visit.asked("batch").lower().split(",") if ids.is_id(ids.BATCH, each))
    return Wanted(
        attention=Attention.PROPOSED if visit.asked("stage") == "proposed" else Attention.WANTED,
        assigned_to=visit.member.email if visit.asked("mine") == "yes" else None,
        schedule=ScheduleName(schedule) if schedule in set(ScheduleName) else None,
        sureness=_BANDS.get(visit.asked("sureness")),
        disagreeing=visit.asked("disagreeing") == "yes",
        batch_ids=batches or None,
        sort=Sort.DOUBTFUL if visit.asked("order") == "doubtful" else Sort.OLDEST,
        limit=_SHOWN,
    )


def _chosen(visit: Visit, waiting: Sequence[str]) -> str | None:
    """The classification that the address names, else the one that comes first."""
    named = visit.request.path_params.get("classification_id") or visit.asked("one")
    return named or next(iter(waiting), None)


def _beside(waiting: Sequence[str], chosen: str | None, step: int) -> str | None:
    """The one that comes after, or before, the one chosen; the first where that is none of them."""
    if chosen not in waiting:
        return next(iter(waiting), None) if step > 0 else None
    place = waiting.index(chosen) + step
    return waiting[place] if 0 <= place < len(waiting) else None


def _products(waiting: Sequence[Listed], beside: Sequence[Listed]) -> list[WaitingProduct]:
    """The products of what waits, in its order, each with all its schedules."""
    of_product = dict[str, dict[str, Listed]]()
    for line in (*beside, *waiting):
        of_product.setdefault(line.product_id, {})[line.schedule] = line
    shown = [list(of_product[each].values()) for each in dict.fromkeys(line.product_id for line in waiting)]
    return [WaitingProduct(lines[0].product_name, lines[0].identifier, lines) for lines in shown]


async def decide(visit: Visit) -> Response:
    """Keep a decision and open the next one. Raises NotFoundError, InvalidRequestError or NotReviewableError."""
    act, _, alternative = visit.text("act").partition(":")
    decision = next((each for each in Decision if each == act), None)
    await reviewed(visit, decision, alternative or visit.text("code"))
    asked = {name: visit.asked(name) for name in _FILTERS if visit.asked(name)}
    following = visit.text("following")
    return visit.go("/review", **asked, **({"one": following} if following else {}), done="reviewed")


async def compare(visit: Visit) -> Response:
    """Two to four codes side by side. Raises NotFoundError or InvalidRequestError."""
    async with visit.service.database.begin() as transaction:
        one = await classifications.get(transaction, visit.tenant, visit.request.path_params["classification_id"])
    if one.result is None:
        msg = "There is nothing to compare: no code was found."
        raise NotFoundError(msg)
    codes = _codes(visit, one)
    columns = await asyncio.to_thread(compared, visit.service.library, one.schedule, codes, in_order(one.result))
    return visit.render("compare.html", one=one, columns=columns, result=one.result)


def _codes(visit: Visit, one: Classification) -> list[Code]:
    """The codes that the address names, else the answer and what is likeliest beside it."""
    assert one.result is not None
    own = [one.result.code, *(each.code for each in one.result.alternatives)]
    try:
        asked = [Code.parse(each) for each in visit.request.query_params.getlist("code")]
    except InvalidCodeError:
        raise InvalidRequestError(Violation("code", "must be a tariff code, such as 6109.10.00")) from None
    return list(dict.fromkeys(asked or own))[:_MOST_COMPARED]


ROUTES = (
    page(_PATH, show),
    page(f"{_ONE}/compare", compare),
    action(_ONE, decide, shown=show, needs=Permission.REVIEW),
)
