"""How the code that goods are filed under stands beside the one that the engine finds for them.

The traps: a line that the revision does not have is wrong whatever the goods are, so the law is asked first; and two
duties are compared as numbers only where both are nothing but a percentage of the value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pcs.engine.determination import Determination, Undetermined
from pcs.engine.filed.comparison import Agreement, Comparison
from pcs.engine.result import Result
from pcs.tariff.code import Code
from pcs.tariff.former import FormerLine
from pcs.tariff.rates import ad_valorem
from pcs.tariff.schedule import PATH_SEPARATOR, Schedule


def compare(
    filed: Code, determination: Determination, schedule: Schedule, former: Mapping[Code, FormerLine]
) -> Comparison:
    """How a filed code stands beside what was determined under a schedule whose gone lines are `former`.

    Pure. A code with more digits than the schedule has (TARIC's ten under the CN's eight) is compared by those that it
    has, and the reason says so.
    """
    answer = determination.answer
    law = _Law(filed, schedule, former)
    if law.is_gone:
        return law.gone(None if isinstance(answer, Undetermined) else answer)
    if isinstance(answer, Undetermined):
        reason = f"No code was found to compare it with. {answer.reasoning}"
        return Comparison(
            Agreement.NOT_COMPARED, filed, reason, filed_description=law.description, filed_duty=law.general
        )
    return _beside(law, answer)


@dataclass(frozen=True)
class _Law:
    """What the schedule says of a filed code."""

    filed: Code
    schedule: Schedule
    former: Mapping[Code, FormerLine]

    @property
    def code(self) -> Code:
        """The filed code by as many digits as the schedule has."""
        return Code(self.filed[: self.schedule.revision.schedule.digits])

    @property
    def is_gone(self) -> bool:
        """Whether there is no such code; the starter schedule has not every line, so it cannot tell."""
        return self.code not in self.schedule and not self.schedule.revision.is_starter

    @property
    def description(self) -> str:
        """The filed code's words."""
        node = self.schedule.get(self.code)
        return self.schedule.description(node) if node else ""

    @property
    def general(self) -> str:
        """The filed code's general rate."""
        node = self.schedule.get(self.code)
        duty = self.schedule.duty(node) if node else None
        return duty.general if duty else ""

    def gone(self, found: Result | None) -> Comparison:
        """The comparison of a code that the revision does not have."""
        line, revision = self.former.get(self.code), self.schedule.revision
        where = f"{revision.schedule} {revision.name}"
        if line is None:
            reason = f"{where} has no line {self.code.dotted}."
        elif line.successors:
            now = ", ".join(code.dotted for code in line.successors)
            have = "its goods are, by the correlation of the editions," if line.correlated else "its words stand"
            reason = f"{self.code.dotted} was a line until {line.edition}; in {where} {have} under {now}."
        else:
            reason = f"{self.code.dotted} was a line until {line.edition}; {where} has no line with its words."
        successors = line.successors if line else ()
        duty, other = (line.duty.general if line else ""), (found.duty.general if found else "")
        if found is not None:
            reason = f"{reason} For these goods {found.code.dotted} was found: {found.description}."
        return Comparison(
            Agreement.SUPERSEDED if successors else Agreement.NO_SUCH_LINE,
            self.filed,
            reason,
            digits=shared_digits(self.code, found.code) if found else 0,
            found=found.code if found else None,
            confidence=1.0,
            successors=successors,
            filed_description=line.description if line else "",
            filed_duty=duty,
            found_duty=other,
            duty_difference=_difference(duty, other),
        )


def _beside(law: _Law, found: Result) -> Comparison:
    digits = shared_digits(law.code, found.code)
    agreement = _agreement(law, found, digits)
    return Comparison(
        agreement,
        law.filed,
        " ".join(filter(None, (_reason(law, found, agreement, digits), _left_out(law)))),
        digits=digits,
        found=found.code,
        confidence=_sureness(law.code, found),
        filed_description=law.description,
        filed_duty=law.general,
        found_duty=found.duty.general,
        duty_difference=_difference(law.general, found.duty.general),
    )


def _agreement(law: _Law, found: Result, digits: int) -> Agreement:
    if law.code == found.code:
        return Agreement.AGREES
    return Agreement.AGREES_IN_PART if digits >= 4 else Agreement.DIFFERS


def shared_digits(one: str, other: str) -> int:
    """How many leading digits two codes share, in pairs.

    >>> shared_digits("6109100012", "6109901007"), shared_digits("4202", "4302")
    (4, 0)
    """
    pairs = zip(one[::2], one[1::2], other[::2], other[1::2], strict=False)
    same = (first == third and second == fourth for first, second, third, fourth in pairs)
    return 2 * next((place for place, is_same in enumerate(same) if not is_same), min(len(one), len(other)) // 2)


def _sureness(code: Code, found: Result) -> float | None:
    """How sure the code on the found path is that decides: the whole where both agree; where the filed one is shorter
    its own digits; else the first level that the filed code is not below."""
    scored = {level.code: level.confidence for level in found.hierarchy if level.code and level.confidence is not None}
    if code.covers(found.code):
        return found.confidence if code == found.code else scored.get(code, found.confidence)
    return next((sure for level, sure in scored.items() if not level.covers(code)), found.confidence)


def _reason(law: _Law, found: Result, agreement: Agreement, digits: int) -> str:
    if agreement is Agreement.AGREES:
        return f"Filed and found are the same line: {found.description}."
    if law.code.covers(found.code):
        below = f"{found.code.dotted}: {found.description}"
        return (
            f"{law.code.dotted} is too short to declare goods under; of the lines below it these goods are in {below}."
        )
    one, other = _apart(law.description, found.description)
    common = f"Both are in {Code(found.code[:digits]).dotted}. " if digits >= 4 else ""
    filed = f"{law.code.dotted} is for “{one}”, " if one else f"{law.code.dotted} is not known here. These goods: "
    said = f"{common}{filed}{found.code.dotted} for “{other}”."
    apart = next((line.separated_by for line in found.alternatives if line.code == law.code), "")
    return f"{said} {apart}".strip()


def _apart(one: str, other: str) -> tuple[str, str]:
    """Two descriptions from where they part."""
    first, second = one.split(PATH_SEPARATOR), other.split(PATH_SEPARATOR)
    pairs = zip(first[:-1], second[:-1], strict=False)
    same = next((place for place, (mine, yours) in enumerate(pairs) if mine != yours), min(len(first), len(second)) - 1)
    return PATH_SEPARATOR.join(first[same:]), PATH_SEPARATOR.join(second[same:])


def _left_out(law: _Law) -> str:
    if law.code not in law.schedule:
        return "The starter schedule does not have every line: load the official one to know whether this one exists."
    name = law.schedule.revision.schedule
    return f"Compared by its first {name.digits} digits: the {name} has no more." if law.code != law.filed else ""


def _difference(filed: str, found: str) -> float | None:
    rates = ad_valorem(filed), ad_valorem(found)
    return None if rates[0] is None or rates[1] is None else float(rates[1] - rates[0])
