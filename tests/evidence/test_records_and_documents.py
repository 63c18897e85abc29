"""Evidence of a classification: a record that anybody can compare, a document that says it, and archives of both."""

import asyncio
import hashlib
import io
import json
import os
import zipfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pypdf
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from evidence.cases import record_fields
from pcs.base.settings import Settings
from pcs.classifications.model import Analyse
from pcs.engine.classify import classify
from pcs.engine.decided import Decided
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.evidence.document import document_of
from pcs.evidence.pdf import pdf_of
from pcs.evidence.record import FORMAT, EvidenceRecord
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName

BAG = {
    "name": "Leather handbag",
    "description": "Woman's shoulder bag, outer surface of cow leather, cotton lining",
    "identifier": "BAG-7",
    "country_of_origin": "IT",
    "attributes": {"gender": "women"},
}
HOSTILE = {
    "markup": '#read("/etc/passwd") *bold* $x$ <label> @cite = Heading // comment \\u{41}',
    "controls": "a\x01b\x1bc\u2028d",
    "right to left": "\u202eتيشيرت קטן",
    "many scripts": "Łódź Αθήνα Москва 棉质T恤 ผ้าฝ้าย 👕",
    "long": "wool " * 100,
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Analyse:
    """The engine itself, over the starter schedules."""
    library = Library(tmp_path_factory.mktemp("nothing-loaded"))
    methods = Methods(library, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))

    def ask(product: Product, schedule: ScheduleName, decided: Sequence[Decided]) -> Determination:
        return classify(product, methods.current(schedule), decided=decided)

    return ask


@pytest.fixture
async def stranger(settings: Settings) -> AsyncIterator[ServiceUnderTest]:
    """Another organization of the same installation."""
    under_test = await build_service_under_test(settings, TurnedClock())
    yield under_test
    await under_test.close()


async def accepted(running: ServiceUnderTest, engine: Analyse, **product: Any) -> str:
    """The address of a finished classification of a product, under the EU's nomenclature."""
    body = {"product": product or BAG, "schedules": ["EU-CN"]}
    answer = (await running.live.post("/api/v1/products/classify", json=body)).json()
    await running.work(engine)
    path: str = answer["classifications"][0]["poll_url"]
    return path


def words(content: bytes) -> str:
    reader = pypdf.PdfReader(io.BytesIO(content))
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


async def test_the_record_has_the_whole_case_and_its_digest_is_of_its_bytes(
    running: ServiceUnderTest, engine: Analyse
) -> None:
    path = await accepted(running, engine)
    said = {"decision": "corrected", "code": "4202.21.00", "note": "sample seen"}
    assert (await running.live.put(f"{path}/review", json=said)).status_code == 200
    answer = await running.live.get(f"{path}/evidence.json")
    record = answer.json()
    assert record["format"] == FORMAT
    assert record["classification"] == (await running.live.get(path, params={"expand": "steps"})).json()
    assert [level["code"] for level in record["path"]][-1] == "42022100"
    assert record["path"][0]["code"] == "42"
    [deed] = record["history"]
    assert deed["did"] == "reviewed a classification"
    assert "sample seen" in deed["detail"]
    assert answer.headers["X-Record-SHA256"] == hashlib.sha256(answer.content).hexdigest()


async def test_the_document_says_what_the_record_says_and_carries_its_digest(
    running: ServiceUnderTest, engine: Analyse
) -> None:
    path = await accepted(running, engine)
    await running.live.put(f"{path}/review", json={"decision": "accepted", "note": "as sold"})
    record = await running.live.get(f"{path}/evidence.json")
    document = await running.live.get(f"{path}/evidence.pdf")
    assert document.headers["Content-Type"] == "application/pdf"
    said = words(document.content)
    for expected in (
        *("Leather handbag", "4202.21.00", "BAG-7", "Italy (IT)", "outer surface of cow leather", "as sold"),
        *("Path through the tariff", "Reasoning", "Alternatives", "Who did what", "Steps of the analysis"),
        *("Only a customs authority gives binding rulings", "gender"),
    ):
        assert expected in said, expected
    assert record.headers["X-Record-SHA256"] in said.replace(" ", "")
    assert "handbag" in pypdf.PdfReader(io.BytesIO(document.content)).metadata.title  # type: ignore[union-attr,operator]


async def test_one_state_makes_the_same_bytes_and_another_state_others(
    running: ServiceUnderTest, engine: Analyse
) -> None:
    path = await accepted(running, engine)
    records = [(await running.live.get(f"{path}/evidence.json")).content for _ in range(2)]
    documents = [(await running.live.get(f"{path}/evidence.pdf")).content for _ in range(2)]
    assert records[0] == records[1]
    assert documents[0] == documents[1]
    await running.live.put(f"{path}/review", json={"decision": "rejected"})
    assert (await running.live.get(f"{path}/evidence.json")).content != records[0]
    assert "nobody has decided yet" in words((await running.live.get(f"{path}/evidence.pdf")).content)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_word_of_a_product_is_read_as_markup_or_breaks_the_document(text: str) -> None:
    record = EvidenceRecord(record_fields(name=text, description=text * 20))
    content = pdf_of(record)
    assert len(pypdf.PdfReader(io.BytesIO(content)).pages) >= 1
    assert json.loads(record.content)["classification"]["product"]["name"] == text


def test_markup_is_printed_as_it_was_typed() -> None:
    said = words(pdf_of(EvidenceRecord(record_fields(name=HOSTILE["markup"]))))
    assert '#read("/etc/passwd") *bold* $x$ <label> @cite = Heading // comment' in said
    assert "root:" not in said


def test_letters_of_european_languages_are_printed() -> None:
    said = words(pdf_of(EvidenceRecord(record_fields(name="Łódź ęśćżź Ελλάδα Москва Größe façade İstanbul"))))
    assert "Łódź ęśćżź Ελλάδα Москва Größe façade İstanbul" in said


def test_a_failed_classification_has_a_document_that_says_why() -> None:
    fields = record_fields(name="thing")
    error = {"code": "INSUFFICIENT_INFORMATION", "message": "Nothing says what the goods are."}
    fields["classification"] |= {"status": "failed", "error": error}
    said = words(pdf_of(EvidenceRecord(fields)))
    assert "No code is decided" in said
    assert "Nothing says what the goods are." in said
    assert document_of(EvidenceRecord(fields)).sections


def test_documents_made_at_once_are_the_same_as_one_by_one() -> None:
    records = [EvidenceRecord(record_fields(name=f"goods {number}")) for number in range(8)]

    async def at_once() -> list[bytes]:
        return await asyncio.gather(*(asyncio.to_thread(pdf_of, record) for record in records))

    assert asyncio.run(at_once()) == [pdf_of(record) for record in records]


async def test_a_batch_comes_as_an_archive_of_documents_and_records(running: ServiceUnderTest, engine: Analyse) -> None:
    products = [{"name": "Leather handbag"}, {"name": "Cotton T-shirt, knitted"}, {"name": "thing"}]
    body = {"products": products, "schedules": ["US-HTS", "EU-CN"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work(engine)
    answer = await running.live.get(f"{batch['poll_url']}/evidence.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert names == [f"{one['id']}.{kind}" for one in batch["classifications"] for kind in ("pdf", "json")]
        for one in batch["classifications"]:
            alone = await running.live.get(f"{one['poll_url']}/evidence.json")
            assert packed.read(f"{one['id']}.json") == alone.content
            assert alone.headers["X-Record-SHA256"] in words(packed.read(f"{one['id']}.pdf")).replace(" ", "")


async def test_a_filtered_list_comes_as_archives_one_after_the_other(
    running: ServiceUnderTest, engine: Analyse, stranger: ServiceUnderTest
) -> None:
    products = [{"name": "Cotton T-shirt, knitted"}, {"name": "Leather handbag"}]
    body = {"products": products, "schedules": ["US-HTS", "EU-CN"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work(engine)
    single = {"product": products[0], "schedules": ["EU-CN"]}
    waiting = (await running.live.post("/api/v1/products/classify", json=single)).json()
    wanted = {"schedule": "EU-CN", "limit": "1"}
    names: list[str] = []
    while True:
        answer = await running.live.get("/api/v1/classifications/evidence.zip", params=wanted)
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            names += packed.namelist()
        if "X-Next-Cursor" not in answer.headers:
            break
        wanted["cursor"] = answer.headers["X-Next-Cursor"]
    final = [one["id"] for one in batch["classifications"] if one["schedule"] == "EU-CN"]
    assert names == [f"{one}.{kind}" for one in reversed(final) for kind in ("pdf", "json")]
    assert waiting["classifications"][0]["id"] not in str(names)
    others = await stranger.live.get("/api/v1/classifications/evidence.zip")
    assert zipfile.ZipFile(io.BytesIO(others.content)).namelist() == []
    refused = await running.live.get("/api/v1/classifications/evidence.zip", params={"limit": "501"})
    assert (refused.status_code, refused.json()["error"]["details"][0]["field"]) == (400, "limit")


async def test_evidence_is_its_owner_s_alone(
    running: ServiceUnderTest, engine: Analyse, stranger: ServiceUnderTest
) -> None:
    path = await accepted(running, engine)
    bulk = {"products": [{"name": "Leather handbag"}], "schedules": ["EU-CN"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=bulk)).json()["poll_url"]
    paths = [f"{path}/{kind}" for kind in ("evidence.json", "evidence.pdf", "ruling-request.docx")]
    for address in (*paths, f"{batch}/evidence.zip"):
        for other in (stranger.live, running.sandbox):
            assert (await other.get(address)).status_code == 404, address
