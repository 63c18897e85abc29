"""One published state of a schedule. The trap: two states that differ must never pass for the same one, so a digest of
the content is part of the name."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.languages import language_names
from pcs.tariff.harmonized_system import hs_edition
from pcs.tariff.profiles import PROFILES
from pcs.tariff.profiles.profile import Profile

_IN_LANGUAGE = re.compile(r"(.+)-([a-z]{2})", re.DOTALL)
_ENGLISH = "en"


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
    def language(self) -> str:
        """The language of its words, ISO 639-1."""
        return publication_of(self.edition)[1]

    @property
    def hs_edition(self) -> str:
        """The edition of the Harmonized System that it is made on, such as "2022"."""
        return hs_edition(self.edition)

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


def edition_in(publication: str, language: str) -> str:
    """What an edition of a publication in a language is called.

    >>> edition_in("2025-08", "en"), edition_in("2025-08", "de"), edition_in("2025-08-de", "de")
    ('2025-08', '2025-08-de', '2025-08-de')
    """
    return publication if publication_of(publication)[1] == language else f"{publication}-{language}"


def publication_of(edition: str) -> tuple[str, str]:
    """An edition without its language, and that language, ISO 639-1.

    >>> publication_of("2025-08-de"), publication_of("2025-08"), publication_of("2026-rev-10")
    (('2025-08', 'de'), ('2025-08', 'en'), ('2026-rev-10', 'en'))
    """
    found = _IN_LANGUAGE.fullmatch(edition)
    return (found[1], found[2]) if found and found[2] in language_names() else (edition, _ENGLISH)
