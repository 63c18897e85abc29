"""The declared code of a classification beside what was determined, when all that decides the answer has spoken.

The trap: a revision that was promoted while the goods were analysed; the law that is asked is that of the answer."""

from __future__ import annotations

from pcs.base.errors import NotFoundError
from pcs.classifications.model import Classification
from pcs.engine.determination import Determination
from pcs.engine.filed.comparing import compare
from pcs.engine.filed.comparison import Comparison
from pcs.schedules.library import Library
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Schedule


def beside(library: Library, one: Classification, determination: Determination) -> Comparison | None:
    """The comparison; None where no code is declared. Reads the schedule from the disk where it is not open: call it in
    a thread."""
    filed = one.goods.declared_codes.get(one.schedule)
    if filed is None:
        return None
    return compare(filed, determination, _schedule(library, determination.revision), library.former_lines(one.schedule))


def simulated_beside(one: Classification, determination: Determination) -> Comparison | None:
    """The sandbox's comparison, which asks no law: its answers are simulated too."""
    filed = one.goods.declared_codes.get(one.schedule)
    nothing = Schedule(Revision(one.schedule, "starter", "simulated"), ())
    return None if filed is None else compare(filed, determination, nothing, {})


def _schedule(library: Library, revision: Revision) -> Schedule:
    current = library.schedule(revision.schedule)
    if current.revision.name == revision.name:
        return current
    try:
        return library.schedule(revision.schedule, revision.name)
    except NotFoundError:
        return current
