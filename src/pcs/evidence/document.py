"""What a person reads of a record, section by section: titles, pairs, tables and paragraphs, and nothing of how they
look. The trap: words that the record does not bear out; each comes from a field of it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pcs.base.countries import country_name
from pcs.engine.result import percent
from pcs.evidence.record import EvidenceRecord
from pcs.tariff.code import Code

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_PRINTED_NOTES = 3
_ENDINGS = {
    "completed": "Completed",
    "failed": "No code could be given",
    "pending": "Queued",
    "processing": "Analysing",
}
_NOTICE = (
    "A classification made and recorded by software, for information. Only a customs authority gives binding rulings."
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the document: pairs of a word and what it says, then a table, then paragraphs, each may be empty."""

    title: str
    pairs: Sequence[tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    paragraphs: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read in it."""
        return not (self.pairs or self.rows or self.paragraphs)


@dataclass(frozen=True, slots=True)
class Document:
    """The document of a record: its heading, and its sections in order."""

    title: str
    subtitle: str
    code: str
    words: str
    sections: Sequence[Section]
    notice: str
    digest: str


def document_of(record: EvidenceRecord) -> Document:
    """The document of a record."""
    one = record.fields["classification"]
    final, result = one.get("final"), one.get("result")
    sandbox = " (sandbox: simulated)" if record.fields["environment"] == "test" else ""
    sections = [section for section in _sections(record.fields, one) if not section.is_empty]
    return Document(
        title=_plain(one["product"]["name"]),
        subtitle=_plain(f"Evidence of classification {one['id']}, {record.fields['organization']}{sandbox}"),
        code=_dotted(final["code"]) if final else "No code is decided",
        words=_plain(final["description"] if final else _undecided(one, result)),
        sections=sections,
        notice=_NOTICE,
        digest=record.digest,
    )


def as_data(document: Document) -> dict[str, Any]:
    """The document as plain values, for whoever lays it out."""
    return asdict(document)


def _undecided(one: Mapping[str, Any], result: Mapping[str, Any] | None) -> str:
    if result is None:
        return one["error"]["message"] if one.get("error") else "The analysis has not ended."
    return f"The machine's answer is {_dotted(_code(result))}; it needs review, and nobody has decided yet."


def _sections(fields: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[Section]:
    result = one.get("result")
    yield _decision(one)
    yield _goods(one["product"])
    if result:
        yield _understood(result["reading"])
    yield Section(
        "Path through the tariff, in official words",
        head=("Code", "Description"),
        rows=[(_dotted(level["code"]), _plain(level["description"])) for level in fields["path"]],
    )
    if result:
        yield from _answer(result)
    yield _filed(one.get("filed"))
    yield _facts(one, fields["before"])
    yield from _notes(fields["notes"])
    yield Section(
        "Who did what",
        head=("When", "Who", "What"),
        rows=[
            (
                _moment(each["at"]),
                _plain(each["by"]),
                _plain(": ".join(filter(None, (each["did"], each["detail"])))),
            )
            for each in fields["history"]
        ],
    )
    yield Section(
        "Steps of the analysis",
        head=("Step", "What was found"),
        rows=[(_plain(step["name"]), _plain(step["outcome"])) for step in one.get("steps") or ()],
    )


def _decision(one: Mapping[str, Any]) -> Section:
    final, result, review = one.get("final"), one.get("result"), one.get("review")
    pairs = [("Schedule", one["schedule"]), ("Status", _ENDINGS[one["status"]])]
    if final:
        who = {"engine": "the engine, no review needed", "precedent": "an earlier decision"}
        name = final.get("decided_by_name") or ""
        decider = who.get(final["decided_by"], f"{final['decided_by']} {name}".strip())
        pairs += [("Final code", _dotted(final["code"])), ("Decided by", _plain(decider))]
        pairs += [("Decided", _moment(final["decided_at"])), ("Revision", final["revision"])]
        pairs += [("Reason", _plain(final["reason"]))] if final.get("reason") else []
    if result:
        sure = percent(result["confidence"]) if result.get("confidence") is not None else "not scored"
        pairs += [("Machine's answer", f"{_dotted(_code(result))}, confidence {sure}")]
        pairs += [("Its revision", result["schedule_revision"])]
    if review:
        pairs += [
            ("Review", f"{review['decision']} by {_plain(review['reviewed_by'])}, {_moment(review['reviewed_at'])}")
        ]
    pairs += [("Received", _moment(one["created_at"]))]
    pairs += [("Finished", _moment(one["completed_at"]))] if one.get("completed_at") else []
    return Section("Decision", pairs=pairs)


def _goods(product: Mapping[str, Any]) -> Section:
    pairs = [("Name", _plain(product["name"]))]
    if product.get("identifier"):
        pairs.append(("Identifier", _plain(product["identifier"])))
    if product.get("country_of_origin"):
        code = product["country_of_origin"]
        pairs.append(("Country of origin", f"{country_name(code)} ({code})"))
    if product.get("entry_date"):
        pairs.append(("Day of entry", _plain(product["entry_date"])))
    pairs += [(_plain(name), _plain(value)) for name, value in (product.get("attributes") or {}).items()]
    pairs += [(f"Filed under {name}", _plain(code)) for name, code in (product.get("declared_codes") or {}).items()]
    return Section("Goods as submitted", pairs=pairs, paragraphs=_paragraphs(product.get("description") or ""))


def _understood(reading: Mapping[str, Any]) -> Section:
    pairs = [("Goods", _plain(reading["goods"]))] if reading["goods"] else []
    for made in reading["made_of"]:
        share = "" if made["share"] is None else f", {made['share']:g} %"
        pairs.append((_plain(made["part"] or "Made of"), _plain(f"{made['material']}{share}")))
    pairs += [(_plain(each["what"]), _plain(each["value"])) for each in reading["measures"]]
    pairs += [("Not", _plain(each)) for each in reading["denied"]]
    pairs += [("For", _plain(each)) for each in reading["purpose"]]
    return Section("What was understood", pairs=pairs)


def _answer(result: Mapping[str, Any]) -> Iterator[Section]:
    rules = ", ".join(f"GRI {rule}" for rule in result["gri_applied"])
    yield Section(
        "Reasoning", pairs=[("Rules applied", rules)] if rules else [], paragraphs=_paragraphs(result["reasoning"])
    )
    yield Section(
        "Alternatives, and what separates them",
        head=("Code", "Confidence", "Description", "Why not"),
        rows=[
            (
                _dotted(each["code"]),
                "-" if each["confidence"] is None else percent(each["confidence"]),
                _plain(_below(each, _code(result))),
                _plain(each["separated_by"]),
            )
            for each in result["alternatives"]
        ],
    )
    yield Section(
        "Rulings",
        head=("Ruling", "Date", "Subject", "Codes"),
        rows=[
            (_plain(each["id"]), each["date"] or "-", _plain(each["subject"]), ", ".join(map(_dotted, each["codes"])))
            for each in result["rulings"]
        ],
    )
    yield Section(
        "Own decisions that were looked at",
        head=("Decision", "Code", "Goods", "Counted"),
        rows=[
            (each["decision"], _dotted(each["code"]), _plain(each["name"]), "yes" if each["applied"] else "no")
            for each in result["precedents"]
        ],
    )


def _below(each: Mapping[str, Any], code: str) -> str:
    """An alternative's words; under the answer's own heading those below it, since the path has the heading's."""
    words = str(each["description"])
    heading, below, rest = words.partition(" > ")
    return rest if below and each["code"][:4] == code[:4] else heading + below + rest


def _filed(filed: Mapping[str, Any] | None) -> Section:
    if filed is None:
        return Section("Filed code")
    return Section(
        "Filed code", pairs=[(_dotted(filed["code"]), _plain(filed["said"]))], paragraphs=_paragraphs(filed["reason"])
    )


def _facts(one: Mapping[str, Any], before: Mapping[str, Any] | None) -> Section:
    open_ones = (one.get("result") or {}).get("missing_information") or ()
    pairs = [("Open question", _plain(each)) for each in open_ones]
    if before:
        code = "no code" if before["code"] is None else _dotted(before["code"])
        sure = "" if before["confidence"] is None else f", {percent(before['confidence'])}"
        pairs.append(("Before its questions were answered", f"{before['id']}: {code}{sure}"))
    return Section("Questions and answers", pairs=pairs)


def _notes(notes: Sequence[Mapping[str, str]]) -> Iterator[Section]:
    """The first notes whole, the others by name: they are in the record too."""
    for note in notes[:_PRINTED_NOTES]:
        yield Section(note["reference"], paragraphs=_paragraphs(note["text"]))
    if others := [note["reference"] for note in notes[_PRINTED_NOTES:]]:
        yield Section("Further legal notes, whole in the record", paragraphs=["; ".join(map(_plain, others)) + "."])


def _paragraphs(text: str) -> list[str]:
    return [plain for each in text.split("\n") if (plain := _plain(each))]


def _moment(written: str) -> str:
    """A time as people read it, in UTC.

    >>> _moment("2026-11-23T05:04:09.120Z")
    '23 Nov 2026, 05:04:09 UTC'
    """
    return f"{dt.datetime.fromisoformat(written):%d %b %Y, %H:%M:%S} UTC"


def _code(result: Mapping[str, Any]) -> str:
    return str(next(value for name, value in result.items() if name in {"hts_code", "cn_code", "code"}))


def _dotted(code: str | None) -> str:
    return Code(code).dotted if code else ""


def _plain(text: str) -> str:
    """Text on one line, with a sign in the place of each character that nobody can print."""
    return " ".join(_CONTROLS.sub("\ufffd", str(text)).split())
