"""Whose data it is. The trap: a query that filters on the organization and forgets the environment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Environment(StrEnum):
    """Where a key works and a row belongs."""

    LIVE = "live"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Tenant:
    """One organization in one environment: every tenant row carries both, and every query filters on both."""

    organization_id: str
    environment: Environment
