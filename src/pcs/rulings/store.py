"""Rulings in one SQLite file of the data folder. The traps: a quarter of a million texts do not fit in memory, so they
are compressed and read one by one; a fetch may be killed at any moment, so rulings and the place reached commit
together; a disk may change what was written, so each row says what it was."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from pcs.base.errors import DamagedError
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
    grounds BLOB NOT NULL,
    checked INTEGER
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
_ADD_CHECK = "ALTER TABLE rulings ADD COLUMN checked INTEGER"
_PLAIN = "reference, source, date, subject, codes, status, status_from, url, language, valid_to, links"
_WHOLE = f"SELECT {_PLAIN}, text, grounds, checked FROM rulings"  # noqa: S608 (our own words)
# Without texts the file is read a hundred times faster. A text needs no check of ours: what unpacks it has its own.
_COLUMNS = f"SELECT {_PLAIN}, x'', x'', checked FROM rulings"  # noqa: S608 (our own words)
_SEAL = f"UPDATE rulings SET checked = row_check({_PLAIN}) WHERE reference = ?"  # noqa: S608 (our own words)
_SCAN = f"{_WHOLE} WHERE ?1 IS NULL OR source = ?1 ORDER BY reference"
_SCAN_WITHOUT_TEXT = f"{_COLUMNS} WHERE ?1 IS NULL OR source = ?1 ORDER BY reference"
_NEWEST = "ORDER BY date DESC, reference LIMIT ?"
# An empty text never takes the place of one that was fetched, and a status that is known not that of an unknown one.
_UPSERT = """
INSERT INTO rulings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
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
RETURNING rulings.reference
"""
_SHORTEST_ROW = 200  # bytes, with its entries in three indexes
_WHAT = "The file of rulings"
_BROKEN = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_CORRUPT_INDEX,
    sqlite3.SQLITE_CORRUPT_VTAB,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_ERROR,  # a table that is not there any more
}
_MEND = "rebuild it from what can still be read with `pcs rulings mend`"


class RulingStore:
    """One connection to the file; make one for each thread, or let threads take turns."""

    def __init__(self, path: Path, *, one_thread: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
        self._path = path
        with self._watched():
            if not path.stat().st_size:
                msg = "it is empty"
                raise ValueError(msg)
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=one_thread)
            self._connection.create_function("row_check", -1, _check, deterministic=True)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._bring_up_to_date()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _bring_up_to_date(self) -> None:
        """A file that was made before rows were checked gets what it lacks; its rows are taken as they are."""
        columns = "PRAGMA table_info(rulings)"
        if not any(row[1] == "checked" for row in self._connection.execute(columns)):
            self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            with contextlib.suppress(sqlite3.OperationalError):  # another process was first
                self._connection.execute(_ADD_CHECK)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written inside is there as a whole or not at all."""
        self._ask("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._ask("ROLLBACK")
            raise
        self._ask("UPDATE changes SET number = number + 1")
        self._ask("COMMIT")

    def put(self, rulings: Iterable[Ruling]) -> int:
        """Add rulings, or what is new about them; says how many were given."""
        count = 0
        for ruling in rulings:
            self._ask(_UPSERT, _row(ruling))
            self._ask(_SEAL, (ruling.reference,))
            for link in _link_rows(ruling):
                self._ask("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", link)
            count += 1
        return count

    def derive_statuses(self) -> int:
        """Mark the rulings that others revoke or modify; says how many changed."""
        changed = self._ask(_DERIVE)
        for row in changed:
            self._ask(_SEAL, row)
        return len(changed)

    def get(self, reference: str) -> Ruling | None:
        """The ruling of a reference, with its text."""
        return next(self._rulings(f"{_WHOLE} WHERE reference = ?", (reference,)), None)

    def scan(self, source: RulingSource | None = None, *, with_text: bool = True) -> Iterator[Ruling]:
        """Every ruling in order of references, read as it is asked for."""
        yield from self._rulings(_SCAN if with_text else _SCAN_WITHOUT_TEXT, (source.value if source else None,))

    def search(self, words: Sequence[str], *, code: str = "", source: RulingSource | None, limit: int) -> list[Ruling]:
        """Rulings whose subject has all the words and that cite a code beginning so, newest first, without texts."""
        conditions = " AND ".join(["subject LIKE ? ESCAPE '\\'"] * len(words)) or "1"
        query = f"{_COLUMNS} WHERE {conditions} AND ' ' || codes LIKE ? AND (? IS NULL OR source = ?) {_NEWEST}"
        named = source.value if source else None
        return list(
            self._rulings(query, (*(f"%{_literal(word)}%" for word in words), f"% {code}%", named, named, limit))
        )

    def row(self, number: int) -> Ruling | None:
        """The ruling in a row of the table; None where there is no such row."""
        return next(self._rulings(f"{_WHOLE} WHERE rowid = ?", (number,)), None)

    def last_row(self) -> int:
        """The number of the last row; where that cannot be read, the most that a file of this size may hold."""
        try:
            return self._number("SELECT coalesce(max(rowid), 0) FROM rulings")
        except DamagedError:
            return self._path.stat().st_size // _SHORTEST_ROW

    def without_text(self, source: RulingSource) -> list[str]:
        """The references of which only the subject is known, newest first."""
        query = "SELECT reference FROM rulings WHERE source = ? AND text = x'' ORDER BY date DESC, reference"
        return [str(reference) for (reference,) in self._ask(query, (source.value,))]

    def count_between(self, source: RulingSource, first: dt.date, last: dt.date) -> int:
        """How many rulings of a source are dated from one day to another, both included."""
        query = "SELECT count(*) FROM rulings WHERE source = ? AND date BETWEEN ? AND ?"
        return self._number(query, (source.value, first.isoformat(), last.isoformat()))

    def mark(self, reference: str, status: RulingStatus, status_from: str) -> int:
        """Give a ruling another status; says 1 if there is such a ruling, else 0."""
        query = "UPDATE rulings SET status = ?, status_from = ? WHERE reference = ? RETURNING reference"
        marked = self._ask(query, (status.value, status_from, reference))
        for row in marked:
            self._ask(_SEAL, row)
        return len(marked)

    def counts(self) -> dict[tuple[RulingSource, RulingStatus], int]:
        """How many rulings there are of each source and status."""
        rows = self._ask("SELECT source, status, count(*) FROM rulings GROUP BY source, status")
        with self._watched():
            return {(RulingSource(str(source)), RulingStatus(str(status))): int(str(n)) for source, status, n in rows}

    def progress(self, task: str) -> str | None:
        """The place that a task reached."""
        found = self._ask("SELECT place FROM progress WHERE task = ?", (task,))
        return str(found[0][0]) if found else None

    def set_progress(self, task: str, place: str) -> None:
        """Keep the place that a task reached."""
        self._ask("INSERT OR REPLACE INTO progress VALUES (?, ?)", (task, place))

    def version(self) -> int:
        """A number that grows whenever something was written."""
        return self._number("SELECT number FROM changes")

    def _rulings(self, query: str, arguments: Sequence[object]) -> Iterator[Ruling]:
        with self._watched():
            for row in self._connection.execute(query, arguments):
                yield _ruling(row)

    def _number(self, query: str, arguments: Sequence[object] = ()) -> int:
        [(number,)] = self._ask(query, arguments)
        return int(str(number))

    def _ask(self, query: str, arguments: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with self._watched():
            return self._connection.execute(query, arguments).fetchall()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """What cannot be read is damaged; a file in use or a full disk is not."""
        try:
            yield
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise _damaged(self._path) from error
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) not in _BROKEN:
                raise
            raise _damaged(self._path) from error


def known_damage(path: Path) -> DamagedError | None:
    """That a file was found damaged before: to read all of it at every look would take seconds."""
    try:
        found = _mark(path).read_text() == str(path.stat().st_ino)
    except FileNotFoundError:
        return None
    return DamagedError(_WHAT, path, _MEND) if found else None


def _damaged(path: Path) -> DamagedError:
    """The error, remembered beside the file for every process."""
    with contextlib.suppress(OSError):
        _mark(path).write_text(str(path.stat().st_ino))
    return DamagedError(_WHAT, path, _MEND)


def _mark(path: Path) -> Path:
    return path.with_name("damaged")


def _create(path: Path) -> None:
    """A corpus without rulings, in place in one step: a file that is there and holds nothing is damaged."""
    with tempfile.TemporaryDirectory(prefix=".stage-", dir=path.parent) as folder:
        stage = Path(folder) / path.name
        connection = sqlite3.connect(stage, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
        connection.close()
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(stage)


def _check(*columns: object) -> int:
    """The number that says a row is what was stored."""
    return zlib.crc32(json.dumps(columns).encode())


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
    """The ruling in a row. Raises ValueError where the row is not what was stored."""
    *plain, text, grounds, checked = row
    if checked is not None and checked != _check(*plain):
        msg = "the row is not what was stored"
        raise ValueError(msg)
    reference, source, date, subject, codes, status, status_from, url, language, valid_to, links = plain
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
