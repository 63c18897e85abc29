"""The headings of the Harmonized System, 2022 edition: the list against which a national schedule is checked. The
trap: a publication that lacks one heading looks complete to the eye, so the list of codes is kept here, not taken from
a file. The chapters' names are short ones of our own: a publisher's titles come with its file."""

from __future__ import annotations

import re
from functools import cache

from pcs.tariff.code import Code

_RANGES = """
0101-06 0201-10 0301-09 0401-10 0501-02 0504-08 0510-11 0601-04 0701-14 0801-14 0901-10 1001-08 1101-09 1201-14
1301-02 1401 1404 1501-18 1520-22 1601-05 1701-04 1801-06 1901-05 2001-09 2101-06 2201-09 2301-09 2401-04 2501-26
2528-30 2601-21 2701-16 2801-37 2839-47 2849-50 2852-53 2901-42 3001-06 3101-05 3201-15 3301-07 3401-07 3501-07
3601-06 3701-07 3801-27 3901-26 4001-17 4101-07 4112-15 4201-03 4205-06 4301-04 4401-21 4501-04 4601-02 4701-07
4801-14 4816-23 4901-11 5001-07 5101-13 5201-12 5301-03 5305-11 5401-08 5501-16 5601-09 5701-05 5801-11 5901-11
6001-06 6101-17 6201-17 6301-10 6401-06 6501-02 6504-07 6601-03 6701-04 6801-15 6901-07 6909-14 7001-11 7013-20
7101-18 7201-29 7301-26 7401-13 7415 7418-19 7501-08 7601-16 7801-02 7804 7806 7901-05 7907 8001-03 8007 8101-06
8108-13 8201-15 8301-11 8401-68 8470-87 8501-19 8521-49 8601-09 8701-16 8801-02 8804-07 8901-08 9001-08 9010-33
9101-14 9201-02 9205-09 9301-07 9401-06 9503-08 9601-20 9701-06
"""

# The first chapter of each section, I to XXI; XXII is the national one of chapters 98 and 99.
_SECTION_STARTS = (1, 6, 15, 16, 25, 28, 39, 41, 44, 47, 50, 64, 68, 71, 72, 84, 86, 90, 93, 94, 97, 98, 100)

_CHAPTERS = """
01 Live animals
02 Meat and edible offal
03 Fish and other seafood
04 Dairy produce, eggs, honey and other edible animal products
05 Other products of animal origin
06 Live trees, plants, bulbs and cut flowers
07 Vegetables, roots and tubers
08 Fruit and nuts
09 Coffee, tea, maté and spices
10 Cereals
11 Milled grain, malt, starches and gluten
12 Oil seeds, medicinal plants, seeds and fodder
13 Lac, gums, resins and vegetable extracts
14 Vegetable plaiting materials and other vegetable products
15 Fats, oils and waxes
16 Prepared meat and fish
17 Sugars and sugar confectionery
18 Cocoa and chocolate
19 Preparations of cereals, flour or milk; bakery wares
20 Prepared vegetables, fruit and nuts
21 Miscellaneous food preparations
22 Beverages, spirits and vinegar
23 Food industry residues; animal feed
24 Tobacco and nicotine products
25 Salt, stone, plaster, lime and cement
26 Ores, slag and ash
27 Mineral fuels and oils
28 Inorganic chemicals
29 Organic chemicals
30 Pharmaceutical products
31 Fertilizers
32 Tanning and dyeing extracts, pigments, paints and inks
33 Essential oils, perfumery and cosmetics
34 Soap, detergents, waxes, polishes and candles
35 Proteins, modified starches, glues and enzymes
36 Explosives, fireworks and matches
37 Photographic and cinematographic goods
38 Miscellaneous chemical products
39 Plastics and articles of plastics
40 Rubber and articles of rubber
41 Raw hides, skins and leather
42 Articles of leather; travel goods and handbags
43 Furskins and artificial fur
44 Wood and articles of wood
45 Cork and articles of cork
46 Basketware and plaited articles
47 Pulp and waste paper
48 Paper and paperboard
49 Printed matter
50 Silk
51 Wool and animal hair
52 Cotton
53 Other vegetable textile fibers and paper yarn
54 Man-made filaments
55 Man-made staple fibers
56 Wadding, felt, nonwovens, twine and rope
57 Carpets and floor coverings
58 Special woven fabrics, lace, tapestries and embroidery
59 Coated and technical textiles
60 Knitted or crocheted fabrics
61 Clothing, knitted or crocheted
62 Clothing, not knitted or crocheted
63 Other made-up textiles; worn clothing and rags
64 Footwear
65 Headgear
66 Umbrellas, walking sticks and whips
67 Prepared feathers, artificial flowers and articles of human hair
68 Articles of stone, plaster, cement and asbestos
69 Ceramic products
70 Glass and glassware
71 Pearls, precious stones and metals, jewelry and coin
72 Iron and steel
73 Articles of iron or steel
74 Copper
75 Nickel
76 Aluminum
78 Lead
79 Zinc
80 Tin
81 Other base metals and cermets
82 Tools, implements and cutlery of base metal
83 Miscellaneous articles of base metal
84 Machinery and mechanical appliances
85 Electrical machinery and electronics
86 Railway rolling stock and track
87 Road vehicles
88 Aircraft and spacecraft
89 Ships and boats
90 Optical, measuring and medical instruments
91 Clocks and watches
92 Musical instruments
93 Arms and ammunition
94 Furniture, bedding, lamps and prefabricated buildings
95 Toys, games and sports goods
96 Miscellaneous manufactured articles
97 Works of art, collectors' pieces and antiques
98 National special provisions
99 National temporary and statistical provisions
"""


_EDITIONS = (2022, 2028)
_YEAR = re.compile(r"20\d\d")


def hs_edition(edition: str) -> str:
    """The edition of the Harmonized System that a schedule's edition is made on, by the year that its name begins with;
    the one whose headings are kept here where it begins with none.

    >>> hs_edition("2026-rev-10"), hs_edition("2028-01-de"), hs_edition("starter-2029")
    ('2022', '2028', '2022')
    """
    year = _YEAR.match(edition)
    return str(max((one for one in _EDITIONS if year and one <= int(year[0])), default=_EDITIONS[0]))


@cache
def chapters() -> dict[Code, str]:
    """Every chapter with a short name; 77 is kept free by the Harmonized System, 98 and 99 belong to the countries.

    >>> chapters()[Code("61")]
    'Clothing, knitted or crocheted'
    """
    return {Code(line[:2]): line[3:] for line in _CHAPTERS.strip().splitlines()}


def section_of(chapter: str) -> int:
    """The number of the section that a chapter belongs to.

    >>> section_of("61"), section_of("95")
    (11, 20)
    """
    return sum(start <= int(chapter) for start in _SECTION_STARTS)


@cache
def section_chapters(section: int) -> tuple[Code, ...]:
    """The chapters of a section, 1 to 22; none for another number.

    >>> section_chapters(17)
    ('86', '87', '88', '89')
    """
    return tuple(chapter for chapter in chapters() if section_of(chapter) == section)


@cache
def headings() -> tuple[Code, ...]:
    """The 1,228 headings in legal order.

    >>> len(headings()), headings()[0], headings()[-1]
    (1228, '0101', '9706')
    """
    return tuple(code for part in _RANGES.split() for code in _expand(part))


def _expand(part: str) -> list[Code]:
    first, _, last = part.partition("-")
    numbers = range(int(first[2:]), int(last or first[2:]) + 1)
    return [Code(f"{first[:2]}{number:02d}") for number in numbers]
