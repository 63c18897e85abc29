"""A revision of the Harmonized System 2028, constructed from the HTS of 2026: accepted, compared, classified under."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from pcs.engine.classify import classify
from pcs.engine.product import Product
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.service import Revisions
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.usitc_hts import Record, to_schedule

US = ScheduleName.US_HTS
GONE = ("0510", "4015", "8524")
NEW: list[Record] = [
    {"htsno": "8488", "indent": "0", "description": "Unmanned underwater vehicles and parts thereof:"},
    {"htsno": "8488.10.00.00", "indent": "1", "description": "Underwater drones", "general": "2%"},
    {"htsno": "8488.90.00.00", "indent": "1", "description": "Other", "general": "Free"},
]


def constructed(published: Path) -> list[Record]:
    rows = json.loads(gzip.decompress((published / "us-hts/hts_2026_rev_10.json.gz").read_bytes()))
    place = next(place for place, row in enumerate(rows) if row["htsno"].startswith("8501"))
    edited, heading = [*rows[:place], *NEW, *rows[place:]], ""
    kept = []
    for row in edited:
        heading = row["htsno"][:4] or heading
        if heading not in GONE:
            kept.append(row)
    return kept


@pytest.mark.timeout(180)
def test_a_constructed_revision_of_hs_2028_is_accepted_compared_and_classified_under(
    published: Path, tmp_path: Path
) -> None:
    revisions, rows = Revisions(tmp_path), constructed(published)
    with pytest.raises(IncompleteScheduleError, match="3 headings of the Harmonized System are missing"):
        revisions.stage(to_schedule(rows, "2027-basic"))
    source = json.loads(gzip.decompress((published / "us-hts/hts_2026_rev_10.json.gz").read_bytes()))
    before = revisions.stage(to_schedule(source, "2026-rev-10"))
    revisions.promote(US, before.key)
    revisions.promote(US, revisions.stage(to_schedule(rows, "2028-basic")).key)
    library = Library(tmp_path)
    changes = library.changes(US, "2026-rev-10", "2028-basic")
    assert changes is not None
    assert {code[:4] for code in changes.removed} == set(GONE)
    assert set(changes.added) == {"8488100000", "8488900000"}
    cache = os.environ.get("PCS_CACHE_DIR")
    method = Methods(library, cache_dir=Path(cache) if cache else None).current(US)
    for goods in ("men's knitted cotton T-shirt", "vulcanised rubber gloves", "flat panel display module"):
        result = classify(Product(goods), method).result
        assert result is not None
        assert (result.schedule_revision, result.hs_edition) == ("2028-basic", "2028")
        assert result.code in {line.code for line in method.schedule.lines}
        assert not result.code.startswith(GONE)
