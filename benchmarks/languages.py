"""How much of what the engine finds in English it finds in other languages: `python -m benchmarks.languages`.

Twins are goods that one person wrote in English and in another language (tests/engine/twins.jsonl). The official
headings are the European Union's own words for one thing in several languages, out of its nomenclature's workbooks
where the folder of PCS_SHARED has them. PCS_DATA_DIR names the data folder with the schedules that are asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from pcs.engine.classify import classify
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.taric import read_xlsx

TWINS = Path(__file__).parents[1] / "tests" / "engine" / "twins.jsonl"
_WORKBOOKS = "data/eu-cn/taric_nomenclature_*_{}.xlsx"
_OTHERS = ("de", "fr")


@dataclass(frozen=True, slots=True)
class Twin:
    """One product in English and in another language."""

    language: str
    english: str
    other: str


def twins(path: Path = TWINS) -> Iterator[Twin]:
    """Every twin of the file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        yield Twin(fields["language"], fields["english"], fields["other"])


def agreement(found: Iterable[Twin], methods: Mapping[ScheduleName, Method]) -> dict[str, tuple[int, int, int, int]]:
    """By language: twins, those whose language is recognised, those with the same heading, the same six digits; each
    under both schedules."""
    counts: dict[str, list[int]] = {}
    for twin in found:
        held = counts.setdefault(twin.language, [0, 0, 0, 0])
        for method in methods.values():
            english, other = (classify(Product(text), method) for text in (twin.english, twin.other))
            ours, theirs = english.code or "", other.code or "-"
            spoken = other.result.language if other.result else ""
            told = (True, spoken == twin.language, ours[:4] == theirs[:4], ours[:6] == theirs[:6])
            counts[twin.language] = held = [count + one for count, one in zip(held, told, strict=True)]
    return {language: (held[0], held[1], held[2], held[3]) for language, held in counts.items()}


def headings_right(workbook: Path, method: Method) -> tuple[int, int]:
    """Of the official headings of a nomenclature, as goods: how many there are, and how many get their own heading."""
    rows = [row for row in read_xlsx(workbook).rows if row.position == 4 and row.code]
    right = 0
    for row in track(rows, description=workbook.name):
        code = classify(Product(row.text), method).code
        right += code is not None and code.heading == row.code
    return len(rows), right


def main() -> None:
    """Print both tables."""
    library = Library(Path(os.environ.get("PCS_DATA_DIR", ".pcs/data")))
    opened = Methods(library)
    methods = {name: opened.current(name) for name in ScheduleName}
    show = Console().print
    table = Table("language", "twins x schedules", "language recognised", "same heading", "same six digits")
    found = list(twins())
    for language, (asked, *shares) in sorted(agreement(track(found, description="twins"), methods).items()):
        table.add_row(language, f"{asked:,}", *(f"{share / asked:.1%}" for share in shares))
    show(table)
    shared = Path(os.environ.get("PCS_SHARED", "../shared"))
    books = {language: next(shared.glob(_WORKBOOKS.format(language.upper())), None) for language in ("en", *_OTHERS)}
    if not all(books.values()):
        show(f"The official headings are not measured: {shared} has not the nomenclature in all of its languages.")
        return
    table = Table("official headings in", "headings", "right", "share of English")
    english = 0
    for language, book in books.items():
        assert book is not None
        asked, right = headings_right(book, methods[ScheduleName.EU_CN])
        english = english or right
        table.add_row(language, f"{asked:,}", f"{right / asked:.1%}", f"{right / english:.1%}")
    show(table)


if __name__ == "__main__":
    main()
