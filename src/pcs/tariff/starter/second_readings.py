"""What second readers found of the pack's labels, a row a chapter. The trap: an error rate that was never measured; a
chapter that nobody read a second time has no row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

from pcs.tariff.code import Code
from pcs.tariff.starter.pack import PackError

FILE = "second_readings.txt"


@dataclass(frozen=True, slots=True)
class SecondReading:
    """Of goods drawn at random from a chapter: how many labels were judged by somebody who had not written them, and
    how many of these are wrong."""

    chapter: Code
    judged: int
    wrong: int


def read_second_readings(lines: Iterable[str], *, name: str) -> tuple[SecondReading, ...]:
    """Read the file; `name` is what errors call it. Raises PackError."""
    found = []
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            chapter, judged, wrong = line.split(" | ")
            row = SecondReading(Code.parse(chapter), int(judged), int(wrong))
        except ValueError as error:
            msg = f"{name}, line {number}: a row reads `chapter | judged | wrong`: {line[:80]!r}"
            raise PackError(msg) from error
        if not 0 <= row.wrong <= row.judged:
            msg = f"{name}, line {number}: more wrong than were judged: {line[:80]!r}"
            raise PackError(msg)
        found.append(row)
    return tuple(found)


def second_readings() -> tuple[SecondReading, ...]:
    """Those that ship with the package. Raises PackError."""
    file = resources.files(__package__) / FILE
    return read_second_readings(file.read_text(encoding="utf-8").splitlines(), name=file.name)
