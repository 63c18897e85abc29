"""The Harmonized Tariff Schedule of the United States."""

from __future__ import annotations

from pcs.tariff.profiles.profile import PackColumn, Profile, RulingsProfile, WireNames
from pcs.tariff.profiles.us_programmes import US_PROGRAMMES

US_HTS = Profile(
    name="US-HTS",
    lengths=(8, 10),
    wire=WireNames("Us", "hts_code", "hts_description", "10 digits; 8 where the line has no suffix."),
    pack=PackColumn(mark="u"),
    rulings=RulingsProfile("cross"),
    sister="EU-CN",
    additional_rules=True,
    programmes=US_PROGRAMMES,
    column_two=frozenset({"BY", "CU", "KP", "RU"}),  # General Note 3(b)
    samples=(
        ("6109100012", ("T-shirts, knitted", "Of cotton", "Men's")),
        ("8471300100", ("Data processing machines", "Portable, not over 10 kg")),
        ("9403608081", ("Furniture", "Of wood", "Other")),
        ("4202219000", ("Handbags", "Outer surface of leather", "Over $20 each")),
        ("8518302000", ("Headphones and earphones", "Other")),
    ),
)
