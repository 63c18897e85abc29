"""A draft of a request for a binding ruling, part by part, from the record of a classification: for the US what 19 CFR
177.2 asks for, for the EU what an application for binding tariff information does (Delegated Regulation (EU) 2015/2446,
Annex A, column 1a).

The trap: a draft that states what nobody said; what the record does not know is a gap, marked, for a person to fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcs.base.countries import country_name
from pcs.base.errors import NotFoundError
from pcs.evidence.record import EvidenceRecord
from pcs.evidence.words import answered_code, dotted, paragraphs_of, plain
from pcs.tariff.revision import ScheduleName

NOTICE = (
    "Draft, made by software from a record of a classification. It is not legal advice. Check every statement, fill in "
    "what is marked, and take out what does not apply before you sign it."
)


@dataclass(frozen=True, slots=True)
class Gap:
    """What only the user knows: a sentence that says what belongs there."""

    wanted: str


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request: its title and what stands in it."""

    title: str
    content: Sequence[str | Gap]


@dataclass(frozen=True, slots=True)
class RulingRequest:
    """A request: whom it goes to, what it is called, and its parts in order."""

    title: str
    addressee: str
    parts: Sequence[RequestPart]
    notice: str = NOTICE


def request_of(record: EvidenceRecord) -> RulingRequest:
    """The draft of a request under the record's schedule. Raises NotFoundError where no authority rules on it."""
    fields = record.fields
    schedule = ScheduleName(fields["classification"]["schedule"])
    made = _REQUESTS.get(schedule)
    if made is None:
        msg = f"There is no form of a ruling request for {schedule}."
        raise NotFoundError(msg)
    return made(fields)


def _american(fields: Mapping[str, Any]) -> RulingRequest:
    return RulingRequest(
        title="Request for a tariff classification ruling (19 CFR part 177)",
        addressee="U.S. Customs and Border Protection, National Commodity Specialist Division (or by eRulings)",
        parts=tuple(_american_parts(fields)),
    )


def _american_parts(fields: Mapping[str, Any]) -> Iterator[RequestPart]:
    one = fields["classification"]
    yield RequestPart(
        "Parties, 19 CFR 177.2(b)(1)",
        [
            f"Requested by: {plain(fields['organization'])}.",
            Gap("Names, addresses and importer numbers of the importer and of all other interested parties, if known."),
            Gap("Name, address and authority of whoever signs for the importer, if it is not the importer."),
        ],
    )
    yield RequestPart(
        "The transaction, 19 CFR 177.2(b)(1)",
        [
            Gap(
                "Whether the transaction is prospective; rulings are given on prospective transactions (19 CFR 177.1)."
            ),
            Gap("The port or place at which the goods will be entered."),
            f"Country of origin: {_origin(one['product'])}." if one["product"].get("country_of_origin") else _ORIGIN,
        ],
    )
    yield RequestPart("Description of the goods, 19 CFR 177.2(b)(2)(ii)", [*_goods(one), *_american_gaps(one)])
    yield RequestPart("Position, 19 CFR 177.2(b)(6)", _position(one, fields))
    yield RequestPart(
        "Samples and documents, 19 CFR 177.2(b)(3)",
        [Gap("A sample, photographs, drawings, a chemical analysis, listed here; whether a sample is to come back.")],
    )
    yield RequestPart(
        "Statements",
        [
            Gap(
                "That to your knowledge the issue is, or is not, pending before Customs and Border Protection or any "
                "court, and whether it was before (19 CFR 177.2(b)(2)(i), 177.2(b)(5))."
            ),
            Gap("Any advice given before on the same or similar goods, with its date and number."),
            Gap("What of this is confidential, and why its disclosure would do harm (19 CFR 177.2(b)(7))."),
        ],
    )
    yield RequestPart("Signature", [Gap("Place, date, name, title, signature.")])


def _american_gaps(one: Mapping[str, Any]) -> Iterator[str | Gap]:
    yield Gap("The chief use of the goods in the United States, and their commercial, common or technical name.")
    yield from _composition(one, "the share of each material by weight and by volume, and its value")
    yield Gap("For textiles: how the fabric is made, its fibres by weight, the construction of the garment.")
    yield Gap("The purchase price, and the selling price in the United States where the classification turns on it.")


def _european(fields: Mapping[str, Any]) -> RulingRequest:
    return RulingRequest(
        title="Application for a decision on binding tariff information (BTI)",
        addressee="The customs authority of the Member State of the applicant (through the EU Customs Trader Portal)",
        parts=tuple(_european_parts(fields)),
    )


def _european_parts(fields: Mapping[str, Any]) -> Iterator[RequestPart]:
    one = fields["classification"]
    name = plain(fields["organization"])
    yield RequestPart("Applicant", [f"{name}.", Gap("Full name, address, EORI number, person to ask.")])
    yield RequestPart(
        "Holder of the decision, where it is another", [Gap("Full name, address, EORI number; or strike out.")]
    )
    yield RequestPart("Representative", [Gap("Name, address, EORI number and power of attorney; or strike out.")])
    yield RequestPart(
        "Reissue of a decision", [Gap("Reference and period of validity of the decision that ends; or no.")]
    )
    yield RequestPart(
        "Customs nomenclature", ["Combined Nomenclature (CN).", Gap("Or TARIC, where its ten digits are wanted.")]
    )
    yield RequestPart("Type of transaction", [Gap("Import or export; and that it is really intended.")])
    yield RequestPart("Envisaged classification", _position(one, fields))
    yield RequestPart("Description of the goods", [*_goods(one), *_european_gaps(one)])
    yield RequestPart(
        "Commercial denomination and additional information",
        [f"{plain(one['product']['name'])}.", Gap("Trade mark, model; this part is confidential.")],
    )
    yield RequestPart(
        "Samples, photographs, plans, brochures", [Gap("What goes with the application, and what must be returned.")]
    )
    yield RequestPart(
        "Other applications and decisions",
        [
            Gap(
                "Applications for, and decisions on, identical or similar goods of yours, in any Member State; or none."
            ),
            Gap("Decisions issued to others on identical or similar goods that you know of, with their references."),
        ],
    )
    yield RequestPart("Date and authentication", [Gap("Place, date, name, signature.")])


def _european_gaps(one: Mapping[str, Any]) -> Iterator[str | Gap]:
    yield Gap("Purpose, use, physical properties, packing: all that lets an officer know the goods at the border.")
    yield from _composition(one, "composition in percent, and the method of analysis where one was used")


_REQUESTS: Mapping[ScheduleName, Callable[[Mapping[str, Any]], RulingRequest]] = {
    ScheduleName.US_HTS: _american,
    ScheduleName.EU_CN: _european,
}
_ORIGIN = Gap("The country of origin.")


def _origin(product: Mapping[str, Any]) -> str:
    code = product["country_of_origin"]
    return f"{country_name(code)} ({code})"


def _goods(one: Mapping[str, Any]) -> Iterator[str | Gap]:
    """What was said of the goods, as it was said."""
    product = one["product"]
    yield f"{plain(product['name'])}."
    yield from paragraphs_of(product.get("description") or "")
    yield from (f"{plain(name)}: {plain(value)}." for name, value in (product.get("attributes") or {}).items())
    if product.get("identifier"):
        yield f"Our identifier: {plain(product['identifier'])}."


def _composition(one: Mapping[str, Any], wanted: str) -> Iterator[str | Gap]:
    """The materials that were understood, and the gap that they leave."""
    made_of = (one.get("result") or {}).get("reading", {}).get("made_of", ())
    told = [
        f"{plain(each['part'] or 'the goods')}: {plain(each['material'])}"
        + ("" if each["share"] is None else f", {each['share']:g} %")
        for each in made_of
    ]
    if told:
        yield f"Materials as described: {'; '.join(told)}."
    yield Gap(f"Where there are several materials: {wanted}.")


def _position(one: Mapping[str, Any], fields: Mapping[str, Any]) -> list[str | Gap]:
    """The code that is held to be right, and the reasons that the record has."""
    final, result = one.get("final"), one.get("result")
    if final is None and result is None:
        return [Gap("The code that you hold to be right, and why.")]
    code = final["code"] if final else answered_code(result or {})
    told: list[str | Gap] = [f"{dotted(code)} of {one['schedule']}."]
    told += [" > ".join(plain(level["description"]) for level in fields["path"]) + "."] if fields["path"] else []
    if final and final.get("reason"):
        told.append(plain(final["reason"]))
    if result and answered_code(result) == code:
        rules = ", ".join(result["gri_applied"])
        told += [f"General Rules of Interpretation {rules}."] if rules else []
        told += [f"{plain(each['separated_by'])} ({dotted(each['code'])})" for each in result["alternatives"][:2]]
        told += [f"Ruling {plain(each['id'])}: {plain(each['subject'])}." for each in result["rulings"]]
    notes = [plain(note["reference"]) for note in fields["notes"]]
    told += [f"Notes looked at: {'; '.join(notes)}."] if notes else []
    return [
        *told,
        Gap("Your own reasons, with the notes and rulings that they rest on, and any that speak against them."),
    ]
