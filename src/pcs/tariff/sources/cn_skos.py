"""The Combined Nomenclature as the Publications Office gives it: SKOS in RDF/XML, all languages, about 160 MB. The
traps: it must be read as a stream; a group has an identifier but no code; the dashes stand in the label; sections and
chapters have identifiers of their own kind."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from pcs.tariff.sources.markup import one_line
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.taric import TaricFile, TaricRow

_SKOS = "{http://www.w3.org/2004/02/skos/core#}"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CONCEPT = re.compile(r"/cn(20\d\d)/(\d{10})(\d\d)$")
_DASHES = re.compile(r"^(?:[-\u2013]\s*)+")
_CODE_BEFORE = re.compile(r"^\d[\d ]*(?=\s|$)")
_NOTE_SUFFIX = "90"  # sections and chapters
_CHAPTER = re.compile(r"(\d\d)002\d{5}")
_TITLE_NUMBER = re.compile(r"^[^-\u2013]*\d\s*[-\u2013]\s*")
_REAL_LINE = "80"

Report = Callable[[int, int], None]


def read_rdf(path: Path, language: str = "en", report: Report = lambda _done, _total: None) -> TaricFile:
    """The nomenclature in one language, in force from 1 January of its year. `report` hears bytes read and in all.

    Raises SourceError if the file (RDF, or a ZIP of one) is no Combined Nomenclature.
    """
    years: set[str] = set()
    rows: list[TaricRow] = []
    try:
        with _opened(path) as (stream, total):
            for concept in _concepts(stream):
                found = _CONCEPT.search(concept.get(_ABOUT, ""))
                row = _row(concept, found, language) if found else None
                if found and row:
                    years.add(found[1])
                    rows.append(row)
                    report(stream.tell(), total)
    except (ParseError, zipfile.BadZipFile, OSError) as error:
        msg = f"{path.name} is not RDF of the Combined Nomenclature: {error}."
        raise SourceError(msg) from error
    if len(years) != 1:
        msg = f"{path.name} should hold one Combined Nomenclature in {language!r} and holds {sorted(years) or 'none'}."
        raise SourceError(msg)
    rows.sort(key=lambda row: (row.digits, row.suffix))
    return TaricFile(language, dt.date(int(years.pop()), 1, 1), tuple(rows))


class _opened(AbstractContextManager[tuple[IO[bytes], int]]):  # noqa: N801 - used as a function
    """The RDF in a file or in a ZIP, and its size in bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> tuple[IO[bytes], int]:
        if not zipfile.is_zipfile(self._path):
            self._stream: IO[bytes] = self._path.open("rb")
            return self._stream, self._path.stat().st_size
        archive = zipfile.ZipFile(self._path)
        inside = next((info for info in archive.infolist() if info.filename.endswith((".rdf", ".xml"))), None)
        if inside is None:
            msg = f"{self._path.name} holds no RDF."
            raise SourceError(msg)
        self._stream = archive.open(inside)
        return self._stream, inside.file_size

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def _concepts(stream: IO[bytes]) -> Iterator[Element]:
    """The elements below the root, each forgotten once it was looked at."""
    depth, root = 0, None
    for event, element in iterparse(stream, ("start", "end")):  # noqa: S314 - see the import
        if event == "start":
            root = root if root is not None else element
            depth += 1
            continue
        depth -= 1
        if depth == 1 and root is not None:
            yield element
            root.clear()


def _row(concept: Element, found: re.Match[str], language: str) -> TaricRow | None:
    """The row that a concept is; None for a section, and for what has no label in the language."""
    digits, suffix = found[2], found[3]
    label = _label(concept, language)
    if label is None:
        return None
    if suffix == _NOTE_SUFFIX:
        chapter = _CHAPTER.fullmatch(digits)
        title = _TITLE_NUMBER.sub("", label)
        return TaricRow(f"{chapter[1]}00000000", _REAL_LINE, 2, 0, title) if chapter else None
    words = _CODE_BEFORE.sub("", label).strip() if suffix == _REAL_LINE else label
    dashes = _DASHES.match(words)
    count = sum(mark in "-\u2013" for mark in dashes[0]) if dashes else 0
    position = _position(concept) if suffix == _REAL_LINE else 8 if count else 4
    return TaricRow(digits, suffix, position, count, words[dashes.end() if dashes else 0 :].strip())


def _label(concept: Element, language: str) -> str | None:
    """The label without a code if there is one, else the one with it."""
    for kind in ("altLabel", "prefLabel"):
        for label in concept.iterfind(f"{_SKOS}{kind}"):
            if label.get(_LANGUAGE, "").lower() == language and label.text:
                return one_line(label.text)
    return None


def _position(concept: Element) -> int:
    """How many digits of a line's code are printed."""
    notation = concept.findtext(f"{_SKOS}notation") or ""
    return sum(character.isdigit() for character in notation)
