"""What a schedule's profile says. The trap: an `else` that means one of the schedules; whoever needs to know in what
they differ asks the profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WireNames:
    """What the fields of a schedule's result are called on the wire; `prefix` begins its shapes' names."""

    prefix: str
    code: str
    description: str
    about_code: str | None = None


@dataclass(frozen=True, slots=True)
class PackColumn:
    """Where the knowledge pack keeps a schedule's own: `mark` begins its titles (`u:`) and, after a d, its facts."""

    mark: str


@dataclass(frozen=True, slots=True)
class RulingsProfile:
    """Who decides on a schedule's codes, as RulingSource writes it, and whether a decision ends by itself."""

    source: str
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Programme:
    """Under which goods pay a special rate: what it is called, where the law names its countries, and the countries
    themselves (ISO 3166-1 alpha-2) where a treaty settles them; empty where they are listed in the note alone."""

    name: str
    note: str
    countries: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Profile:
    """One schedule. `lengths` are the numbers of digits that a declarable line may have, shortest first.

    `sister` is the schedule beside which its first six digits are read, for they are the same by treaty.
    `programmes` are those of the special rates by their symbols; goods of `column_two` pay the rates of that column.
    `additional_rules` says that it has the Additional US Rules of Interpretation. `samples` are answers that the
    sandbox gives: a code and the words of its path.
    """

    name: str
    lengths: tuple[int, ...]
    wire: WireNames
    pack: PackColumn
    samples: tuple[tuple[str, tuple[str, ...]], ...]
    rulings: RulingsProfile | None = None
    sister: str | None = None
    additional_rules: bool = False
    programmes: Mapping[str, Programme] = field(default_factory=dict)
    column_two: frozenset[str] = frozenset()

    @property
    def digits(self) -> int:
        """How many digits its deepest lines have."""
        return self.lengths[-1]

    @property
    def code_pattern(self) -> str:
        """A regular expression of a line's code."""
        alternatives = "|".join(rf"\d{{{length}}}" for length in self.lengths)
        return rf"^({alternatives})$" if len(self.lengths) > 1 else f"^{alternatives}$"
