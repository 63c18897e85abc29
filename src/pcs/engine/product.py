"""The goods as their seller describes them: all the engine may know of a product."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """Goods to be classified. `country_of_origin` is an ISO 3166-1 alpha-2 code; it never decides a code, nor does
    `entry_date`, the day of customs entry: they say which duties are told. `in_force_on` is the day whose revision is
    to answer, None for the current one. `language` is the ISO 639-1 name of the one
    that it is written in, where the sender says so. `attributes` are names and what is said of them."""

    name: str
    description: str = ""
    country_of_origin: str | None = None
    language: str | None = None
    entry_date: dt.date | None = None
    in_force_on: dt.date | None = None
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """Everything said about the goods."""
        return f"{self.name}\n{self.description}".strip()
