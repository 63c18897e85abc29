"""The Combined Nomenclature of the European Union."""

from __future__ import annotations

from pcs.tariff.profiles.profile import PackColumn, Profile, RulingsProfile, WireNames

EU_CN = Profile(
    name="EU-CN",
    lengths=(8,),
    wire=WireNames("Eu", "cn_code", "cn_description"),
    pack=PackColumn(mark="e"),
    rulings=RulingsProfile("ebti", ends=True),
    sister="US-HTS",
    samples=(
        ("61091000", ("T-shirts, knitted", "Of cotton")),
        ("84713000", ("Data processing machines", "Portable, not over 10 kg")),
        ("94036010", ("Furniture", "Of wood, for dining and living rooms")),
        ("42022100", ("Handbags", "Outer surface of leather")),
        ("85183000", ("Headphones and earphones",)),
    ),
)
