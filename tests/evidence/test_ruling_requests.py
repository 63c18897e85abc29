"""A draft of a ruling request says what the record knows, and marks what only its user does."""

import io

import docx
import pytest
from docx.enum.text import WD_COLOR_INDEX

from evidence.cases import record_fields
from pcs.evidence.docx import docx_of
from pcs.evidence.record import EvidenceRecord
from pcs.evidence.ruling_request import NOTICE, request_of

GOODS = {
    "name": "Leather handbag",
    "description": "Woman's shoulder bag\nouter surface of cow leather",
    "country_of_origin": "IT",
    "identifier": "BAG-7",
    "attributes": {"gender": "women"},
}
FINAL = {
    "code": "42022100",
    "description": "Handbags > Of leather",
    "decided_by": "person",
    "decided_at": "2026-11-23T05:00:00Z",
    "revision": "2026",
    "reason": "sample seen",
}


def drafted(schedule: str, **more: object) -> str:
    """The draft as it stands in the Word document, a paragraph a line."""
    fields = record_fields(**GOODS)
    fields["classification"] |= {"schedule": schedule, "final": FINAL} | more
    fields["path"] = [{"code": "4202", "description": "Handbags"}, {"code": "42022100", "description": "Of leather"}]
    fields["notes"] = [{"reference": "Note 2 to Chapter 42", "text": "..."}]
    made = docx.Document(io.BytesIO(docx_of(request_of(EvidenceRecord(fields)))))
    return "\n".join(paragraph.text for paragraph in made.paragraphs)


def test_the_american_draft_has_what_the_regulation_asks_for() -> None:
    said = drafted("US-HTS")
    for part in ("177.2(b)(1)", "177.2(b)(2)(ii)", "177.2(b)(3)", "177.2(b)(6)", "Statements", "Signature"):
        assert part in said, part
    for known in ("Leather handbag", "outer surface of cow leather", "Italy (IT)", "gender: women", "sample seen"):
        assert known in said, known
    assert "4202.21.00 of US-HTS." in said
    assert "Handbags > Of leather." in said
    assert "Note 2 to Chapter 42" in said
    for unknown in ("port or place", "pending before", "by weight and by volume", "confidential"):
        [line] = [line for line in said.splitlines() if unknown in line]
        assert line.startswith("[To fill in: "), unknown


def test_the_european_draft_has_the_parts_of_the_application() -> None:
    said = drafted("EU-CN")
    for part in (
        *("Applicant", "Holder of the decision", "Representative", "Reissue of a decision", "Customs nomenclature"),
        *(
            "Type of transaction",
            "Envisaged classification",
            "Description of the goods",
            "Samples",
            "Other applications",
        ),
        *("Other applications", "Date and authentication"),
    ):
        assert any(line.startswith(part) for line in said.splitlines()), part
    assert "EORI" in said


@pytest.mark.parametrize("schedule", ["US-HTS", "EU-CN"])
def test_every_gap_is_marked_in_colour_and_in_words_and_the_draft_says_that_it_is_one(schedule: str) -> None:
    fields = record_fields(name="thing\x0b\x01 \ufffe <w:p>")
    fields["classification"] |= {"schedule": schedule}
    made = docx.Document(io.BytesIO(docx_of(request_of(EvidenceRecord(fields)))))
    assert made.paragraphs[0].text == NOTICE
    runs = [run for paragraph in made.paragraphs for run in paragraph.runs]
    coloured = {run.text for run in runs if run.font.highlight_color == WD_COLOR_INDEX.YELLOW}
    assert coloured == {run.text for run in runs if run.text.startswith("[To fill in: ")}
    assert len(coloured) > 8
    assert any("<w:p>" in run.text for run in runs)


def test_without_a_code_the_position_is_a_gap() -> None:
    assert "[To fill in: The code that you hold to be right, and why.]" in drafted("EU-CN", final=None)
