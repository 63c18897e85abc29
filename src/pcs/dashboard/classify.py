"""Classify one product: the form, and the page where its answers appear. The trap: a form sent twice that costs twice;
the browser is sent on to the product's page, where reloading asks for nothing."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from pcs.base.countries import country_names
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.languages import language_names
from pcs.classifications import service as classifications
from pcs.classifications.model import ClassificationOptions
from pcs.dashboard.visit import Visit, action, page
from pcs.lists import service as lists
from pcs.lists.model import Sort, Wanted
from pcs.organizations.people import Permission
from pcs.products import service as products
from pcs.products.intake import DECLARED, FIELDS, read_product, typed_of
from pcs.schedules.entry_days import require_in_force
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.lexicon.rows import READ
from pcs.uploads.model import LIMITS
from pcs.webhooks.addresses import RefusedAddressError

_PATH = "/dashboard/{environment:environment}/classify"


async def show(visit: Visit) -> Response:
    """The form for one product and the one for a file. Raises NotFoundError where `again` names no classification."""
    return visit.render(
        "classify.html",
        schedules=tuple(ScheduleName),
        most=LIMITS.rows,
        goods=await _goods_again(visit),
        countries=country_names(),
        languages=[language_names()[code] for code in READ],
        declared=DECLARED,
    )


async def _goods_again(visit: Visit) -> dict[str, str]:
    """What the form begins with: nothing, or the goods of the classification that `again` names."""
    if not visit.asked("again"):
        return dict.fromkeys(FIELDS, "")
    async with visit.service.database.begin() as transaction:
        one = await classifications.get(transaction, visit.tenant, visit.asked("again"))
    return typed_of(one.goods)


async def classify(visit: Visit) -> Response:
    """Accept a product. Raises InvalidRequestError or InsufficientCreditsError."""
    violations: list[Violation] = []
    try:
        fields = read_product({name: visit.text(name) for name in FIELDS})
    except InvalidRequestError as error:
        violations += error.violations
    try:
        terms = ClassificationOptions(schedules=schedules_of(visit), webhook_url=_webhook_url(visit))
    except InvalidRequestError as error:
        violations += error.violations
    if violations:
        raise InvalidRequestError(*violations)
    days = {"entry_date": fields.entry_date} if fields.entry_date else {}
    await asyncio.to_thread(require_in_force, visit.service.library, days, terms.schedules, visit.now.date())
    async with visit.service.database.begin() as transaction:
        [product] = await products.create(transaction, visit.tenant, [fields], now=visit.now)
        await classifications.accept(transaction, visit.tenant, [product], terms, now=visit.now)
    return visit.go(f"/products/{product.id}")


def schedules_of(visit: Visit) -> tuple[ScheduleName, ...]:
    """The schedules that a form asks for. Raises InvalidRequestError where there are none."""
    chosen = tuple(name for name in ScheduleName if name in visit.texts("schedules"))
    if not chosen:
        raise InvalidRequestError(Violation("schedules", "need at least one choice"))
    return chosen


def _webhook_url(visit: Visit) -> str | None:
    url = visit.text("webhook_url").strip()
    try:
        if url:
            visit.service.address_policy.check_url(url)
    except RefusedAddressError as refusal:
        raise InvalidRequestError(Violation("webhook_url", str(refusal))) from None
    return url or None


async def show_product(visit: Visit) -> Response:
    """A product and its classifications, as far as they are. Raises NotFoundError."""
    product_id = visit.request.path_params["product_id"]
    async with visit.service.database.begin() as transaction:
        product = await products.get(transaction, visit.tenant, product_id)
        wanted = Wanted(product_id=product_id, sort=Sort.OLDEST, limit=50)
        found = await lists.page(transaction, visit.tenant, wanted)
    under_way = any(not line.status.is_final for line in found.items)
    return visit.render("product.html", product=product, lines=found.items, under_way=under_way)


ROUTES = (
    page(_PATH, show, needs=Permission.CLASSIFY),
    action(_PATH, classify, shown=show, needs=Permission.CLASSIFY),
    page("/dashboard/{environment:environment}/products/{product_id}", show_product),
)
