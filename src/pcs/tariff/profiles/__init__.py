"""One profile a schedule: everything in which it differs from the others but how its publications are read.

A further schedule is a module here and a line below, a member of ScheduleName, readers in `sources/`, and a column of
the knowledge pack."""

from __future__ import annotations

from pcs.tariff.profiles.eu_cn import EU_CN
from pcs.tariff.profiles.profile import Profile
from pcs.tariff.profiles.us_hts import US_HTS

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (US_HTS, EU_CN)}
"""In the order of the knowledge pack's columns."""
