"""The lexicon's rows and their reader. The trap: a form that has two meanings; one of them must say by which other
words it is known, or the first row in the pack would decide in silence.

A row is `english | role | de | fr | nl | es | it | pl`; a cell holds forms with commas between them, the usual one
first. `Feder {Stahl Druck}` is a spring where a word that begins so stands in the same sentence, `poêle {<le un du}` a
stove where such a word stands straight before it. The English `-` is a word that says nothing of goods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from pcs.tariff.starter.pack import PackError

LANGUAGES = ("de", "fr", "nl", "es", "it", "pl")
"""The columns, as ISO 639-1 names them; a seventh language is one more."""

READ = ("en", *LANGUAGES)
"""The languages that are read."""

LINK = "link"  # the role of small words, which join others
PROPERTY = "property"  # of what describes goods in no other way
ROLES = frozenset((*"goods part material making state property user use unit".split(), LINK))
"""What a term says: the thing itself, a part of it, what it is of, how it is made, and so on; a link joins words."""

SAYS_NOTHING = "-"

_ENGLISH = re.compile(r"-|[a-z0-9][a-z0-9 .%'/-]*")
_FORM = re.compile(r"([^{}()\[\]|,;:\"/]+?)(?: ?\{(<?)([^{}]+)\})?")


@dataclass(frozen=True, slots=True)
class Form:
    """How one language writes a term, with the beginnings of the words by which that meaning is known: in the same
    sentence, or straight before it. None of them: its usual meaning."""

    written: str
    near: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LexiconRow:
    """A term in the pack's English, its role, and its forms by language."""

    english: str
    role: str
    forms: dict[str, tuple[Form, ...]]


def read_rows(lines: Iterable[str], *, name: str) -> Iterator[LexiconRow]:
    """The rows of one topic; `name` is what errors call it. Raises PackError with the line and what is wrong."""
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            yield _row(line)
        except ValueError as error:
            msg = f"{name}, line {number}: {error}: {line[:80]!r}"
            raise PackError(msg) from error


def read_lexicon() -> tuple[LexiconRow, ...]:
    """Every row that ships with the package, in the order of topics' names. Raises PackError."""
    folder = resources.files(__package__)
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".txt")), key=lambda file: file.name)
    return tuple(
        row for file in files for row in read_rows(file.read_text(encoding="utf-8").splitlines(), name=file.name)
    )


def _row(line: str) -> LexiconRow:
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) != 2 + len(LANGUAGES):
        msg = f"a row reads `english | role | {' | '.join(LANGUAGES)}`"
        raise ValueError(msg)
    english, role, *columns = cells
    if not _ENGLISH.fullmatch(english):
        msg = f"{english!r} is not a plain English term"
        raise ValueError(msg)
    if role not in ROLES:
        msg = f"{role!r} is not a role; the roles are {', '.join(sorted(ROLES))}"
        raise ValueError(msg)
    forms = {language: tuple(_forms(cell)) for language, cell in zip(LANGUAGES, columns, strict=True)}
    return LexiconRow(english, role, forms)


def _forms(cell: str) -> Iterator[Form]:
    for written in filter(None, map(str.strip, cell.split(","))):
        match = _FORM.fullmatch(written)
        if match is None:
            msg = f"{written!r} is not a form; a context reads `form {{word word}}`"
            raise ValueError(msg)
        context = tuple((match[3] or "").lower().split())
        yield Form(match[1], () if match[2] else context, context if match[2] else ())
