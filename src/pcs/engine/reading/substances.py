"""What materials there are and which are kinds of which: "oak" is wood, "cow leather" leather, "PVC" a plastic. The
trap: a word that is a material here and a thing there ("glasses", "tin"); only words that name a material in most
goods' descriptions stand in the table."""

from __future__ import annotations

from pcs.engine.text import stem

# Family -> kinds of it, in plain words; a kind may have two words.
_FAMILIES = {
    "leather": "cowhide|calfskin|sheepskin|suede|nubuck|goatskin|lambskin|pigskin|cow leather|full grain leather",
    "textile": "fabric|cloth|canvas|denim|felt|velvet|webbing|textile material|textile materials|textiles|nonwoven",
    "cotton": "denim|corduroy|terry",
    "wool": "merino|lambswool|cashmere|mohair|alpaca|angora|fine animal hair",
    "silk": "",
    "linen": "flax",
    "bast": "jute|hemp|ramie|sisal|coir",
    "synthetic": "polyester|polyamide|nylon|acrylic|modacrylic|elastane|spandex|lycra|polypropylene fibre|microfibre|"
    "microfiber|fleece|synthetic fibers|synthetic fibres",
    "artificial": "viscose|rayon|modal|lyocell|tencel|cupro|acetate|triacetate|artificial fibers|artificial fibres",
    "plastic": "plastics|pvc|pu|abs|polyethylene|polypropylene|polycarbonate|acrylic glass|vinyl|silicone|silicones|"
    "eva|polystyrene|melamine|polyurethane|pet|hdpe|ldpe|pe|pp|pvc plastic|acetal|plastic sheeting|tpu|tpr",
    "rubber": "latex|neoprene|vulcanised rubber|vulcanized rubber",
    "wood": "wooden|oak|pine|beech|teak|walnut|mahogany|birch|acacia|mdf|plywood|hardwood|softwood|mango wood|"
    "rubberwood|particle board|fibreboard",
    "bamboo": "",
    "wicker": "rattan|willow|osier",
    "cork": "",
    "paper": "cardboard|paperboard|kraft",
    "glass": "borosilicate|crystal glass|lead crystal|tempered glass",
    "ceramic": "ceramics|stoneware|earthenware|terracotta|pottery",
    "porcelain": "bone china",
    "stone": "marble|granite|slate|agglomerated stone|travertine",
    "steel": "stainless steel|carbon steel|galvanised steel|galvanized steel|alloy steel",
    "iron": "cast iron|wrought iron",
    "aluminium": "aluminum",
    "copper": "brass|bronze",
    "zinc": "zinc alloy|zamak",
    "metal": "base metal|alloy",
    "gold": "",
    "silver": "sterling silver",
    "bristle": "bristles|hog bristle|hog bristles|boar bristle|boar bristles",
    "feather": "down|feathers",
    "fur": "furskin|mink|fox fur|rabbit fur",
    "imitation leather": "faux leather|pu leather|vegan leather|leatherette|imitation leather|artificial leather|"
    "synthetic leather|pleather",
}
# Family -> the wider one that it belongs to.
_WIDER = {
    "cotton": "textile", "wool": "textile", "silk": "textile", "linen": "textile", "bast": "textile",
    "synthetic": "man-made", "artificial": "man-made", "man-made": "textile", "porcelain": "ceramic",
    "bamboo": "wood", "iron": "ferrous", "steel": "ferrous", "ferrous": "metal", "aluminium": "metal",
    "copper": "metal", "zinc": "metal", "gold": "precious", "silver": "precious", "imitation leather": "plastic",
}  # fmt: skip
_SAME = {
    "man-made fibers": "man-made", "man-made fibres": "man-made", "man made fibers": "man-made",
    "man made fibres": "man-made", "manmade fibers": "man-made", "base metals": "metal", "precious metal": "precious",
}  # fmt: skip


SYNONYMS = {
    "elastane": {"elastane", "spandex", "lycra", "elastomeric yarn"},
    "flax": {"flax", "linen"},
    "rubber thread": {"rubber thread"},
    "synthetic fibre": {"synthetic"},
    "plastics": {"plastic", "plastics"},
}
"""Names of one material that is a kind of a family and no family itself."""


def _stems(words: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words.replace("-", " ").split())


def _table() -> dict[tuple[str, ...], str]:
    table = {_stems(family): family for family in _FAMILIES}
    for family, kinds in _FAMILIES.items():
        table |= {_stems(kind): family for kind in kinds.split("|") if kind and _stems(kind) not in table}
    return table | {_stems(words): family for words, family in _SAME.items()}


FAMILIES = _table()
"""Stems of a material's name -> its family."""
LONGEST = max(map(len, FAMILIES))
"""Words of the longest name."""


def is_kind_of(family: str, wider: str) -> bool:
    """Whether one family is the other or belongs to it.

    >>> is_kind_of("cotton", "textile"), is_kind_of("textile", "cotton")
    (True, False)
    """
    place: str | None = family
    while place is not None and place != wider:
        place = _WIDER.get(place)
    return place == wider
