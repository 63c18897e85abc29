"""What was understood of a product, as people are told it: from the engine to storage and to every reader.

The trap: an interface that loads the reading stage to show what it found; nothing here reads anything."""

from __future__ import annotations

from dataclasses import dataclass

from pcs.base.languages import language_names


@dataclass(frozen=True, slots=True)
class MadeOf:
    """A material, the part that is of it (empty for the goods themselves) and its share in percent, where it was
    said."""

    part: str
    material: str
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, such as "width", and how much, as it was said."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class Understood:
    """What goods are called, what they are made of, what was measured, what was denied and what they are for, in
    English; `language` is the ISO 639-1 name of the one they were described in, "und" where it is not read."""

    goods: str = ""
    made_of: tuple[MadeOf, ...] = ()
    measures: tuple[Measure, ...] = ()
    denied: tuple[str, ...] = ()
    purpose: tuple[str, ...] = ()
    language: str = "en"

    @property
    def rows(self) -> list[tuple[str, str]]:
        """A title and what stands under it; a row of which nothing was said is left out."""
        foreign = [] if self.language == "en" else [language_names().get(self.language, "not one that is read")]
        told = [
            ("Language", foreign),
            ("The goods", [self.goods] if self.goods else []),
            *self._parts(),
            ("Measures", [f"{each.what} {each.value}" for each in self.measures]),
            ("Not", self.denied),
            ("Use", self.purpose),
        ]
        return [(title, ", ".join(values)) for title, values in told if values]

    def _parts(self) -> list[tuple[str, list[str]]]:
        parts = dict[str, list[str]]()
        for each in self.made_of:
            share = "" if each.share is None else f" {each.share:g}%"
            parts.setdefault(each.part, []).append(f"{each.material}{share}")
        return [(part.capitalize() or "Made of", materials) for part, materials in parts.items()]

    def __str__(self) -> str:
        """The same on one line.

        >>> str(Understood("handbag", (MadeOf("lining", "cotton", 60.0),), denied=("zipper",)))
        'handbag; lining: cotton 60%; not: zipper'
        """
        rest = (f"{title[0].lower()}{title[1:]}: {told}" for title, told in self.rows if title != "The goods")
        return "; ".join([*([self.goods] if self.goods else []), *rest])
