"""A whole schedule in a few lines: every heading, every subheading that the checks know, and a line for each."""

from __future__ import annotations

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import headings
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule
from pcs.tariff.sources.levels import with_all_levels

KNOWN = (
    "020130 030214 080390 100199 150920 170199 220421 240220 270900 300490 330300 390120 401110 420221 440711 "
    "481910 490199 520100 610910 620342 640399 701310 710812 720839 761010 820551 841810 847130 851713 870323 "
    "880240 901890 910211 940161 950300 960810 970121"
).split()


def edition(
    name: str,
    *,
    heading_words: str = "Goods of",
    without: str = "none",
    dropped: str = "",
    units: tuple[str, ...] = (),
) -> Schedule:
    rows: list[PublishedRow] = []
    for heading in headings():
        known = [Code(f"{code}00") for code in KNOWN if code.startswith(heading)]
        rows.append(PublishedRow(heading, 0, f"{heading_words} {heading}"))
        lines = [code for code in [*known, Code(f"{heading}9999")] if code != dropped]
        rows += [PublishedRow(code, 1, f"Line {code}", declarable=True, units=units) for code in lines]
    return assemble(
        ScheduleName.EU_CN, name, with_all_levels([row for row in rows if not (row.code or "").startswith(without)])
    )
