"""The knowledge pack's types and its reader. The trap: a wrong line read in silence teaches a wrong code, so every line
that does not follow the format is refused with its file and number."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from pcs.tariff.code import Code
from pcs.tariff.profiles import PROFILES
from pcs.tariff.registry_numbers import is_registry_number

CHAPTER_FILE = re.compile(r"\d\d\.txt")
_HEADING = re.compile(r"@(\d{4}) (\S.*)")
_COLUMNS = tuple(PROFILES.values())
_TITLES = {profile.pack.mark: profile.name for profile in _COLUMNS}
_SYSTEMS = {"d": "HS"} | {f"d{mark}": name for mark, name in _TITLES.items()}
_MARKS = "|".join(["n", "r", "x", "s", *_TITLES, *_SYSTEMS])
LISTS = {"n": ",", **dict.fromkeys(("r", "x", "s", *_TITLES), "|")}
"""The lines that are lists, and what stands between their items; further lines of a kind go on with it."""
_ENTRY = re.compile(rf"({_MARKS}): *(.*)")
_FACT = re.compile(r"(\d{4,10}) ([^:\[\]]+)\[([a-z ]+)\] *: *(.+)")
_NO_GOOD = re.compile(rf"\s*(?:@|(?:{_MARKS}):)")  # how every line begins that is no example good nor a group of them
_UNSURE = "? "
_BETWEEN_VALUES = re.compile(r",(?!\d{3}\b)")  # but not within 3,000


def _goods_columns() -> str:
    """`US EU`, and a column each for further schedules, which may be left out; in the first, six digits are a
    subheading."""
    first, second, *others = (rf"\d{{{profile.lengths[0]},{profile.digits}}}|-" for profile in _COLUMNS)
    return rf"(\d{{6}}|{first}) +({second})" + "".join(rf"(?: +({other}))?" for other in others)


_GOODS = re.compile(f"> *{_goods_columns()}")

Lines = tuple[Code | None, ...]
"""A line in each schedule, None where none is known; `ScheduleName.column` is a schedule's place."""


class PackError(ValueError):
    """A line of the pack that does not follow its format; the message names the file and line."""


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Goods that look as if they belonged here, and the heading where they do."""

    code: Code
    goods: str


@dataclass(frozen=True, slots=True)
class FactValues:
    """The values of a fact that lead to these codes; no values: what to take when the fact is not said."""

    values: tuple[str, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that decides between what lies below `scope`. `system` is HS, US-HTS or EU-CN; `slot` is what
    it asks about: a part of the goods, a measure, what they are or are for, or "any"."""

    system: str
    scope: Code
    name: str
    branches: tuple[FactValues, ...]
    slot: str


@dataclass(frozen=True, slots=True)
class Example:
    """One good as somebody would describe it, with its line in each schedule and its subheading (None where one is not
    known)."""

    text: str
    lines: Lines
    unsure: bool = False
    subheading: Code | None = None


@dataclass(frozen=True, slots=True)
class HeadingKnowledge:
    """What the pack knows of one heading; `substances` are names by their registry numbers, `lines` the titles of lines
    by the name of their schedule."""

    code: Code
    title: str
    names: tuple[str, ...] = ()
    substances: Mapping[str, str] = field(default_factory=dict)
    lookalikes: tuple[Lookalike, ...] = ()
    facts: tuple[Fact, ...] = ()
    subheadings: Mapping[Code, str] = field(default_factory=dict)
    lines: Mapping[str, Mapping[Code, str]] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class ChapterKnowledge:
    """What the pack knows of one chapter."""

    code: Code
    title: str
    headings: tuple[HeadingKnowledge, ...] = ()


@dataclass(slots=True)
class _Draft:
    """One heading while it is read."""

    code: Code
    title: str
    names: list[str] = field(default_factory=list)
    substances: dict[str, str] = field(default_factory=dict)
    lookalikes: list[Lookalike] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    subheadings: dict[Code, str] = field(default_factory=dict)
    lines: dict[str, dict[Code, str]] = field(default_factory=lambda: {name: {} for name in PROFILES})
    examples: list[Example] = field(default_factory=list)
    goods: tuple[Lines, Code | None] | None = None

    def add(self, kind: str, value: str) -> None:
        """Take one keyed line. Raises ValueError with what is wrong."""
        if kind == "n":
            self.names.extend(_split(value, LISTS[kind]))
        elif kind == "r":
            self.substances.update(_substances(value))
        elif kind == "x":
            self.lookalikes.extend(Lookalike(_code(code), goods) for code, goods in _pairs(value))
        elif kind in _SYSTEMS:
            self.facts.append(_fact(_SYSTEMS[kind], value))
        else:
            titles = self.subheadings if kind == "s" else self.lines[_TITLES[kind]]
            titles.update((_code(code), title) for code, title in _pairs(value))

    def add_example(self, line: str) -> None:
        """Take one good of the open group. Raises ValueError where no group is open."""
        if self.goods is None:
            msg = "a good needs an open group: write `> US EU` above it"
            raise ValueError(msg)
        unsure = line.startswith(_UNSURE)
        lines, subheading = self.goods
        self.examples.append(Example(line.removeprefix(_UNSURE).strip(), lines, unsure, subheading))

    def finished(self) -> HeadingKnowledge:
        return HeadingKnowledge(
            code=self.code,
            title=self.title,
            names=tuple(self.names),
            substances=self.substances,
            lookalikes=tuple(self.lookalikes),
            facts=tuple(self.facts),
            subheadings=self.subheadings,
            lines=self.lines,
            examples=tuple(self.examples),
        )


def read_chapter(lines: Iterable[str], *, name: str, goods: bool = True) -> ChapterKnowledge:
    """Read one chapter's file; `name` is what errors call it. Raises PackError.

    Without `goods` its example goods are passed over, which takes a fifth of the time.
    """
    title, code = "", None
    drafts: list[_Draft] = []
    for number, raw in enumerate(lines, start=1):
        if code is not None and not goods and not _NO_GOOD.match(raw):
            continue
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        try:
            if code is None:
                code, title = _chapter(line)
            else:
                _take(line, drafts)
        except ValueError as error:
            msg = f"{name}, line {number}: {error}: {line[:80]!r}"
            raise PackError(msg) from error
    if code is None:
        msg = f"{name}: the file is empty; its first line must be `# NN title`"
        raise PackError(msg)
    return ChapterKnowledge(code, title, tuple(draft.finished() for draft in drafts))


def read_pack(*, goods: bool = True) -> tuple[ChapterKnowledge, ...]:
    """Every chapter of the pack that ships with the package, in order, with its example goods or without.

    Raises PackError.
    """
    folder = resources.files(__package__)
    files = sorted((file for file in folder.iterdir() if CHAPTER_FILE.fullmatch(file.name)), key=lambda file: file.name)
    return tuple(
        read_chapter(file.read_text(encoding="utf-8").splitlines(), name=file.name, goods=goods) for file in files
    )


@cache
def knowledge() -> tuple[ChapterKnowledge, ...]:
    """The pack without its example goods, read once a process. Raises PackError."""
    return read_pack(goods=False)


def substances_in(pack: Iterable[ChapterKnowledge]) -> dict[str, str]:
    """The names of substances by their registry numbers."""
    headings = (heading for chapter in pack for heading in chapter.headings)
    return {number: name for heading in headings for number, name in heading.substances.items()}


def _chapter(line: str) -> tuple[Code, str]:
    match = re.fullmatch(r"# (\d\d) (\S.*)", line)
    if match is None:
        msg = "the first line must be `# NN title`"
        raise ValueError(msg)
    return Code.parse(match[1]), match[2]


def _take(line: str, drafts: list[_Draft]) -> None:
    if heading := _HEADING.fullmatch(line):
        drafts.append(_Draft(Code.parse(heading[1]), heading[2]))
        return
    entry = _ENTRY.fullmatch(line)
    if not drafts:
        msg = "nothing may stand before the first heading (`@HHHH title`)"
        raise ValueError(msg)
    if entry:
        drafts[-1].add(entry[1], entry[2])
    elif goods := _GOODS.fullmatch(line):
        drafts[-1].goods = _group([_optional(column or "-") for column in goods.groups()])
    else:
        drafts[-1].add_example(line)


def _group(columns: Sequence[Code | None]) -> tuple[Lines, Code | None]:
    """The line in each schedule and the subheading of a group; six digits in the first place are a subheading alone."""
    first, *others = columns
    line = None if first is not None and len(first) == 6 else first
    known = next((code for code in columns if code), None)
    return (line, *others), known.subheading if known else None


def _code(text: str) -> Code:
    return Code.shared(Code.parse(text))


def _optional(text: str) -> Code | None:
    return None if text == "-" else _code(text)


def _split(text: str, separator: str) -> tuple[str, ...]:
    return tuple(part for raw in text.split(separator) if (part := raw.strip()))


def _substances(text: str) -> Iterator[tuple[str, str]]:
    for numbers, name in _pairs(text):
        for number in numbers.split():
            if not is_registry_number(number):
                msg = f"{number!r} is not a CAS Registry Number, whose last digit checks the others, nor a UN number"
                raise ValueError(msg)
            yield number, name


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for item in _split(text, "|"):
        code, equals, words = item.partition("=")
        if not equals or not words.strip():
            msg = f"{item!r} should read `code=words`"
            raise ValueError(msg)
        pairs.append((code, words.strip()))
    return pairs


def _fact(system: str, text: str) -> Fact:
    match = _FACT.fullmatch(text)
    if match is None:
        msg = "a fact reads `SCOPE fact [slot]: value, value => CODE; ? => CODE`; its slot is what it asks about"
        raise ValueError(msg)
    branches = tuple(_branch(part) for part in _split(match[4], ";"))
    name, slot = (sys.intern(part.strip()) for part in (match[2], match[3]))
    return Fact(system, _code(match[1]), name, branches, slot)


def _branch(text: str) -> FactValues:
    values, arrow, codes = text.partition("=>")
    if not arrow:
        msg = f"{text!r} should read `value, value => CODE`"
        raise ValueError(msg)
    parts = (value.strip() for value in _BETWEEN_VALUES.split(values))
    said = tuple(sys.intern(part) for part in parts if part and part != "?")  # many questions share theirs
    return FactValues(said, tuple(_code(code) for code in codes.split()))
