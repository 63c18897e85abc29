"""Evidence in the dashboard: one document from its page, an archive of what a list shows."""

import io
import re
import zipfile

import docx
import pypdf

from dashboard.visitor import Office
from pcs.organizations.model import Role

BASE = "/dashboard/live"


def words(content: bytes) -> str:
    return " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)


async def test_a_finished_classification_has_its_document_and_a_pending_one_none_on_its_page(office: Office) -> None:
    visitor = await office.signed_in(Role.VIEWER)
    accepted = await office.running.classify(name="Cotton T-shirt")
    one = accepted["classifications"][0]["id"]
    assert "evidence.pdf" not in (await visitor.open(f"{BASE}/classifications/{one}")).text
    await office.running.work()
    [link] = re.findall(r'href="([^"]+/evidence.pdf)"', (await visitor.open(f"{BASE}/classifications/{one}")).text)
    document = await visitor.client.get(link)
    assert document.headers["Content-Disposition"] == f'attachment; filename="{one}.pdf"'
    assert "Cotton T-shirt" in words(document.content)
    draft = await visitor.client.get(link.replace("evidence.pdf", "ruling-request.docx"))
    assert any("Cotton T-shirt" in each.text for each in docx.Document(io.BytesIO(draft.content)).paragraphs)


async def test_a_list_comes_as_an_archive_of_what_it_shows(office: Office) -> None:
    for name in ("Cotton shirt", "Wool sock", "Silk sock"):
        await office.running.classify(name=name)
    await office.running.work()
    visitor = await office.signed_in()
    page = await visitor.open(f"{BASE}/classifications?q=sock")
    [link] = re.findall(r'href="([^"]+-evidence.zip[^"]*)"', page.text)
    with zipfile.ZipFile(io.BytesIO((await visitor.client.get(link)).content)) as packed:
        documents = [words(packed.read(name)) for name in packed.namelist() if name.endswith(".pdf")]
    assert sorted("Wool" if "Wool sock" in said else "Silk" for said in documents) == ["Silk", "Wool"]
