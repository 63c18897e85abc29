"""A customer's product. The trap: it is not the engine's product, which knows neither customers nor identifiers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class ProductFields:
    """What the customer says of the goods. `identifier` is the customer's own; the country is ISO 3166-1 alpha-2, the
    language, of the words, ISO 639-1; where it is not given, it is found. `declared_codes` are what the goods are filed
    under today."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None
    language: str | None = None
    declared_codes: Mapping[ScheduleName, Code] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredProduct:
    """Goods as accepted; they never change afterwards."""

    id: str
    fields: ProductFields
    created_at: dt.datetime
