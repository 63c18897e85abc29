"""URLs that customers give us. The trap: a URL accepted here and refused only when the first delivery fails."""

from __future__ import annotations

from collections.abc import Sequence

from pcs.base.errors import InvalidRequestError, Violation
from pcs.bootstrap import Service
from pcs.products.model import ProductFields
from pcs.webhooks.addresses import RefusedAddressError


def check_webhook_url(service: Service, field: str, url: str) -> None:
    """Refuse a URL that webhooks may not go to. Raises InvalidRequestError."""
    if violation := _violation(service, field, url):
        raise InvalidRequestError(violation)


def check_image_urls(service: Service, submitted: Sequence[ProductFields], path: str = "products[{}]") -> None:
    """Refuse pictures at addresses where nothing may be fetched. Raises InvalidRequestError with every violation."""
    named = {
        f"{path.format(place)}.image_urls[{number}]": url
        for place, fields in enumerate(submitted)
        for number, url in enumerate(fields.image_urls)
    }
    violations = [violation for field, url in named.items() if (violation := _violation(service, field, url))]
    if violations:
        raise InvalidRequestError(*violations)


def _violation(service: Service, field: str, url: str) -> Violation | None:
    try:
        service.address_policy.check_url(url)
    except RefusedAddressError as refusal:
        return Violation(field, str(refusal))
    return None
