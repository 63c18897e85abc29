"""How much: numbers with their units, as intervals of one dimension ("over 20 USD", "up to 1,500 cm3", "1.5 kW"). The
trap: "not exceeding" read as "exceeding", 1,998 read as 1.998, and a length compared with one that measures something
else; what is measured is kept beside the value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from pcs.engine.text import plain

_AT_ONCE = 64

# Unit as it is written -> dimension and factor to the dimension's own unit (W, cm3, g, mm, g/m2, V, USD ...).
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("w", "watt", "watts"), ("power", 1.0)),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), ("power", 1e3)),
    **dict.fromkeys(("mw", "megawatt", "megawatts"), ("power", 1e6)),
    **dict.fromkeys(("hp", "horsepower"), ("power", 745.7)),
    **dict.fromkeys(("kva",), ("apparent power", 1e3)),
    **dict.fromkeys(("va",), ("apparent power", 1.0)),
    **dict.fromkeys(
        ("cm3", "cc", "ccm", "cubic centimeters", "cubic centimetres", "ml", "milliliters", "millilitres"),
        ("volume", 1.0),
    ),
    **dict.fromkeys(("cl",), ("volume", 10.0)),
    **dict.fromkeys(("l", "liter", "liters", "litre", "litres", "ltr"), ("volume", 1e3)),
    **dict.fromkeys(("hl",), ("volume", 1e5)),
    **dict.fromkeys(("mg",), ("mass", 1e-3)),
    **dict.fromkeys(("g", "gr", "gram", "grams", "gramme", "grammes"), ("mass", 1.0)),
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"), ("mass", 1e3)),
    **dict.fromkeys(("t", "tonne", "tonnes", "metric ton", "metric tons", "ton", "tons"), ("mass", 1e6)),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), ("mass", 453.6)),
    **dict.fromkeys(("oz", "ounce", "ounces"), ("mass", 28.35)),
    **dict.fromkeys(
        ("g/m2", "gsm", "g/sqm", "grams per square meter", "grams per square metre", "g per square meter", "g per m2"),
        ("mass per area", 1.0),
    ),
    **dict.fromkeys(("mm", "millimeters", "millimetres", "millimeter", "millimetre"), ("length", 1.0)),
    **dict.fromkeys(("cm", "centimeters", "centimetres", "centimeter", "centimetre"), ("length", 10.0)),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), ("length", 1e3)),
    **dict.fromkeys(("inch", "inches", '"'), ("length", 25.4)),
    **dict.fromkeys(("ft", "feet", "foot"), ("length", 304.8)),
    **dict.fromkeys(("v", "volt", "volts"), ("voltage", 1.0)),
    **dict.fromkeys(("kv", "kilovolts"), ("voltage", 1e3)),
    **dict.fromkeys(("a", "amp", "amps", "amperes"), ("current", 1.0)),
    **dict.fromkeys(("% vol", "% alcohol", "% abv", "percent vol", "percent by volume"), ("strength", 1.0)),
    **dict.fromkeys(("%", "percent", "per cent"), ("share", 1.0)),
    **dict.fromkeys(("usd", "dollars", "dollar"), ("value", 1.0)),
    **dict.fromkeys(("cents", "cent", "¢"), ("value", 0.01)),
    **dict.fromkeys(("decitex", "dtex"), ("fineness", 1.0)),
    **dict.fromkeys(("persons", "people", "passengers"), ("persons", 1.0)),
}
_MEASURES = {
    "wide": "width", "width": "width", "thick": "thickness", "thickness": "thickness", "long": "length",
    "length": "length", "high": "height", "height": "height", "tall": "height", "deep": "depth", "depth": "depth",
    "diameter": "diameter", "diagonal": "diagonal", "screen": "diagonal", "display": "diagonal",
}  # fmt: skip

_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_BELOW = (
    r"(?:(?:does |do |is |are )?not (?:exceeding|exceed|more than|over|above|greater than)|no more than|up to|maximum"
    r"|max\.?|at most|≤)"
)
_UNDER = r"(?:less than|under|below|smaller than|fewer than|<)"
_LEAST = r"(?:not less than|no less than|at least|minimum|min\.?|not under|not below|≥)"
_ABOVE = r"(?:over|exceeding|exceeds|more than|above|greater than|>)"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,9}(?:[.,]\d{1,4})?"
_QUANTITY = re.compile(
    rf"(?:(?P<below>\b{_BELOW}|≤)|(?P<least>\b{_LEAST}|≥)|(?P<under>\b{_UNDER}|<)|(?P<above>\b{_ABOVE}|>))?\s{{0,2}}"
    rf"(?P<money>us ?\$|\$|usd)?\s{{0,2}}(?<![a-z\d.,])(?P<number>{_NUMBER})"
    rf"(?:(?:\s|-){{0,2}}(?P<unit>{_UNIT})(?![a-z\d]))?"
    r"(?P<post>\s{1,2}(?:or more|and over|or over|and above|or greater|or less|or under))?"
)
_NEAR_BEFORE, _NEAR_AFTER = 40, 18  # characters in which what is measured is looked for
_WORD = re.compile(r"[a-z]+")
_BREAK = re.compile(r"[;.\n]|,(?!\d)|\d|\b(?:and|by|x)\b")


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
        """Whether both are of one dimension and measure the same; lengths do so only where both say what."""
        if self.dimension != other.dimension:
            return False
        if self.dimension == "length":
            return self.measures is not None and self.measures == other.measures
        return self.dimension != "share"


@lru_cache(maxsize=_AT_ONCE)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number with a unit or a currency, in order; two ends of one interval ("over 5 kg but not over 20 kg") are
    one quantity.

    >>> [(q.dimension, q.low, q.high) for q in quantities("engine of 1,998 cm3, valued over $20")]
    [('volume', 1998.0, 1998.0), ('value', 20.0, inf)]
    """
    said = plain(text)
    found, unit = list[Quantity](), None
    for match in reversed(list(_QUANTITY.finditer(said))):
        unit = "usd" if match["money"] else match["unit"] or (unit if _bound(match) else None)
        if unit is not None:
            found.append(_quantity(said, match, *_UNITS[unit]))
    return _merged(said, found[::-1])


def _bound(match: re.Match[str]) -> bool:
    return any(match[name] for name in ("below", "least", "under", "above"))


def _quantity(said: str, match: re.Match[str], dimension: str, factor: float) -> Quantity:
    value = _number(match["number"]) * factor
    post = match["post"] or ""
    upper = bool(match["below"] or match["under"] or "less" in post or "under" in post)
    lower = bool(match["least"] or match["above"] or (post and not upper))
    return Quantity(
        dimension,
        value if lower or not upper else -math.inf,
        value if upper or not lower else math.inf,
        _measured(said, match) if dimension == "length" else None,
        bool(match["above"]),
        bool(match["under"]),
        match.start(),
        match.end(),
    )


def _number(text: str) -> float:
    """1,998 is one thousand nine hundred ninety-eight; 1,5 is one and a half."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


def _measured(said: str, match: re.Match[str]) -> str | None:
    """What a length measures: the word right after it, or the last one before it in the same clause."""
    after = said[match.end() : match.end() + _NEAR_AFTER]
    if stop := _BREAK.search(after):
        after = after[: stop.start()]
    before = said[max(match.start() - _NEAR_BEFORE, 0) : match.start()]
    before = _BREAK.split(before)[-1]
    words = [*_WORD.findall(after), *reversed(_WORD.findall(before))]
    return next((_MEASURES[word] for word in words if word in _MEASURES), None)


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
