"""The one form of the pack's files: a list that is wider than a page goes on in a line of its own kind. The trap: a
formatter that changes what a file says; a file is written only where it is read as before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path

from pcs.tariff.starter import brands, pack

WIDTH = 160
"""Characters of a line, at most; a single item may be longer."""


def files() -> list[Path]:
    """The files of the pack that ships with the package, in order."""
    folder = Path(str(resources.files(__package__)))
    return sorted(
        file for file in folder.glob("*.txt") if file.name == brands.FILE or pack.CHAPTER_FILE.match(file.name)
    )


def formed(text: str, *, name: str) -> str:
    """A file's text in its form; `name` says whether it is the file of brands or a chapter's. Raises PackError where it
    does not follow the format."""
    of_brands = name == brands.FILE
    lists = brands.LISTS if of_brands else pack.LISTS
    found = "".join(f"{line}\n" for raw in text.splitlines() for line in _lines(raw.strip(), lists))
    read = brands.read_brands if of_brands else pack.read_chapter
    assert read(found.splitlines(), name=name) == read(text.splitlines(), name=name)
    return found


def _lines(line: str, lists: Mapping[str, str]) -> Iterator[str]:
    """A line, or as many as its list needs."""
    keyed = re.fullmatch(rf"({'|'.join(lists)}): *(.*)", line)
    if keyed is None:
        yield line
        return
    kind, separator = keyed[1], lists[keyed[1]]
    between = f"{separator} " if separator == "," else f" {separator} "
    items = [item for raw in keyed[2].split(separator) if (item := raw.strip())]
    row = f"{kind}: {items[0]}" if items else f"{kind}:"
    for item in items[1:]:
        longer = f"{row}{between}{item}"
        if len(longer) > WIDTH:
            yield row
            longer = f"{kind}: {item}"
        row = longer
    yield row
