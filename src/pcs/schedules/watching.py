"""Looking whether a publisher has published a new revision: fetched, checked, stored, and promoted only when told.

The trap: a revision that an operator has rolled back, and that a daily look would promote again; by itself a look
promotes only what it has just stored."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pcs.base.publisher import Publisher, PublisherError
from pcs.schedules.service import Revisions
from pcs.tariff.changes import ChangeKind, changes_between
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources import usitc_release
from pcs.tariff.sources.problem import SourceError

WATCHED = ScheduleName.US_HTS
"""The one whose publisher has an index that says which revision is current."""


class LookOutcome(StrEnum):
    """What a look came to."""

    NOTHING_NEW = "nothing new"
    STORED = "stored"
    PROMOTED = "promoted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was done of an edition, one outcome a step, and what is to be said of the last; no edition where the
    publisher did not even say which is current."""

    edition: str
    steps: tuple[LookOutcome, ...]
    detail: str

    @property
    def outcome(self) -> LookOutcome:
        """What it came to."""
        return self.steps[-1]


def look(data_dir: Path, publisher: Publisher, *, promote: bool, again: bool = False) -> Sighting:
    """Look once; takes minutes where there is something new. `again` promotes what an earlier look stored, too.

    What the publisher gives that is not whole is refused, and the current revision is left as it was.
    """
    edition, steps = "", tuple[LookOutcome, ...]()
    try:
        edition = usitc_release.current_release(publisher).edition
        revisions = Revisions(data_dir)
        if any(one.revision.edition == edition for one in revisions.stored(WATCHED)):
            return _known(revisions, edition, promote=promote and again)
        stored = revisions.stage(usitc_release.fetch_schedule(publisher))
        steps = (LookOutcome.STORED,)
        detail = _compared(revisions, stored.key)
        if not promote:
            return Sighting(
                edition, steps, f"{detail} To make it the current one: pcs schedules promote {WATCHED} {edition}"
            )
        revisions.promote(WATCHED, stored.key)
        return Sighting(edition, (*steps, LookOutcome.PROMOTED), detail)
    except (SourceError, PublisherError, IncompleteScheduleError) as refusal:
        return Sighting(edition, (*steps, LookOutcome.REFUSED), str(refusal))


def _known(revisions: Revisions, edition: str, *, promote: bool) -> Sighting:
    stored = revisions.find(WATCHED, edition)
    if revisions.pointer(WATCHED) == stored.key or not promote:
        return Sighting(edition, (LookOutcome.NOTHING_NEW,), "It is the publisher's current one, and stored already.")
    detail = _compared(revisions, stored.key)
    revisions.promote(WATCHED, stored.key)
    return Sighting(edition, (LookOutcome.PROMOTED,), detail)


def _compared(revisions: Revisions, key: str) -> str:
    """How many codes came, went and changed since the current revision."""
    before = revisions.current(WATCHED)
    if before is None:
        return "It is the first."
    changes = changes_between(before, revisions.open(WATCHED, key))
    counts = [f"{len(changes.of_kind(kind)):,} {kind.value}" for kind in ChangeKind]
    return f"Since {before.revision.name}: {', '.join(counts)}."
