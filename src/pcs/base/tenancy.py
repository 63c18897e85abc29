"""Whose data it is. The trap: a query that filters on the organization and forgets the environment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


class Environment(StrEnum):
    """Where a key works and a row belongs."""

    LIVE = "live"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Tenant:
    """One organization in one environment: every tenant row carries both, and every query filters on both."""

    COLUMNS: ClassVar[tuple[str, str]] = ("organization_id", "environment")

    organization_id: str
    environment: Environment

    @property
    def columns(self) -> dict[str, str]:
        """The columns that every row of the tenant carries, and the arguments of a query for them."""
        return {"organization_id": self.organization_id, "environment": self.environment}
