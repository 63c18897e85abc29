"""The goods as their seller describes them: all the engine may know of a product."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """Goods to be classified. `country_of_origin` is an ISO 3166-1 alpha-2 code; it never decides a code."""

    name: str
    description: str = ""
    country_of_origin: str | None = None

    @property
    def text(self) -> str:
        """Everything said about the goods."""
        return f"{self.name}\n{self.description}".strip()
