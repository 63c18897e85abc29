"""What a person reads of a record, section by section: titles, pairs, tables and paragraphs, and nothing of how they
look. The trap: words that the record does not bear out; each comes from a field of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pcs.base.countries import country_name
from pcs.engine.result import percent
from pcs.evidence.record import EvidenceRecord
from pcs.evidence.words import answered_code, dotted, moment, paragraphs_of, plain

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
        title=plain(one["product"]["name"]),
        subtitle=plain(f"Evidence of classification {one['id']}, {record.fields['organization']}{sandbox}"),
        code=dotted(final["code"]) if final else "No code is decided",
        words=plain(final["description"] if final else _undecided(one, result)),
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
    return f"The machine's answer is {dotted(answered_code(result))}; it needs review, and nobody has decided yet."


def _sections(fields: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[Section]:
    result = one.get("result")
    yield _decision(one)
    yield _goods(one["product"])
    if result:
        yield _understood(result["reading"])
    yield Section(
        "Path through the tariff, in official words",
        head=("Code", "Description"),
        rows=[(dotted(level["code"]), plain(level["description"])) for level in fields["path"]],
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
                moment(each["at"]),
                plain(each["by"]),
                plain(": ".join(filter(None, (each["did"], each["detail"])))),
            )
            for each in fields["history"]
        ],
    )
    yield Section(
        "Steps of the analysis",
        head=("Step", "What was found"),
        rows=[(plain(step["name"]), plain(step["outcome"])) for step in one.get("steps") or ()],
    )


def _decision(one: Mapping[str, Any]) -> Section:
    final, result, review = one.get("final"), one.get("result"), one.get("review")
    pairs = [("Schedule", one["schedule"]), ("Status", _ENDINGS[one["status"]])]
    if final:
        who = {"engine": "the engine, no review needed", "precedent": "an earlier decision"}
        name = final.get("decided_by_name") or ""
        decider = who.get(final["decided_by"], f"{final['decided_by']} {name}".strip())
        pairs += [("Final code", dotted(final["code"])), ("Decided by", plain(decider))]
        pairs += [("Decided", moment(final["decided_at"])), ("Revision", final["revision"])]
        pairs += [("Reason", plain(final["reason"]))] if final.get("reason") else []
    if result:
        sure = percent(result["confidence"]) if result.get("confidence") is not None else "not scored"
        pairs += [("Machine's answer", f"{dotted(answered_code(result))}, confidence {sure}")]
        pairs += [("Its revision", result["schedule_revision"])]
    if review:
        pairs += [("Review", _said(review))]
    pairs += [("Received", moment(one["created_at"]))]
    pairs += [("Finished", moment(one["completed_at"]))] if one.get("completed_at") else []
    return Section("Decision", pairs=pairs)


def _said(review: Mapping[str, Any]) -> str:
    said = f"{review['decision']} by {plain(review['reviewed_by'])}, {moment(review['reviewed_at'])}"
    if not review.get("stage"):
        return said
    if review["stage"] == "proposed":
        return f"proposed: {said}"
    ending = "sent back" if review["stage"] == "sent_back" else "confirmed"
    return f"{said}; {ending} by {plain(review['second_by'])}, {moment(review['second_at'])}"


def _goods(product: Mapping[str, Any]) -> Section:
    pairs = [("Name", plain(product["name"]))]
    if product.get("identifier"):
        pairs.append(("Identifier", plain(product["identifier"])))
    if product.get("country_of_origin"):
        code = product["country_of_origin"]
        pairs.append(("Country of origin", f"{country_name(code)} ({code})"))
    if product.get("entry_date"):
        pairs.append(("Day of entry", plain(product["entry_date"])))
    pairs += [(plain(name), plain(value)) for name, value in (product.get("attributes") or {}).items()]
    pairs += [(f"Filed under {name}", plain(code)) for name, code in (product.get("declared_codes") or {}).items()]
    return Section("Goods as submitted", pairs=pairs, paragraphs=paragraphs_of(product.get("description") or ""))


def _understood(reading: Mapping[str, Any]) -> Section:
    pairs = [("Goods", plain(reading["goods"]))] if reading["goods"] else []
    for made in reading["made_of"]:
        share = "" if made["share"] is None else f", {made['share']:g} %"
        pairs.append((plain(made["part"] or "Made of"), plain(f"{made['material']}{share}")))
    pairs += [(plain(each["what"]), plain(each["value"])) for each in reading["measures"]]
    pairs += [("Not", plain(each)) for each in reading["denied"]]
    pairs += [("For", plain(each)) for each in reading["purpose"]]
    return Section("What was understood", pairs=pairs)


def _answer(result: Mapping[str, Any]) -> Iterator[Section]:
    rules = ", ".join(f"GRI {rule}" for rule in result["gri_applied"])
    yield Section(
        "Reasoning", pairs=[("Rules applied", rules)] if rules else [], paragraphs=paragraphs_of(result["reasoning"])
    )
    yield Section(
        "Alternatives, and what separates them",
        head=("Code", "Confidence", "Description", "Why not"),
        rows=[
            (
                dotted(each["code"]),
                "-" if each["confidence"] is None else percent(each["confidence"]),
                plain(_below(each, answered_code(result))),
                plain(each["separated_by"]),
            )
            for each in result["alternatives"]
        ],
    )
    yield Section(
        "Rulings",
        head=("Ruling", "Date", "Subject", "Codes"),
        rows=[
            (plain(each["id"]), each["date"] or "-", plain(each["subject"]), ", ".join(map(dotted, each["codes"])))
            for each in result["rulings"]
        ],
    )
    yield Section(
        "Own decisions that were looked at",
        head=("Decision", "Code", "Goods", "Counted"),
        rows=[
            (each["decision"], dotted(each["code"]), plain(each["name"]), "yes" if each["applied"] else "no")
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
        "Filed code", pairs=[(dotted(filed["code"]), plain(filed["said"]))], paragraphs=paragraphs_of(filed["reason"])
    )


def _facts(one: Mapping[str, Any], before: Mapping[str, Any] | None) -> Section:
    open_ones = (one.get("result") or {}).get("missing_information") or ()
    pairs = [("Open question", plain(each)) for each in open_ones]
    if before:
        code = "no code" if before["code"] is None else dotted(before["code"])
        sure = "" if before["confidence"] is None else f", {percent(before['confidence'])}"
        pairs.append(("Before its questions were answered", f"{before['id']}: {code}{sure}"))
    return Section("Questions and answers", pairs=pairs)


def _notes(notes: Sequence[Mapping[str, str]]) -> Iterator[Section]:
    """The first notes whole, the others by name: they are in the record too."""
    for note in notes[:_PRINTED_NOTES]:
        yield Section(note["reference"], paragraphs=paragraphs_of(note["text"]))
    if others := [note["reference"] for note in notes[_PRINTED_NOTES:]]:
        yield Section("Further legal notes, whole in the record", paragraphs=["; ".join(map(plain, others)) + "."])
