"""URLs that customers give us. The trap: a URL accepted here and refused only when the first delivery fails."""

from __future__ import annotations

from pcs.base.errors import InvalidRequestError, Violation
from pcs.bootstrap import Service
from pcs.webhooks.addresses import RefusedAddressError


def check_webhook_url(service: Service, field: str, url: str) -> None:
    """Refuse a URL that webhooks may not go to. Raises InvalidRequestError."""
    try:
        service.address_policy.check_url(url)
    except RefusedAddressError as refusal:
        raise InvalidRequestError(Violation(field, str(refusal))) from None
