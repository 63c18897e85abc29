"""A customer's product. The trap: it is not the engine's product, which knows neither customers nor identifiers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from pcs.engine.product import Product
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

MOST_PICTURES = 4


@dataclass(frozen=True, slots=True)
class ProductFields:
    """What the customer says of the goods. `identifier` is the customer's own; the country is ISO 3166-1 alpha-2, the
    language, of the words, ISO 639-1; where it is not given, it is found. `declared_codes` are what the goods are filed
    under today; `attributes` say one thing each of the goods, such as their material. `entry_date` is the day of
    customs entry, whose law answers; the day of the analysis where it is not given. `metadata` is the customer's own,
    and says nothing of the goods. `image_urls` are where pictures of them are: for a reviewer with vision, never the
    engine."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None
    language: str | None = None
    declared_codes: Mapping[ScheduleName, Code] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    entry_date: dt.date | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    image_urls: tuple[str, ...] = ()

    def described(self, today: dt.date | None = None) -> Product:
        """The goods as the engine may know them; the order of attributes says nothing."""
        return Product(
            name=self.name,
            description=self.description or "",
            country_of_origin=self.country_of_origin,
            language=self.language,
            entry_date=self.entry_date or today,
            in_force_on=None if self.entry_date == today else self.entry_date,
            attributes=tuple(sorted(self.attributes.items())),
        )


@dataclass(frozen=True, slots=True)
class StoredProduct:
    """Goods as accepted; they never change afterwards."""

    id: str
    fields: ProductFields
    created_at: dt.datetime
