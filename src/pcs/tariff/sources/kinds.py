"""What a file is, told from its first bytes. The trap: asking for an edition, or naming a parser's fault, where
somebody gave the wrong file; a wrong file is called what it is, with the command that takes it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

_Sign = tuple[tuple[bytes, ...], str, str]

_SCHEDULE = "`pcs schedules import` reads it"
_NOTES = "`pcs schedules notes` reads it"
_RULINGS = "`pcs rulings import` reads it"
_CN = "import its RDF, or TARIC's nomenclature (XLSX), which have the whole tree"
_SCHEDULES: tuple[_Sign, ...] = (
    ((b'"htsno"',), "an export of the HTS, a schedule", _SCHEDULE),
    ((b"HTS Number", b"Indent"), "an export of the HTS, a schedule", _SCHEDULE),
    ((b"<rdf:RDF",), "the Combined Nomenclature's RDF, a schedule", _SCHEDULE),
)
# Words that begin such a file, what it is, and what to do with it; the first line that fits is taken.
_SIGNS: tuple[_Sign, ...] = (
    ((b"%PDF",), "a PDF", f"if it is a chapter or section of the HTS, {_NOTES}"),
    ((b'"celex"', b'"records"'), "a file of explanatory notes to the Combined Nomenclature", _NOTES),
    ((b'"rulingNumber"',), "a file of CROSS rulings", _RULINGS),
    ((b'"reference"', b'"subject"'), "a file of rulings", _RULINGS),
    ((b"BTI_REFERENCE",), "a file of BTI decisions", "`pcs rulings import` reads EBTI's ZIP"),
    ((b'"general note',), "a file of the HTS's notes", _NOTES),
    ((b'"rawCode"',), "a list of codes of the Combined Nomenclature (from its SKOS)", _CN),
    ((b"skos",), "SKOS of the Combined Nomenclature, but not its RDF/XML", _CN),
    ((b"<html",), "a web page", "download the file itself"),
    ((b"<!DOCTYPE html",), "a web page", "download the file itself"),
)
_JSON = re.compile(rb"\s*[\[{]\s*[\[{\"\d]")
_WANTED = "It takes the HTS (JSON, CSV), TARIC's nomenclature (XLSX) and the CN (RDF)"

_NOTES_WANTED = "It takes PDFs of the HTS's sections and chapters, their text, and the CN's explanatory notes (JSON)"


def wrong_file(path: Path, content: bytes) -> str:
    """Why a file is no schedule: a sentence that says what it is instead, as far as can be told, and what to do."""
    what, advice = _told(content, _SIGNS)
    return f"{path.name} is {what}, not a schedule" + (f": {advice}." if advice else f". {_WANTED}.")


def wrong_notes(path: Path, content: bytes) -> str:
    """Why a file holds no notes: what it is instead, as far as can be told, and what to do."""
    what, advice = _told(content, (*_SCHEDULES, *_SIGNS))
    if content.startswith(b"PK"):
        what, advice = "a ZIP or a workbook", f"if it is TARIC's nomenclature, {_SCHEDULE}"
    if advice.endswith(_NOTES):
        return f"{path.name} is {what}, but no notes were found in it. {_NOTES_WANTED}."
    return f"{path.name} is {what}, not notes" + (f": {advice}." if advice else f". {_NOTES_WANTED}.")


def _told(content: bytes, among: tuple[_Sign, ...]) -> tuple[str, str]:
    """What content is, and what to do with it; no advice for what is not known."""
    start = content[:4096]
    known = ((what, advice) for signs, what, advice in among if all(sign.lower() in start.lower() for sign in signs))
    return next(known, (_looks_like(start), ""))


def wrong_archive(path: Path) -> str | None:
    """Why a ZIP is no schedule; None for a workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return f"{path.name} is a ZIP or a workbook that is cut off or damaged: get it again."
    if "[Content_Types].xml" in names:
        return None
    if any("BTI" in name.upper() for name in names):
        return f"{path.name} is EBTI's ZIP of BTI decisions, not a schedule: {_RULINGS}."
    listed = ", ".join(names[:3]) or "nothing"
    return f"{path.name} is a ZIP that holds {listed}, not a schedule. {_WANTED}."


def _looks_like(start: bytes) -> str:
    if not start.strip():
        return "empty"
    if _JSON.match(start):
        return "JSON of something else"
    if b"\0" in start:
        return "no text"
    return f"a text or table that begins {start.decode('utf-8', 'replace').split(chr(10))[0][:60]!r}"
