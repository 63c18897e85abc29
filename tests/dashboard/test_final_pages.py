"""What the dashboard shows of a decided code: first, with the machine's beneath; and what leaves in files."""

import csv
import io
import re

from dashboard.visitor import Office, Visitor
from determinations import determine, with_result
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName

BASE = "/dashboard/live"
MENS, PLAIN = "6109.10.00.12", "6109.10.00.04"


def unsure(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that wants everything reviewed."""
    return with_result(determine(product, schedule), needs_review=True)


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition("<main")[2]))


async def decided(visitor: Visitor, one: str, **said: str) -> None:
    await visitor.open(f"{BASE}/classifications/{one}")
    assert (await visitor.send(f"{BASE}/classifications/{one}/review", **said)).status_code == 303


async def test_a_corrected_code_is_the_headline_and_the_machines_stands_beneath(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work()
    one, product = accepted["classifications"][0]["id"], accepted["product_id"]
    await decided(visitor, one, decision="corrected", code=PLAIN, note="Plain white")
    for path in (
        f"classifications/{one}",
        f"classifications/{one}/report",
        f"products/{product}",
        "classifications",
        "",
    ):
        page = words((await visitor.open(f"{BASE}/{path}".rstrip("/"))).text)
        assert PLAIN in page, path
        assert page.index(PLAIN) < page.index(MENS), path
    page = (await visitor.open(f"{BASE}/classifications/{one}")).text
    assert re.findall(r'data-copy="(\d+)"', page) == ["6109100004"]
    assert f"Decided by {visitor_name(page)}" in words(page)


def visitor_name(page: str) -> str:
    """Who is signed in, as the page says."""
    found = re.search(r"Decided by (\S+@\S+),", words(page))
    assert found
    return found[1]


async def test_a_rejected_answer_leaves_no_code_to_copy(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work()
    one = accepted["classifications"][0]["id"]
    await decided(visitor, one, decision="rejected")
    page = (await visitor.open(f"{BASE}/classifications/{one}")).text
    assert "Rejected: no code is decided" in page
    assert re.findall(r'data-copy="(\d+)"', page) == []
    assert "No code" in words((await visitor.open(f"{BASE}/classifications/{one}/report")).text)


async def test_a_search_finds_the_final_code_and_the_machines(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work()
    await decided(visitor, accepted["classifications"][0]["id"], decision="corrected", code=PLAIN)
    for asked in (PLAIN, MENS, "6109"):
        assert "row-link" in (await visitor.open(f"{BASE}/classifications?q={asked}")).text, asked


async def test_files_that_leave_have_the_final_code_first(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/classify")
    file = ("goods.csv", b"name,code\nT-shirt,mine\nUndershirt,mine\nthing,mine\n", "text/csv")
    await visitor.send(f"{BASE}/uploads", files={"file": file}, schedules=["US-HTS"])
    address = str((await visitor.follow()).url.path)
    await visitor.send(address)
    await office.running.work(unsure)
    page = (await visitor.open(f"{BASE}/classifications?sort=oldest")).text
    first = re.findall(r'class="row-link" href="[^"]+/(clf_[^"]+)"', page)[0]
    await decided(visitor, first, decision="corrected", code=PLAIN, note="Plain white")
    rows = list(csv.DictReader(io.StringIO((await visitor.open(f"{address}/results.csv")).text.lstrip("\ufeff"))))
    assert list(rows[0])[:6] == ["name", "code", "final_code", "final_description", "decided_by", "US-HTS code"]
    assert [(row["final_code"], row["decided_by"], row["US-HTS code"]) for row in rows] == [
        (PLAIN, "person", MENS),
        ("", "", MENS),
        ("", "", ""),
    ]
    listed = csv.DictReader(io.StringIO((await visitor.open(f"{BASE}/classifications.csv?sort=oldest")).text))
    assert next((row["final code"], row["decided by"], row["code"]) for row in listed) == (PLAIN, "person", MENS)
