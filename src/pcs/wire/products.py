"""Products on the wire. The trap: a field that is sometimes null where the contract says it is absent; what is not
there is not sent."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pcs.products.model import ProductFields, StoredProduct
from pcs.wire.base import Answer, Timestamp


def supplied(fields: ProductFields, *names: str) -> dict[str, Any]:
    """Those of a product's optional fields that the caller supplied."""
    return {name: value for name in names if (value := getattr(fields, name)) not in (None, {})}


def _optional(fields: ProductFields, *names: str) -> dict[str, Any]:
    declared = {str(schedule): str(code) for schedule, code in fields.declared_codes.items()}
    pictures = list(fields.image_urls)
    known = {"declared_codes": declared, "image_urls": pictures}
    return {**supplied(fields, *names), **{name: value for name, value in known.items() if value}}


class ProductOutput(Answer):
    """A product as accepted. `identifier`, `language`, `declared_codes`, `attributes`, `metadata` and `image_urls`
    are there when they were supplied."""

    id: str
    name: str
    identifier: str | None = None
    country_of_origin: str | None
    language: str | None = None
    declared_codes: dict[str, str] | None = None
    attributes: dict[str, str] | None = None
    entry_date: dt.date | None = None
    metadata: dict[str, str] | None = None
    image_urls: list[str] | None = None
    created_at: Timestamp

    @classmethod
    def of(cls, product: StoredProduct) -> ProductOutput:
        """The wire shape of a stored product."""
        fields = product.fields
        return cls(
            id=product.id,
            name=fields.name,
            country_of_origin=fields.country_of_origin,
            created_at=product.created_at,
            **_optional(fields, "identifier", "language", "attributes", "entry_date", "metadata"),
        )


class FullProduct(ProductOutput):
    """A product with all that was said of it."""

    description: str | None = None

    @classmethod
    def of(cls, product: StoredProduct) -> FullProduct:
        """The wire shape of a stored product."""
        fields = product.fields
        return cls(
            id=product.id,
            name=fields.name,
            country_of_origin=fields.country_of_origin,
            created_at=product.created_at,
            **_optional(fields, "identifier", "description", "language", "attributes", "entry_date", "metadata"),
        )


class Goods(Answer):
    """The product of a classification; what the caller did not supply is absent."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None
    language: str | None = None
    declared_codes: dict[str, str] | None = None
    attributes: dict[str, str] | None = None
    entry_date: dt.date | None = None
    image_urls: list[str] | None = None

    @classmethod
    def of(cls, fields: ProductFields) -> Goods:
        """The wire shape of what was submitted."""
        told = _optional(
            fields, "description", "identifier", "country_of_origin", "language", "attributes", "entry_date"
        )
        return cls(name=fields.name, **told)


class NamedGoods(Answer):
    """The product of a classification as an event names it."""

    name: str
    identifier: str | None = None

    @classmethod
    def of(cls, fields: ProductFields) -> NamedGoods:
        """The wire shape of what was submitted."""
        return cls(name=fields.name, **supplied(fields, "identifier"))
