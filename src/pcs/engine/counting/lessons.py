"""The pack and rulings as labelled texts. The trap: a name of a heading is not a good of one line, so each lesson
carries only the codes it really teaches."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingStatus
from pcs.tariff.starter.brands import ShopKnowledge, shop_knowledge
from pcs.tariff.starter.pack import ChapterKnowledge, HeadingKnowledge, Lines, read_pack


class LessonKind(StrEnum):
    """Where a lesson comes from."""

    EXAMPLE = "example"
    NAME = "name"
    TITLE = "title"
    LOOKALIKE = "lookalike"
    SHOP = "shop"
    RULING = "ruling"


NO_LINES: Lines = (None,) * len(ScheduleName)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A text and what it teaches: its heading, its subheading and its line in each schedule where known, and how much
    it weighs."""

    text: str
    kind: LessonKind
    heading: Code
    lines: Lines = NO_LINES
    weight: float = 1.0
    subheading: Code | None = None


def lines_of(name: ScheduleName | None, code: Code) -> Lines:
    """A line that is known in one schedule only.

    >>> lines_of(ScheduleName.EU_CN, Code("61091000"))
    (None, '61091000')
    """
    return tuple(code if each is name else None for each in ScheduleName)


def pack_lessons() -> list[Lesson]:
    """Every lesson of the pack that ships with the package. Raises PackError."""
    return [*lessons(read_pack()), *shop_lessons(shop_knowledge())]


def digest(taught: Iterable[Lesson]) -> str:
    """SHA-256 of what lessons say, as hexadecimal digits; it knows nothing of comments and layout in the pack."""
    found = hashlib.sha256()
    for lesson in taught:
        parts = (lesson.text, lesson.kind, lesson.heading, *lesson.lines, lesson.subheading, lesson.weight)
        found.update("\0".join(map(str, parts)).encode() + b"\n")
    return found.hexdigest()


def lessons(pack: Iterable[ChapterKnowledge]) -> list[Lesson]:
    """Every lesson of the pack, in its order; a text that stands twice with the same codes is taught once."""
    found = (lesson for chapter in pack for heading in chapter.headings for lesson in _of(heading))
    return list(dict.fromkeys(found))


def shop_lessons(knowledge: Iterable[ShopKnowledge]) -> list[Lesson]:
    """What shops say, heading by heading; a brand weighs little, a good as tills print it weighs full."""
    weights = {"brands": 0.5, "words": 0.7, "goods": 1.0}
    return [
        Lesson(text, LessonKind.SHOP, shop.heading, weight=weight)
        for shop in knowledge
        for part, weight in weights.items()
        for text in getattr(shop, part)
    ]


def ruling_lessons(rulings: Iterable[Ruling], lines: Container[str], *, without: Container[str] = ()) -> list[Lesson]:
    """What rulings teach: the subject of each that is not revoked, for its first code that is a line today."""
    taught = []
    for ruling in rulings:
        code = next((code for code in ruling.codes if code in lines), None)
        usable = ruling.subject and ruling.status is not RulingStatus.REVOKED and ruling.reference not in without
        if usable and code is not None:
            known = lines_of(ruling.source.schedule, code)
            taught.append(Lesson(ruling.subject, LessonKind.RULING, code.heading, known, subheading=code.subheading))
    return list(dict.fromkeys(taught))


def _of(heading: HeadingKnowledge) -> Iterator[Lesson]:
    for example in heading.examples:
        weight = 0.5 if example.unsure else 1.0
        yield Lesson(example.text, LessonKind.EXAMPLE, heading.code, example.lines, weight, example.subheading)
    yield from (Lesson(name, LessonKind.NAME, heading.code, weight=0.7) for name in heading.names)
    yield Lesson(heading.title, LessonKind.TITLE, heading.code, weight=0.7)
    for code, title in heading.subheadings.items():
        yield Lesson(title, LessonKind.TITLE, heading.code, weight=0.7, subheading=code)
    for name in ScheduleName:
        for code, title in heading.lines.get(name, {}).items():
            yield Lesson(title, LessonKind.TITLE, heading.code, lines_of(name, code), 0.7, code.subheading)
    for other in heading.lookalikes:
        yield Lesson(other.goods, LessonKind.LOOKALIKE, other.code.heading, weight=0.5)
