"""One published state of a schedule. The trap: two states that differ must never pass for the same one, so a digest of
the content is part of the name."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.profiles import PROFILES
from pcs.tariff.profiles.profile import Profile


class ScheduleName(StrEnum):
    """The schedules the service knows, as clients write them."""

    US_HTS = "US-HTS"
    EU_CN = "EU-CN"

    @property
    def profile(self) -> Profile:
        """All in which it differs from the others."""
        return PROFILES[self.value]

    @property
    def column(self) -> int:
        """Its place among the knowledge pack's columns."""
        return list(PROFILES).index(self.value)

    @property
    def digits(self) -> int:
        """How many digits its deepest lines have."""
        return self.profile.digits


@dataclass(frozen=True, slots=True)
class Revision:
    """Which edition of which schedule, in force from when, and the digest of its content."""

    schedule: ScheduleName
    edition: str
    digest: str
    in_force_from: dt.date | None = None
    in_force_to: dt.date | None = None

    @property
    def name(self) -> str:
        """What results and logs call it, such as "2026-rev-10"."""
        return self.edition

    @property
    def order(self) -> tuple[int, ...]:
        """What puts editions of one publisher in order of time.

        >>> Revision(ScheduleName.US_HTS, "2025-rev-10", "").order
        (2025, 10)
        """
        return tuple(map(int, re.findall(r"\d+", self.edition)))

    @property
    def is_starter(self) -> bool:
        """Whether this is our own starter schedule, not a publisher's."""
        return self.edition.startswith("starter")
