"""A file of products in the dashboard: looked at, its columns chosen, sent once, and given back with its answers."""

import csv
import io
import re
from typing import Any

import openpyxl
import pytest

from builders import ServiceUnderTest
from dashboard.visitor import Office, Visitor

BASE = "/dashboard/live"
GERMAN = (
    "Lager;Artikelnummer;Bezeichnung;Beschreibung;Ursprungsland\r\n"
    "A-1;007;Küchenmesser;Klinge aus Stahl;Deutschland\r\n"
    "=1+1;007;Bügelbrett;für den Haushalt;Türkei\r\n"
    "A-3;;;ohne Namen;DE\r\n"
).encode("utf-16")


async def upload(
    visitor: Visitor, content: bytes, *, name: str = "goods.csv", schedules: tuple[str, ...] = ("US-HTS",)
) -> Any:
    await visitor.open(f"{BASE}/classify")
    return await visitor.send(f"{BASE}/uploads", files={"file": (name, content, "text/csv")}, schedules=list(schedules))


async def credits_of(running: ServiceUnderTest) -> int:
    query = "SELECT count(*) AS spent FROM credit_entries WHERE organization_id = :id"
    return int((await running.rows(query, id=running.organization_id))[0]["spent"])


def workbook(*rows: list[object]) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(file)
    return file.getvalue()


async def test_a_large_file_becomes_batches_of_a_hundred_and_is_sent_once(office: Office) -> None:
    visitor = await office.signed_in()
    rows = "\n".join(f"thing {number},SKU-{number}" for number in range(250))
    answer = await upload(visitor, f"name,sku\n{rows}\n,missing\n".encode(), schedules=("US-HTS", "EU-CN"))
    assert answer.status_code == 303
    page = await visitor.follow()
    assert "250" in visitor.text
    assert "name is needed (column A, name)" in visitor.text
    assert await credits_of(office.running) == 0
    address = str(page.url.path)
    assert (await visitor.send(address)).status_code == 303
    await visitor.follow()
    assert "0 of 500" in visitor.text
    query = "SELECT total FROM batches WHERE organization_id = :id ORDER BY id"
    batches = await office.running.rows(query, id=office.running.organization_id)
    assert [batch["total"] for batch in batches] == [200, 200, 100]
    again = await visitor.send(address)
    assert again.status_code == 409
    assert "submitted already" in visitor.text
    assert await credits_of(office.running) == 500


async def test_an_upload_that_the_credits_do_not_cover_leaves_nothing_behind(office: Office) -> None:
    visitor = await office.signed_in()
    await office.running.run(
        "UPDATE organizations SET credit_limit = 2 WHERE id = :id", id=office.running.organization_id
    )
    await upload(visitor, b"sku,thing\nname 1,one\nname 2,two\nname 3,three\n")
    page = await visitor.follow()
    answer = await visitor.send(str(page.url.path), name="1", identifier="0")
    assert answer.status_code == 409
    assert "does not cover" in visitor.text
    assert 'value="1" selected' in answer.text, "the columns that were chosen are still chosen"
    assert await credits_of(office.running) == 0
    await office.running.run(
        "UPDATE organizations SET credit_limit = 3 WHERE id = :id", id=office.running.organization_id
    )
    assert (await visitor.send(str(page.url.path), name="1", identifier="0")).status_code == 303


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "File is empty"),
        (b"name\n", "no rows"),
        (b"PK\x03\x04\x00\x00", "damaged"),
        (b"%PDF-1.7\n", "PDF document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old Excel file"),
        (b"name\n" + b"x\n" * 100_001, "more than 100,000 rows"),
        (b"name\n" + b"x" * (50 * 1024 * 1024 + 1), "may have 50 MiB"),
    ],
)
async def test_a_file_that_is_no_table_of_products_is_refused(office: Office, content: bytes, said: str) -> None:
    visitor = await office.signed_in()
    assert (await upload(visitor, content)).status_code == 422
    assert said in visitor.text
    assert (
        await office.running.rows(
            "SELECT id FROM uploads WHERE organization_id = :id", id=office.running.organization_id
        )
        == []
    )


async def test_what_was_recognised_is_shown_and_the_same_twice_is_told(office: Office) -> None:
    visitor = await office.signed_in()
    assert (await upload(visitor, GERMAN)).status_code == 303
    page = await visitor.follow()
    chosen = re.findall(r'<select id="(\w+)"|<option value="(\d+)" selected', page.text)
    assert [name or place for name, place in chosen] == [
        *("name", "2", "description", "3", "identifier", "1", "country_of_origin", "4", "language", "entry_date"),
        "attributes",
    ]
    assert "Küchenmesser" in visitor.text
    assert "Row 3 has the same identifier as row 2." in visitor.text
    assert "1 row repeats another." in visitor.text
    assert "name is needed (column C, Bezeichnung)" in visitor.text
    assert "returned with the results: Lager" in visitor.text
    assert await credits_of(office.running) == 0


async def test_a_row_that_repeats_another_in_two_ways_is_one(office: Office) -> None:
    visitor = await office.signed_in()
    await upload(visitor, b"name,sku\nMug,1\nMug,1\n")
    await visitor.follow()
    assert visitor.text.count("Row 3 has the same") == 2
    assert "1 row repeats another." in visitor.text


async def test_another_column_can_be_chosen_and_is_what_is_sent(office: Office) -> None:
    visitor = await office.signed_in()
    await upload(visitor, "Nr;Nazwa;Uwagi\n1;Buty;skóra\n2;Stół;dąb\n".encode())
    page = await visitor.follow()
    assert "No column was recognised as the names" in visitor.text
    assert "data-once" not in page.text, "nothing can be sent yet"
    assert "name is needed" not in visitor.text, "not every row is at fault"
    address = str(page.url.path)
    assert (await visitor.send(address)).status_code == 422
    page = await visitor.open(f"{address}?name=1&description=2&identifier=0&country_of_origin=")
    assert "Buty" in visitor.text
    fields = dict(re.findall(r'<input type="hidden" name="(name|description|identifier)" value="(\d*)"', page.text))
    assert fields == {"name": "1", "description": "2", "identifier": "0"}
    assert (await visitor.send(address, **fields)).status_code == 303
    query = "SELECT name, description, identifier FROM products WHERE organization_id = :id ORDER BY id"
    sent = await office.running.rows(query, id=office.running.organization_id)
    assert [tuple(row.values()) for row in map(dict, sent)] == [("Buty", "skóra", "1"), ("Stół", "dąb", "2")]


@pytest.mark.parametrize("asked", ["name=99", "name=-1", "name=x", "name=%00", "name=1e9", "name=", "description=0"])
async def test_a_column_that_is_none_is_no_fault(office: Office, asked: str) -> None:
    visitor = await office.signed_in()
    await upload(visitor, b"name\nshirt\n")
    page = await visitor.follow()
    assert (await visitor.open(f"{page.url.path}?{asked}")).status_code == 200
    assert "Choose it" in visitor.text


async def test_the_results_are_the_file_with_the_answers_behind_its_own_columns(office: Office) -> None:
    visitor = await office.signed_in()
    await upload(visitor, GERMAN, name="Preisliste.csv", schedules=("US-HTS", "EU-CN"))
    address = str((await visitor.follow()).url.path)
    await visitor.send(address)
    early = await visitor.open(f"{address}/results.csv")
    assert "is not finished yet" in early.content.decode("utf-8-sig")
    await office.running.work()
    answer = await visitor.open(f"{address}/results.csv")
    assert 'filename="Preisliste-results.csv"' in answer.headers["Content-Disposition"]
    header, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""), delimiter=";")
    assert header[:5] == ["Lager", "Artikelnummer", "Bezeichnung", "Beschreibung", "Ursprungsland"]
    assert header[5:10] == [
        f"US-HTS {title}" for title in ("final_code", "final_description", "decided_by", "code", "description")
    ]
    assert "EU-CN code" in header
    assert [row[:2] for row in rows] == [["A-1", "007"], ["'=1+1", "007"], ["A-3", ""]]
    query = """SELECT schedule, tariff_line AS code FROM classifications
                WHERE organization_id = :id AND product_name = 'Küchenmesser'"""
    stored = {
        row["schedule"]: row["code"] for row in await office.running.rows(query, id=office.running.organization_id)
    }
    found = {name: rows[0][header.index(f"{name} code")].replace(".", "") for name in stored}
    assert found == {name: code or "" for name, code in stored.items()}
    assert "name is needed" in rows[2][header.index("US-HTS error")]


async def test_the_results_of_a_workbook_keep_every_zero(office: Office) -> None:
    visitor = await office.signed_in()
    content = workbook(["SKU", "Name"], ["00815", "men's cotton t-shirt"], [4006381333931, "coffee"])
    await upload(visitor, content, name="goods.xlsx")
    address = str((await visitor.follow()).url.path)
    await visitor.send(address)
    await office.running.work()
    answer = await visitor.open(f"{address}/results.xlsx")
    header, first, second = openpyxl.load_workbook(io.BytesIO(answer.content)).worksheets[0].iter_rows(values_only=True)
    assert header[:4] == ("SKU", "Name", "final_code", "final_description")
    assert first[0] == "00815"
    assert re.fullmatch(r"6109\.10\.\d\d\.?\d\d", str(first[2]))
    assert second[:2] == ("4006381333931", "coffee")


OLD = (
    '{"kind": "csv", "delimiter": ";", "marked": false}\n[1, 1, "sku", "name"]\n'
    '[2, 2, "1", "shirt"]\n[3, 3, "2", ""]\n[4, 4, "3", "cup"]'
)
"""An upload as the version before kept it: all rows in one text."""


async def test_what_a_version_before_kept_is_still_read_sent_and_given_back(office: Office) -> None:
    visitor = await office.signed_in()
    for sent in (False, True):
        await upload(visitor, b"sku;name\n1;shirt\n2;\n3;cup\n")
        address = str((await visitor.follow()).url.path)
        if sent:
            assert (await visitor.send(address)).status_code == 303
        await office.running.run(
            """UPDATE uploads SET content = :old, rows = NULL, good = NULL, width = NULL,
                      sent = CASE WHEN :sent THEN '{2,4}'::integer[] END,
                      batch_ids = coalesce((SELECT array_agg(batch_id) FROM upload_parts WHERE upload_id = :id
                                            AND batch_id IS NOT NULL), '{}')
                WHERE id = :id""",
            id=address.rpartition("/")[2],
            old=OLD,
            sent=sent,
        )
        await office.running.run("DELETE FROM upload_parts WHERE upload_id = :id", id=address.rpartition("/")[2])
        await visitor.open(address)
        assert "shirt" in visitor.text
        if not sent:
            assert (await visitor.send(address)).status_code == 303
        await office.running.work()
        answer = await visitor.open(f"{address}/results.csv")
        header, *rows = csv.reader(io.StringIO(answer.content.decode(), newline=""), delimiter=";")
        assert [row[:2] for row in rows] == [["1", "shirt"], ["2", ""], ["3", "cup"]]
        codes = [row[header.index("code")] for row in rows]
        assert codes[0], rows
        assert codes[1] == ""
        assert "name is needed" in rows[1][header.index("error")]


async def test_what_the_first_version_submitted_is_given_back_without_its_columns(office: Office) -> None:
    visitor = await office.signed_in()
    await upload(visitor, b"name\nshirt\n")
    address = str((await visitor.follow()).url.path)
    await visitor.send(address)
    await office.running.run(
        """UPDATE uploads SET content = '', rows = NULL, good = NULL,
                  batch_ids = (SELECT array_agg(batch_id) FROM upload_parts WHERE upload_id = :id) WHERE id = :id""",
        id=address.rpartition("/")[2],
    )
    await office.running.run("DELETE FROM upload_parts WHERE upload_id = :id", id=address.rpartition("/")[2])
    for ending in ("csv", "xlsx"):
        assert (await visitor.open(f"{address}/results.{ending}")).status_code == 200
