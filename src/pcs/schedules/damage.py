"""What is damaged in a data folder, for whoever asks how the service does. The trap: reading everything at every look;
a file is read anew only when it has changed since."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pcs.base.errors import DamagedError
from pcs.engine.trained_file import damage_of_trained
from pcs.rulings.service import rulings_damage
from pcs.schedules import store
from pcs.schedules.model import StoredRevision
from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.revision import ScheduleName


def damages(data_dir: Path) -> dict[str, str]:
    """What is damaged, each with the sentence that says how to mend it: schedules by name, `rulings`, `trained`.

    Blocks.
    """
    found = {str(name): damage for name in ScheduleName if (damage := schedule_damage(data_dir, name))}
    rulings = rulings_damage(data_dir)
    trained = damage_of_trained(data_dir)
    return found | ({"rulings": str(rulings)} if rulings else {}) | ({"trained": trained} if trained else {})


def schedule_damage(data_dir: Path, name: ScheduleName) -> str | None:
    """What is wrong with the revision of a schedule that answers, or with its notes; None where nothing is."""
    try:
        if keys := store.read_pointer(data_dir, name):
            stored = store.read_promoted(data_dir, name, keys[0])
            path = store.rows_of(data_dir, stored)
            _check_rows(data_dir, stored, path.stat().st_mtime_ns if path.exists() else 0)
        StoredNotes(data_dir).own(name)
    except DamagedError as error:
        return str(error)
    return None


def stored_damage(data_dir: Path, name: ScheduleName) -> list[str]:
    """What is wrong with a schedule and with every revision of it that is stored, a sentence each."""
    answering = schedule_damage(data_dir, name)
    found = [*([answering] if answering else []), *map(str, store.list_damaged(data_dir, name))]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=4)
def _check_rows(data_dir: Path, stored: StoredRevision, _changed: int) -> None:
    store.check_rows(data_dir, stored)
