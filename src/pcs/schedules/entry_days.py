"""Days of entry as they are asked for: whether the law of each is loaded.

The trap: a day that nothing loaded covers, found out only by the analysis, when the credit is spent."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Mapping, Sequence

from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.schedules.library import Library
from pcs.tariff.revision import ScheduleName


def require_in_force(
    library: Library, days: Mapping[str, dt.date | None], names: Sequence[ScheduleName], today: dt.date
) -> None:
    """Raise InvalidRequestError where no loaded revision covers the day of a field. Reading blocks: call it in a
    thread."""
    wrong = []
    for name, (field, day) in itertools.product(names, days.items()):
        try:
            library.key_on(name, day, today)
        except NotFoundError as error:
            wrong.append(Violation(field, f"is a day that is not covered. {error}"))
    if wrong:
        raise InvalidRequestError(*wrong)
