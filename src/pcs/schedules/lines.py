"""The line that a person names: is it one of the revision that answers, and can it be declared.

The trap: a code taken at its word; what somebody types goes on a declaration, so it is a line or it is refused, with
what to do instead."""

from __future__ import annotations

from dataclasses import dataclass

from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.schedules.library import Library
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class DeclarableLine:
    """A line that goods can be declared under, its words from the heading down, and the name of its revision."""

    code: Code
    description: str
    revision: str


def declarable_line(library: Library, schedule: ScheduleName, typed: str) -> DeclarableLine:
    """The line that somebody typed, dots allowed. Reading blocks: call it in a thread.

    Raises InvalidRequestError about the field `code`.
    """
    try:
        entry = library.look_up(schedule, Code.parse(typed))
    except InvalidCodeError:
        known = Violation("code", f"must be a code of {schedule}, such as {schedule.profile.samples[0][0]}")
        raise InvalidRequestError(known) from None
    except NotFoundError as error:
        why = f"is not in the schedule: {str(error).rstrip('.')}. Search the schedule for its line"
        raise InvalidRequestError(Violation("code", why)) from None
    code = entry.node.code
    if code is None or not entry.node.declarable:
        raise InvalidRequestError(Violation("code", "is not a line that can be declared: give all its digits"))
    return DeclarableLine(code, entry.description, entry.revision.name)
