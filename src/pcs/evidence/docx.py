"""A ruling request as a Word document to edit; what is missing is marked in yellow. The trap: a gap that is signed
unseen; each says so in words too, since a colour is not heard."""

from __future__ import annotations

from io import BytesIO

from docx import Document as Word
from docx.enum.text import WD_COLOR_INDEX
from docx.shared import Pt

from pcs.evidence.ruling_request import Gap, RulingRequest

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def docx_of(request: RulingRequest) -> bytes:
    """The request as DOCX. Blocks for some milliseconds: call it in a thread."""
    made = Word()
    made.styles["Normal"].font.size = Pt(11)
    made.core_properties.title = request.title
    made.core_properties.author = "Product Classification Service"
    made.add_paragraph().add_run(request.notice).italic = True
    made.add_heading(request.title, level=1)
    made.add_paragraph(f"To: {request.addressee}")
    for part in request.parts:
        made.add_heading(part.title, level=2)
        for each in part.content:
            paragraph = made.add_paragraph()
            if isinstance(each, Gap):
                paragraph.add_run(f"[To fill in: {each.wanted}]").font.highlight_color = WD_COLOR_INDEX.YELLOW
            else:
                paragraph.add_run(each)
    written = BytesIO()
    made.save(written)
    return written.getvalue()
