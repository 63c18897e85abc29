"""Rulings in one SQLite file of the data folder. The traps: a quarter of a million texts do not fit in memory, so they
are compressed and read one by one; a fetch may be killed at any moment, so rulings and the place reached commit
together."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingLinks, RulingSource, RulingStatus

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rulings (
    reference TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    date TEXT,
    subject TEXT NOT NULL,
    codes TEXT NOT NULL,
    status TEXT NOT NULL,
    status_from TEXT NOT NULL,
    url TEXT,
    language TEXT NOT NULL,
    valid_to TEXT,
    links TEXT NOT NULL,
    text BLOB NOT NULL,
    grounds BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS rulings_without_text ON rulings (source, date) WHERE text = x'';
CREATE INDEX IF NOT EXISTS rulings_by_date ON rulings (source, date);
CREATE TABLE IF NOT EXISTS links (
    by_reference TEXT, kind TEXT, reference TEXT, PRIMARY KEY (reference, kind, by_reference)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS progress (task TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes (number INTEGER NOT NULL);
INSERT INTO changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM changes);
"""
# Without texts the file is read a hundred times faster. The order of columns is that of the table.
_SCAN = "SELECT * FROM rulings WHERE ?1 IS NULL OR source = ?1 ORDER BY reference"
_COLUMNS = """
SELECT reference, source, date, subject, codes, status, status_from, url, language, valid_to, links, x'', x''
FROM rulings
"""
_SCAN_WITHOUT_TEXT = f"{_COLUMNS} WHERE ?1 IS NULL OR source = ?1 ORDER BY reference"
_NEWEST = "ORDER BY date DESC, reference LIMIT ?"
# An empty text never takes the place of one that was fetched, and a status that is known not that of an unknown one.
_UPSERT = """
INSERT INTO rulings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (reference) DO UPDATE SET
    source = excluded.source,
    date = coalesce(excluded.date, date),
    subject = CASE WHEN excluded.subject = '' THEN subject ELSE excluded.subject END,
    codes = CASE WHEN excluded.codes = '' THEN codes ELSE excluded.codes END,
    status = CASE WHEN excluded.status = 'unknown' THEN status ELSE excluded.status END,
    status_from = CASE WHEN excluded.status = 'unknown' THEN status_from ELSE excluded.status_from END,
    url = coalesce(excluded.url, url),
    language = excluded.language,
    valid_to = coalesce(excluded.valid_to, valid_to),
    links = CASE WHEN excluded.links = '{}' THEN links ELSE excluded.links END,
    text = CASE WHEN excluded.text = x'' THEN text ELSE excluded.text END,
    grounds = CASE WHEN excluded.grounds = x'' THEN grounds ELSE excluded.grounds END
"""
# The last word on a ruling is another ruling's: a revocation outweighs a modification.
_DERIVE = """
UPDATE rulings SET status = derived.status, status_from = derived.status_from FROM (
    SELECT reference, CASE max(kind = 'revokes') WHEN 1 THEN 'revoked' ELSE 'modified' END AS status,
           CASE max(kind = 'revokes') WHEN 1
                THEN 'revoked by ' || group_concat(by_reference, ', ') FILTER (WHERE kind = 'revokes')
                ELSE 'modified by ' || group_concat(by_reference, ', ') END AS status_from
    FROM links GROUP BY reference
) AS derived
WHERE rulings.reference = derived.reference AND rulings.status != 'revoked'
  AND (rulings.status != derived.status OR rulings.status_from != derived.status_from)
"""


class RulingStore:
    """One connection to the file; make one for each thread, or let threads take turns."""

    def __init__(self, path: Path, *, one_thread: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=one_thread)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written inside is there as a whole or not at all."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("UPDATE changes SET number = number + 1")
        self._connection.execute("COMMIT")

    def put(self, rulings: Iterable[Ruling]) -> int:
        """Add rulings, or what is new about them; says how many were given."""
        count = 0
        for ruling in rulings:
            self._connection.execute(_UPSERT, _row(ruling))
            self._connection.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", _link_rows(ruling))
            count += 1
        return count

    def derive_statuses(self) -> int:
        """Mark the rulings that others revoke or modify; says how many changed."""
        return self._connection.execute(_DERIVE).rowcount

    def get(self, reference: str) -> Ruling | None:
        """The ruling of a reference, with its text."""
        found = self._connection.execute("SELECT * FROM rulings WHERE reference = ?", (reference,)).fetchone()
        return _ruling(found) if found else None

    def scan(self, source: RulingSource | None = None, *, with_text: bool = True) -> Iterator[Ruling]:
        """Every ruling in order of references, read as it is asked for."""
        query = _SCAN if with_text else _SCAN_WITHOUT_TEXT
        for row in self._connection.execute(query, (source.value if source else None,)):
            yield _ruling(row)

    def search(self, words: Sequence[str], *, code: str = "", source: RulingSource | None, limit: int) -> list[Ruling]:
        """Rulings whose subject has all the words and that cite a code beginning so, newest first, without texts."""
        conditions = " AND ".join(["subject LIKE ? ESCAPE '\\'"] * len(words)) or "1"
        query = f"{_COLUMNS} WHERE {conditions} AND ' ' || codes LIKE ? AND (? IS NULL OR source = ?) {_NEWEST}"
        named = source.value if source else None
        arguments = (*(f"%{_literal(word)}%" for word in words), f"% {code}%", named, named, limit)
        return [_ruling(row) for row in self._connection.execute(query, arguments)]

    def without_text(self, source: RulingSource) -> list[str]:
        """The references of which only the subject is known, newest first."""
        query = "SELECT reference FROM rulings WHERE source = ? AND text = x'' ORDER BY date DESC, reference"
        return [reference for (reference,) in self._connection.execute(query, (source.value,))]

    def count_between(self, source: RulingSource, first: dt.date, last: dt.date) -> int:
        """How many rulings of a source are dated from one day to another, both included."""
        query = "SELECT count(*) FROM rulings WHERE source = ? AND date BETWEEN ? AND ?"
        return int(self._connection.execute(query, (source.value, first.isoformat(), last.isoformat())).fetchone()[0])

    def mark(self, reference: str, status: RulingStatus, status_from: str) -> int:
        """Give a ruling another status; says 1 if there is such a ruling, else 0."""
        query = "UPDATE rulings SET status = ?, status_from = ? WHERE reference = ?"
        return self._connection.execute(query, (status.value, status_from, reference)).rowcount

    def counts(self) -> dict[tuple[RulingSource, RulingStatus], int]:
        """How many rulings there are of each source and status."""
        rows = self._connection.execute("SELECT source, status, count(*) FROM rulings GROUP BY source, status")
        return {(RulingSource(source), RulingStatus(status)): count for source, status, count in rows}

    def progress(self, task: str) -> str | None:
        """The place that a task reached."""
        found = self._connection.execute("SELECT place FROM progress WHERE task = ?", (task,)).fetchone()
        return str(found[0]) if found else None

    def set_progress(self, task: str, place: str) -> None:
        """Keep the place that a task reached."""
        self._connection.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (task, place))

    def version(self) -> int:
        """A number that grows whenever something was written."""
        return int(self._connection.execute("SELECT number FROM changes").fetchone()[0])


def _row(ruling: Ruling) -> tuple[object, ...]:
    links = {kind: references for kind, references in asdict(ruling.links).items() if references}
    return (
        ruling.reference,
        ruling.source.value,
        ruling.date.isoformat() if ruling.date else None,
        ruling.subject,
        " ".join(ruling.codes),
        ruling.status.value,
        ruling.status_from,
        ruling.url,
        ruling.language,
        ruling.valid_to.isoformat() if ruling.valid_to else None,
        json.dumps(links),
        _squeeze(ruling.text),
        _squeeze(ruling.grounds),
    )


def _literal(word: str) -> str:
    """A word in which LIKE finds no wildcard."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _squeeze(text: str) -> bytes:
    return zlib.compress(text.encode(), 6) if text else b""


def _swell(blob: object) -> str:
    return zlib.decompress(blob).decode() if isinstance(blob, bytes) and blob else ""


def _link_rows(ruling: Ruling) -> Iterator[tuple[str, str, str]]:
    """What a ruling does to others, from its own links and from theirs: (the later, what it does, the earlier)."""
    links = ruling.links
    for kind, others in (("revokes", links.revokes), ("modifies", links.modifies)):
        yield from ((ruling.reference, kind, other) for other in others)
    for kind, others in (("revokes", links.revoked_by), ("modifies", links.modified_by)):
        yield from ((other, kind, ruling.reference) for other in others)


def _ruling(row: tuple[object, ...]) -> Ruling:
    reference, source, date, subject, codes, status, status_from, url, language, valid_to, links, text, grounds = row
    return Ruling(
        reference=str(reference),
        source=RulingSource(str(source)),
        date=dt.date.fromisoformat(str(date)) if date else None,
        subject=str(subject),
        text=_swell(text),
        grounds=_swell(grounds),
        codes=tuple(map(Code, str(codes).split())),
        status=RulingStatus(str(status)),
        status_from=str(status_from),
        url=str(url) if url else None,
        language=str(language),
        valid_to=dt.date.fromisoformat(str(valid_to)) if valid_to else None,
        links=RulingLinks(**{kind: tuple(others) for kind, others in json.loads(str(links)).items()}),
    )
