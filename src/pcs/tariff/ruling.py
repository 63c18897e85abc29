"""Rulings: what customs decided on goods like these. The trap: a ruling that was revoked reads like any other, so each
carries its status and how that is known, and a code cited years ago may be gone or mean something else today."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.changes import Changes
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule

_OFFICE = re.compile(r"^(?:HQ|NY)\s+(?=\w)")


class RulingSource(StrEnum):
    """Who decided: US Customs and Border Protection, a customs office of the EU, or another authority."""

    CROSS = "cross"
    EBTI = "ebti"
    OTHER = "other"

    @property
    def schedule(self) -> ScheduleName | None:
        """The schedule that its codes belong to."""
        return next((name for name in ScheduleName if self is ruling_source(name)), None)

    @property
    def ends(self) -> bool:
        """Whether its decisions end by themselves."""
        name = self.schedule
        return name is not None and name.profile.rulings is not None and name.profile.rulings.ends


def ruling_source(name: ScheduleName) -> RulingSource | None:
    """Who decides on a schedule's codes; None where nobody's decisions are read."""
    rulings = name.profile.rulings
    return RulingSource(rulings.source) if rulings else None


class RulingStatus(StrEnum):
    """Whether it may be relied on. In force means that the publisher names nothing against it."""

    IN_FORCE = "in_force"
    MODIFIED = "modified"
    REVOKED = "revoked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RulingLinks:
    """Other rulings that bear on one, by reference."""

    revoked_by: tuple[str, ...] = ()
    modified_by: tuple[str, ...] = ()
    revokes: tuple[str, ...] = ()
    modifies: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision. `text` is the goods as described (a US letter whole), "" where only the subject is known; `grounds`
    are the reasons where the publisher gives them apart.

    `status_from` says how the status is known. `valid_to` is the day it ends by itself (a BTI: three years).
    """

    reference: str
    source: RulingSource
    date: dt.date | None
    subject: str
    text: str = ""
    grounds: str = ""
    codes: tuple[Code, ...] = ()
    status: RulingStatus = RulingStatus.UNKNOWN
    status_from: str = ""
    url: str | None = None
    language: str = "en"
    valid_to: dt.date | None = None
    links: RulingLinks = RulingLinks()

    @property
    def cites(self) -> frozenset[str]:
        """Its own reference and those of the rulings that it is linked with."""
        return frozenset((self.reference, *self.links.related, *self.links.revokes, *self.links.modifies))


@dataclass(frozen=True, slots=True)
class CodeStanding:
    """What became of a code that a ruling cites: where it stands now (None if nowhere), how many digits hold, why."""

    cited: Code
    now: Code | None
    digits_held: int
    because: str


def normal_reference(text: str) -> str:
    """A reference as it is stored, however it is cited.

    >>> normal_reference("NY n301234"), normal_reference("HQ H123456 "), normal_reference("DEBTI-1234/25-1")
    ('N301234', 'H123456', 'DEBTI-1234/25-1')
    """
    return _OFFICE.sub("", text.strip().upper())


def read_codes(value: object) -> tuple[Code, ...]:
    """The codes in a list or in a text separated by commas or semicolons; what is no code is left out.

    >>> read_codes("6109.10.0012, none; 6109.10.0012"), read_codes(["8471.30.0100", None])
    (('6109100012',), ('8471300100',))
    """
    if isinstance(value, str):
        parts: Iterable[object] = re.split(r"[,;\n]", value)
    else:
        parts = value if isinstance(value, list | tuple) else ()
    return tuple(dict.fromkeys(code for part in parts if (code := _code(part)) is not None))


def standing_of(code: Code, schedule: Schedule, history: Iterable[Changes] = ()) -> CodeStanding:
    """Where a cited code stands in a schedule; `history` are the changes that led to it, oldest first."""
    now = code
    for changes in history:
        now = changes.successor(now) or now
    if now != code and now in schedule:
        return CodeStanding(code, now, len(now), "its words were given this number")
    node = schedule.get(code)
    if node is not None and (node.declarable or len(code) < 8):
        return CodeStanding(code, code, len(code), "still in the schedule")
    prefix = next(prefix for prefix in (*code.ancestors[::-1], code, None) if prefix is None or prefix in schedule)
    if prefix is None:
        return CodeStanding(code, None, 0, "neither it nor any code above it is in the schedule")
    return _below(code, code if node else prefix, schedule)


def _below(code: Code, prefix: Code, schedule: Schedule) -> CodeStanding:
    """A code that is gone or divided: clean only where one line is left in its place."""
    node = schedule.get(prefix)
    lines = list(schedule.lines_below(node)) if node else []
    if len(lines) == 1 and len(prefix) >= 8:
        return CodeStanding(code, lines[0].code, len(prefix), f"the only line of {prefix.dotted}")
    return CodeStanding(code, None, len(prefix), f"gone or divided; {prefix.dotted} is still in the schedule")


def _code(part: object) -> Code | None:
    if not isinstance(part, str) or not part.strip():
        return None
    try:
        return Code.parse(part.strip())
    except InvalidCodeError:
        return None
