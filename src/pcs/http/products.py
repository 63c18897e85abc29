"""Products on the wire. The trap: an empty text is a field that was not supplied, not a value."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from pcs.http.wire import Description, Identifier, Name, Text, Timestamp, Wire
from pcs.products.countries import country
from pcs.products.model import ProductFields, StoredProduct


class ProductInput(Wire):
    """A product as submitted."""

    name: Name
    description: Description | None = None
    identifier: Identifier | None = None
    country_of_origin: Annotated[Text, AfterValidator(country)] | None = None

    def fields(self) -> ProductFields:
        """The product as the service knows it."""
        return ProductFields(
            name=self.name,
            description=self.description or None,
            identifier=self.identifier or None,
            country_of_origin=self.country_of_origin,
        )


class ProductOutput(Wire):
    """A product as accepted. `identifier` is there when it was supplied."""

    id: str
    name: str
    identifier: str | None = None
    country_of_origin: str | None
    created_at: Timestamp

    @classmethod
    def of(cls, product: StoredProduct) -> ProductOutput:
        """The wire shape of a stored product."""
        optional = {} if product.fields.identifier is None else {"identifier": product.fields.identifier}
        return cls(
            id=product.id,
            name=product.fields.name,
            country_of_origin=product.fields.country_of_origin,
            created_at=product.created_at,
            **optional,
        )
