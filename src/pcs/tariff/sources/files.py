"""Any published schedule file, whatever its kind. The trap: users rename files, so the kind is read from the content
and only the edition from the name."""

from __future__ import annotations

import datetime as dt
import gzip
import re
import zlib
from pathlib import Path

from pcs.tariff.revision import edition_in
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources import cn_skos, taric, usitc_hts
from pcs.tariff.sources.kinds import wrong_archive, wrong_file
from pcs.tariff.sources.problem import SourceError

_TARIC_EDITION = re.compile(r"(20\d\d)[-_ .]?(0[1-9]|1[0-2])")


def read_schedule(
    path: Path, *, edition: str | None = None, in_force_from: dt.date | None = None, language: str = "en"
) -> Schedule:
    """The schedule in a file: the HTS (JSON, CSV, .gz too), TARIC's nomenclature (XLSX), or the CN (RDF, ZIP of it).

    The edition is read from the file's name unless given; `language` chooses one of those in RDF. Raises SourceError
    with what is wrong.
    """
    with path.open("rb") as file:
        start = file.read(4096)
    if b"<rdf:RDF" in start or path.suffix.lower() == ".rdf" or ".rdf" in path.name.lower():
        return _read_skos(path, edition, language)
    content = _content(path)
    if content.startswith(b"PK"):
        if msg := wrong_archive(path):
            raise SourceError(msg)
        return _read_taric(path, edition, in_force_from)
    is_json = content.lstrip()[:1] == b"[" and b'"htsno"' in content[:4096]
    if not is_json and b"HTS Number" not in content[:200]:
        raise SourceError(wrong_file(path, content))
    name = edition or usitc_hts.edition_of(path.name)
    if name is None:
        msg = f"The name {path.name} does not say which edition it is: give it, such as --edition 2026-rev-10."
        raise SourceError(msg)
    if is_json:
        return usitc_hts.read_json(content, name, in_force_from=in_force_from)
    return usitc_hts.read_csv(_text(path, content), name, in_force_from=in_force_from)


def _read_taric(path: Path, edition: str | None, in_force_from: dt.date | None) -> Schedule:
    file = taric.read_xlsx(path)
    found = _TARIC_EDITION.search(path.name)
    named = dt.date(int(found[1]), int(found[2]), 1) if found else None
    since = in_force_from or file.reference_date or named
    if edition is None and since is None:
        msg = f"Neither {path.name} nor its content says which month it is for: give it, such as --edition 2025-08."
        raise SourceError(msg)
    name = edition_in(edition or f"{since:%Y-%m}", file.language)
    return taric.to_schedule(file, name, in_force_from=since)


def _read_skos(path: Path, edition: str | None, language: str) -> Schedule:
    file = cn_skos.read_rdf(path, language)
    assert file.reference_date is not None
    name = edition_in(edition or f"{file.reference_date:%Y}", language)
    return taric.to_schedule(file, name, in_force_from=file.reference_date)


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        msg = f"{path} cannot be read: {error}."
        raise SourceError(msg) from error


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path.name} is not UTF-8 text: {error}."
        raise SourceError(msg) from error
