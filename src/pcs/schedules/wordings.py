"""Which languages the stored revisions speak, and the words of one in another: a publication is imported once a
language, each a revision of its own (2025-08, 2025-08-de).

The trap: a damaged file of one language must not hold up an answer; the words are then the revision's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import structlog

from pcs.base.errors import DamagedError
from pcs.base.long_lived import long_lived
from pcs.schedules import store
from pcs.schedules.model import StoredRevision
from pcs.schedules.wording import Wording
from pcs.tariff.revision import ScheduleName, publication_of

_KEPT = 24  # as many as the EU has languages; each takes some 3 MB

_log = structlog.get_logger(__name__)


class Wordings:
    """The languages in a data folder. Safe to share between threads; reading blocks."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._spoken = lru_cache(maxsize=8)(self._list)
        self._read = lru_cache(maxsize=_KEPT)(self._open)

    def languages(self, name: ScheduleName, edition: str) -> tuple[str, ...]:
        """The languages that the words of an edition are stored in, ISO 639-1, its own first."""
        publication, own = publication_of(edition)
        return own, *sorted(self._stored(name, publication).keys() - {own})

    def find(self, name: ScheduleName, edition: str, language: str) -> Wording | None:
        """The words of an edition in another language; None where it is its own, is not stored, or is damaged."""
        publication, own = publication_of(edition)
        stored = self._stored(name, publication).get(language)
        if stored is None or language == own:
            return None
        try:
            return self._read(stored)
        except DamagedError as damage:
            _log.warning("wording left out", damage=str(damage))
            return None

    def _stored(self, name: ScheduleName, publication: str) -> Mapping[str, StoredRevision]:
        return self._spoken(name, store.listing_state(self._data_dir, name)).get(publication, {})

    def _list(self, name: ScheduleName, _: object) -> dict[str, dict[str, StoredRevision]]:
        """Every stored revision by publication and language; of two of one name the one stored last."""
        found: dict[str, dict[str, StoredRevision]] = {}
        for stored in store.list_revisions(self._data_dir, name):
            publication, language = publication_of(stored.revision.edition)
            found.setdefault(publication, {})[language] = stored
        return found

    def _open(self, stored: StoredRevision) -> Wording:
        with long_lived():
            return store.read_wording(self._data_dir, stored)
