"""A document as a PDF, tagged for screen readers. Its words go to the typesetter as data: none is read as markup.

The traps: a compiler that two threads use at once, which it does not allow, and one made for each document, which reads
all fonts again; there is one, and its users wait for each other (some 20 ms a page)."""

from __future__ import annotations

import datetime as dt
import json
from functools import cache
from importlib import resources
from threading import Lock

import typst

from pcs.evidence.document import as_data, document_of
from pcs.evidence.record import EvidenceRecord

_ALONE = Lock()
_NEVER = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)  # of a document's making: a record has the same bytes whenever


def pdf_of(record: EvidenceRecord) -> bytes:
    """The document of a record; of one record the same bytes on one machine. Blocks: call it in a thread."""
    data = json.dumps(as_data(document_of(record)), ensure_ascii=False)
    with _ALONE:
        made = _compiler().compile(_layout(), sys_inputs={"document": data}, timestamp=_NEVER)
    assert isinstance(made, bytes)
    return made


@cache
def _compiler() -> typst.Compiler:
    return typst.Compiler()


@cache
def _layout() -> bytes:
    return (resources.files("pcs.evidence") / "evidence.typ").read_bytes()
