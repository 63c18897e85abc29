"""How much: numbers with their units, as intervals of one dimension ("over 20 USD", "up to 1,500 cm3", "1.5 kW"). The
trap: "not exceeding" read as "exceeding", 1,998 read as 1.998, and a length compared with one that measures something
else; what is measured is kept beside the value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pcs.engine.text import plain

_AT_ONCE = 64

# Dimension -> how each of its units is written -> factor to the dimension's own unit.
_WRITTEN: dict[str, dict[str, float]] = {
    "power": {"w watt watts": 1.0, "kw kilowatt kilowatts": 1e3, "mw megawatt megawatts": 1e6, "hp horsepower": 745.7},
    "apparent power": {"va": 1.0, "kva": 1e3, "mva": 1e6},
    "energy": {"wh": 1.0, "kwh": 1e3},
    "charge": {"mah": 1e-3, "ah": 1.0},
    "voltage": {"mv": 1e-3, "v volt volts": 1.0, "kv kilovolt kilovolts": 1e3},
    "current": {"ma": 1e-3, "a amp amps ampere amperes": 1.0, "ka": 1e3},
    "frequency": {"hz hertz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "speed": {"km/h kph": 1.0, "mph": 1.609},
    "rotation": {"rpm": 1.0},
    "pressure": {"bar": 1.0, "psi": 0.06895, "kpa": 0.01, "mpa": 10.0},
    "temperature": {"°c degrees_celsius degrees_c": 1.0},
    "volume": {
        "cm3 cc ccm cubic_centimeters cubic_centimetres ml milliliter milliliters millilitre millilitres": 1.0,
        "cl": 10.0, "dl": 100.0, "l liter liters litre litres ltr": 1e3, "hl": 1e5, "m3": 1e6,
        "fl_oz fluid_ounces": 29.57, "gal gallon gallons": 3785.0,
    },
    "mass": {
        "mg": 1e-3, "g gr gram grams gramme grammes": 1.0, "kg kgs kilo kilos kilogram kilograms": 1e3,
        "t tonne tonnes metric_ton metric_tons ton tons": 1e6, "lb lbs pound pounds": 453.6, "oz ounce ounces": 28.35,
        "ct carat carats": 0.2,
    },
    "mass per area": {
        "g/m2 gsm g/sqm grams_per_square_meter grams_per_square_metre g_per_square_meter g_per_m2": 1.0,
        "oz/sq_yd oz_per_square_yard": 33.9, "kg/m2": 1e3,
    },
    "length": {
        "nanometers nanometres": 1e-6, "micron microns micrometer micrometers micrometre micrometres µm um": 1e-3,
        "mm millimeter millimeters millimetre millimetres": 1.0,
        "cm centimeter centimeters centimetre centimetres": 10.0,
        "m meter meters metre metres": 1e3, 'inch inches "': 25.4, "ft feet foot": 304.8,
    },
    "area": {
        "mm2": 1.0, "cm2 square_centimeters square_centimetres": 100.0,
        "m2 sqm square_meter square_meters square_metre square_metres": 1e6, "square_foot square_feet sq_ft": 92903.0,
    },
    "strength": {"%_vol %_alcohol %_abv percent_vol percent_by_volume": 1.0},
    "share": {"% percent per_cent": 1.0, "ppm": 1e-4},
    "value": {"usd dollar dollars eur euro euros €": 1.0, "cent cents ¢": 0.01},
    "fineness": {"decitex dtex": 1.0, "den denier deniers": 1.111, "tex": 10.0},
    "count": {"metric_number": 1.0},
    "twist": {"turns_per_meter turns_per_metre turns_per_m": 1.0},
    "sweetness": {"brix °_brix degrees_brix": 1.0},
    "jewels": {"jewels": 1.0},
    "cylinders": {"cylinders cylinder": 1.0},
    "persons": {"persons people passengers seats": 1.0},
    "age": {"months month": 1.0, "years year yrs": 12.0},
}  # fmt: skip
_UNITS = {
    unit.replace("_", " "): (dimension, factor)
    for dimension, units in _WRITTEN.items()
    for written, factor in units.items()
    for unit in written.split()
}
DIMENSIONS = frozenset(_WRITTEN)
_OF_SOMETHING = frozenset({"length", "share"})  # such a quantity says little where it is not said of what it is
_MEASURES = {
    "wide": "width", "width": "width", "thick": "thickness", "thickness": "thickness", "long": "length",
    "length": "length", "high": "height", "height": "height", "tall": "height", "deep": "depth", "depth": "depth",
    "diameter": "diameter", "diagonal": "diagonal", "screen": "diagonal", "display": "diagonal",
}  # fmt: skip

LENGTHS = frozenset(_MEASURES.values())
# What a share is of, as provisions and sellers name it.
_CONSTITUENTS = {
    **{word: word for word in (
        "sugar cocoa protein alcohol salt moisture water nickel chromium carbon silicon manganese copper zinc tin lead "
        "aluminium gold silver platinum starch meat fish fruit juice glycerol iron molybdenum tungsten titanium "
        "magnesium sulfur glucose caffeine nicotine phosphorus gluten alumina plasticizer ash oil petroleum "
        "nitrogen silica propane butane rosin fructose plastics"
    ).split()},
    **dict.fromkeys(("fat", "butterfat", "milkfat", "fats"), "fat"),
    **dict.fromkeys(("sucrose", "sugars"), "sugar"),
    "aluminum": "aluminium", "sulphur": "sulfur", "chrome": "chromium", "glycerine": "glycerol",
    "aromatic": "aromatic substances", "solids": "milk solids",
}  # fmt: skip

_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_BELOW = (
    r"(?:(?:does |do |is |are )?not (?:exceeding|exceed|more than|over|above|greater than)|no more than|up to|maximum"
    r"|max\.?|at most|≤)"
)
_UNDER = r"(?:less than|under|below|smaller than|fewer than|<)"
_LEAST = r"(?:not less than|no less than|at least|minimum|min\.?|not under|not below|≥)"
_ABOVE = r"(?:over|exceeding|exceeds|more than|above|greater than|>)"
_DECIMAL = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,9}(?:[.,]\d{1,4})?"
_SLASHED = r"\d{1,2}\s?[/\u2044]\s?(?:2|3|4|5|6|8|10|12|16|32|64)(?!\d)"
_FRACTION = rf"(?:\d{{1,3}}[\s-])?{_SLASHED}"
_NUMBER = rf"{_FRACTION}|{_DECIMAL}"
_FROM = rf"{_FRACTION}|(?:{_DECIMAL})(?!-{_SLASHED})"  # 1-1/2 is one and a half, not from one to a half
_PER = (
    r"(?:\s{0,2}(?:/\s?|per |a |each )(?P<per>dozen|doz|kg|kilogram|pair|m2|square meter|l|liter|litre|gross|ton|t)\b)"
)
_QUANTITY = re.compile(
    rf"(?:(?P<below>\b{_BELOW}|≤)|(?P<least>\b{_LEAST}|≥)|(?P<under>\b{_UNDER}|<)|(?P<above>\b{_ABOVE}|>))?\s{{0,2}}"
    rf"(?P<money>us ?\$|(?<![a-z])\$|usd|€|eur)?(?P<age>\bage[sd]?\b:?)?\s{{0,2}}(?<![a-z\d.,])"
    rf"(?:(?P<from>{_FROM})\s?(?:-|\u2013|to)\s?)?(?P<number>{_NUMBER})"
    rf"(?:(?:\s|-){{0,2}}(?P<unit>{_UNIT})(?![a-z\d]))?"
    rf"{_PER}?"
    r"(?P<old>(?:\s?y\s?\+|\+\s?(?:y|yo|yrs?|years?)\b))?"
    r"(?P<post>\s{0,2}\+|\s{1,2}"
    r"(?:or more|and over|or over|and above|or greater|and older|or older|and up|or less|or under))?"
)
_PARTS = re.compile(r"(?:(?P<whole>\d+)[\s-])?(?P<part>\d+)\s?[/\u2044]\s?(?P<parts>\d+)")
_MEASURED = r"(?:length|width|height|depth|diameter|thickness|weight|size|dimensions?)"
_THAT_IT_MEASURES = re.compile(
    r"\s?\b(?:(?:which |that |and |it ){0,2}(?:measur(?:es?|ing|ed)|weigh(?:s|ing|ed)?)"
    rf"|(?:with |of |has |having ){{0,2}}(?:a |an |the )?{_MEASURED}(?: of|:)?)"
    r"(?: (?:approximately|about|approx\.?|ca\.?|around|over|up to|not exceeding|in)){0,2}\s{1,2}(?=\d)"
)
_WHAT_IS_MEASURED = re.compile(
    rf"(\d(?:{_UNIT})?|\d\s(?:{_UNIT}))\s(?:in (?:overall |total )?{_MEASURED}"
    r"|long|wide|high|tall|deep|thick|diameter|height|width|length)(?![a-z])"
)
_NEAR_BEFORE, _NEAR_AFTER = 40, 18  # characters in which what is measured is looked for
_FAR_BEFORE, _FAR_AFTER = 60, 50  # the same of what a share is of
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z]+")
_BREAK = re.compile(r"[;.\n]|,(?!\d)|\d|\b(?:and|by|x)\b")
_SENTENCE = re.compile(r"[;.\n()]|\d")
# A value for each dozen is told for one; goods in pairs are valued by the pair.
_EACH = {"dozen": 12, "doz": 12, "gross": 144, "pair": 1}
_PERS = {"kilogram": "kg", "square meter": "m2", "liter": "l", "litre": "l", "ton": "t"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """An interval of a dimension in its own unit, what it measures where that is said, and where it stands in the plain
    text. `open_low` and `open_high` tell whether the ends themselves are outside."""

    dimension: str
    low: float
    high: float
    measures: str | None = None
    open_low: bool = False
    open_high: bool = False
    start: int = 0
    end: int = 0

    def within(self, other: Quantity) -> bool:
        """Whether all of it lies in the other."""
        low = self.low > other.low or (self.low == other.low and (self.open_low or not other.open_low))
        high = self.high < other.high or (self.high == other.high and (self.open_high or not other.open_high))
        return low and high

    def apart(self, other: Quantity) -> bool:
        """Whether none of it lies in the other."""
        below, above = (self, other) if self.low <= other.low else (other, self)
        if below.low == above.low:
            below, above = (self, other) if self.high <= other.high else (other, self)
        if below.high < above.low:
            return True
        return below.high == above.low and (below.open_high or above.open_low)

    def comparable(self, other: Quantity) -> bool:
        """Whether both are of one dimension and measure the same; lengths and shares do so only where both say what."""
        if self.dimension != other.dimension or self.measures != other.measures:
            return False
        return self.measures is not None or self.dimension not in _OF_SOMETHING


def unmeasured(text: str) -> str:
    """The plain text without the words that only say that and what is measured, the numbers and units left: a pan that
    measures 11 inches in diameter is no instrument for measuring diameters.

    >>> unmeasured("towel which measures 140 cm in length, with a weight of 500 g/m2")
    'towel 140 cm, 500 g/m2'
    """
    return _WHAT_IS_MEASURED.sub(r"\1", _THAT_IT_MEASURES.sub(" ", plain(text)))


@lru_cache(maxsize=_AT_ONCE)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number with a unit or a currency, in order; two ends of one interval ("over 5 kg but not over 20 kg") are
    one quantity.

    >>> [(q.dimension, q.low, q.high) for q in quantities("engine of 1,998 cm3, valued over $20")]
    [('volume', 1998.0, 1998.0), ('value', 20.0, inf)]
    """
    said = plain(text)
    if _DIGIT.search(said) is None:
        return ()
    found, unit = list[Quantity](), None
    for match in reversed(list(_QUANTITY.finditer(said))):
        own = "usd" if match["money"] else match["unit"] or ("years" if match["age"] or match["old"] else None)
        unit = own or (unit if _bound(match) else None)
        if unit is not None:
            found.append(_quantity(said, match, *_UNITS[unit]))
    return _merged(said, found[::-1])


def _bound(match: re.Match[str]) -> bool:
    return any(match[name] for name in ("below", "least", "under", "above"))


def _quantity(said: str, match: re.Match[str], dimension: str, factor: float) -> Quantity:
    factor /= _EACH.get(match["per"] or "", 1) if dimension == "value" else 1
    value = _number(match["number"]) * factor
    least = _number(match["from"]) * factor if match["from"] else value
    post = match["old"] or match["post"] or ""
    upper = bool(match["below"] or match["under"] or "less" in post or "under" in post)
    lower = bool(match["least"] or match["above"] or (post and not upper))
    return Quantity(
        dimension,
        -math.inf if upper and not lower else min(least, value),
        math.inf if lower and not upper else value,
        _measured(said, match, dimension),
        bool(match["above"]),
        bool(match["under"]),
        match.start(),
        match.end(),
    )


def _number(text: str) -> float:
    """1,998 is one thousand nine hundred ninety-eight; 1,5 and 1 1/2 are one and a half; of 12/24 the last counts."""
    if match := _PARTS.fullmatch(text):
        whole, part, parts = int(match["whole"] or 0), int(match["part"]), int(match["parts"])
        return whole + part / parts if part < parts and math.gcd(part, parts) == 1 else float(parts)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


def _measured(said: str, match: re.Match[str], dimension: str) -> str | None:
    """What is measured: a width, a share of fat, a value for each dozen; None where that is not said."""
    if dimension == "length":
        return _nearest(said, match, _MEASURES, _BREAK, _NEAR_BEFORE, _NEAR_AFTER)
    if dimension == "share":
        return _nearest(said, match, _CONSTITUENTS, _SENTENCE, _FAR_BEFORE, _FAR_AFTER)
    if dimension == "value" and match["per"] and match["per"] not in _EACH:
        return _PERS.get(match["per"], match["per"])
    return None


def _nearest(  # noqa: PLR0917 - two ways, two distances
    said: str, match: re.Match[str], names: Mapping[str, str], stop: re.Pattern[str], before: int, after: int
) -> str | None:
    """What one of the names calls it: the word right after the number, or the last one before it in the same clause."""
    behind = stop.split(said[match.end() : match.end() + after], maxsplit=1)[0]
    ahead = stop.split(said[max(match.start() - before, 0) : match.start()])[-1]
    words = [*_WORD.findall(behind), *reversed(_WORD.findall(ahead))]
    return next((names[word] for word in words if word in names), None)


def _merged(said: str, found: list[Quantity]) -> tuple[Quantity, ...]:
    merged: list[Quantity] = []
    for quantity in found:
        last = merged[-1] if merged else None
        if last is not None and _ends_meet(said, last, quantity):
            low, high = (last, quantity) if math.isinf(last.high) else (quantity, last)
            merged[-1] = Quantity(
                last.dimension, low.low, high.high, last.measures or quantity.measures,
                low.open_low, high.open_high, last.start, quantity.end,
            )  # fmt: skip
        else:
            merged.append(quantity)
    return tuple(merged)


def _ends_meet(said: str, one: Quantity, other: Quantity) -> bool:
    """Whether two half-open intervals are the ends of one."""
    if one.dimension != other.dimension or not 0 <= other.start - one.end <= 12:
        return False
    between = said[one.end : other.start].strip(" ,")
    halves = math.isinf(one.low) != math.isinf(one.high) and math.isinf(other.low) != math.isinf(other.high)
    return halves and math.isinf(one.low) != math.isinf(other.low) and between in {"", "but", "and", "and/or"}
