"""A file over the API: accepted once, sent part by part, and given back with its answers, whatever happens between."""

import asyncio
import csv
import io
import json
from typing import Any

import httpx2
import openpyxl
import pytest

from builders import ServiceUnderTest, client
from pcs.base.tenancy import Environment
from pcs.organizations import limits
from pcs.organizations.model import READ_ONLY
from pcs.organizations.people import Actor
from pcs.uploads import reading
from pcs.uploads import service as uploads
from pcs.uploads.model import LIMITS

GOODS = "SKU;Bezeichnung;Land\n1;T-Shirt aus Baumwolle;BD\n2;;IT\n3;Becher;Atlantis\n4;Becher aus Porzellan;DE\n"


async def send(
    running: ServiceUnderTest,
    content: str | bytes,
    *,
    name: str = "goods.csv",
    key: str | None = None,
    api: httpx2.AsyncClient | None = None,
    **fields: str,
) -> httpx2.Response:
    files = {"file": (name, content.encode() if isinstance(content, str) else content, "text/csv")}
    headers = {"Idempotency-Key": key} if key else {}
    data = {"schedules": "US-HTS", **fields}
    return await (api or running.live).post("/api/v1/uploads", files=files, data=data, headers=headers)


def many(number: int) -> str:
    return "name,sku\n" + "".join(f"mug {place},{place}\n" for place in range(number))


async def result(running: ServiceUnderTest, upload: Any) -> list[dict[str, str]]:
    response = await running.live.get(upload["result_url"])
    assert response.status_code == 200, response.text
    dialect = ";" if ";" in response.text.partition("\n")[0] else ","
    return list(csv.DictReader(io.StringIO(response.text, newline=""), delimiter=dialect))


async def spent(running: ServiceUnderTest) -> int:
    return int((await running.live.get("/api/v1/usage")).json()["credits_consumed_in_all"])


async def cover(running: ServiceUnderTest, limit: int | None) -> None:
    actor = Actor(running.organization_id, None, "an operator", "")
    async with running.service.database.begin() as transaction:
        await limits.set_credit_limit(transaction, actor, limit, now=running.clock())


async def test_bad_rows_are_named_and_the_rest_comes_back_behind_its_own_columns(running: ServiceUnderTest) -> None:
    accepted = await send(running, GOODS, schedules="US-HTS,EU-CN")
    assert accepted.status_code == 202, accepted.text
    upload = accepted.json()
    assert upload["columns"] == {"name": "Bezeichnung", "identifier": "SKU", "country_of_origin": "Land"}
    assert (upload["rows"], upload["accepted"], upload["left_out"]) == (4, 2, 2)
    assert [one["row"] for one in upload["problems"]] == [3, 4]
    assert upload["problems"][0]["message"] == "name is needed (column B, Bezeichnung)"
    assert "(column C, Land)" in upload["problems"][1]["message"]
    assert upload["summary"] == {"total": 4, "completed": 0, "failed": 0, "pending": 4}
    assert await spent(running) == 4
    await running.work()
    done = (await running.live.get(upload["poll_url"])).json()
    assert (done["status"], done["summary"]["pending"]) == ("completed", 0)
    rows = await result(running, upload)
    assert [row["SKU"] for row in rows] == ["1", "2", "3", "4"]
    assert list(rows[0])[:3] == ["SKU", "Bezeichnung", "Land"]
    assert rows[0]["US-HTS code"].startswith("6109")
    assert rows[0]["EU-CN code"].startswith("6109")
    assert rows[1]["US-HTS error"] == "name is needed (column B, Bezeichnung)"
    workbook = await running.live.get(f"{upload['result_url']}?format=xlsx")
    header, *cells = openpyxl.load_workbook(io.BytesIO(workbook.content)).worksheets[0].iter_rows(values_only=True)
    assert header[:4] == ("SKU", "Bezeichnung", "Land", "US-HTS final_code")
    assert len(cells) == 4


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of ten rows, one of them sent with the answer."""
    monkeypatch.setattr(reading, "PART", 10)
    monkeypatch.setattr(uploads, "_AT_ONCE", 1)


@pytest.mark.usefixtures("small_parts")
async def test_a_large_file_is_sent_part_by_part_to_its_end(
    running: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_MORE", 1)
    monkeypatch.setattr(uploads, "_MOST_WAITING", 5)
    upload = (await send(running, many(23), schedules="US-HTS")).json()
    assert (upload["accepted"], upload["summary"]["total"]) == (23, 23)
    assert await spent(running) == 10, "the first part was sent with the answer"
    assert (await result(running, upload))[22]["error"] == "is not sent yet"
    for _ in range(3):
        await running.work()
        running.clock.turn(seconds=2)
    done = (await running.live.get(upload["poll_url"])).json()
    assert done["summary"] == {"total": 23, "completed": 23, "failed": 0, "pending": 0}
    assert await spent(running) == 23
    rows = await result(running, upload)
    assert [row["sku"] for row in rows] == [str(place) for place in range(23)]
    assert all(row["code"] for row in rows)
    sizes = await running.rows(
        "SELECT total FROM batches WHERE organization_id = :id ORDER BY id", id=running.organization_id
    )
    assert [one["total"] for one in sizes] == [10, 10, 3]


@pytest.mark.usefixtures("small_parts")
async def test_a_job_that_runs_twice_sends_each_row_once(running: ServiceUnderTest) -> None:
    upload = (await send(running, many(25))).json()

    async def more() -> None:
        async with running.service.database.begin() as transaction:
            await uploads.send_more(transaction, upload["upload_id"], now=running.clock())

    await asyncio.gather(more(), more(), more())
    assert await spent(running) == 25
    names = await running.rows(
        "SELECT count(DISTINCT name) AS names FROM products WHERE organization_id = :id", id=running.organization_id
    )
    assert names == [{"names": 25}]


@pytest.mark.usefixtures("small_parts")
async def test_a_crash_between_parts_loses_nothing_and_repeats_nothing(running: ServiceUnderTest) -> None:
    upload = (await send(running, many(13))).json()

    async def dies() -> None:
        async with running.service.database.begin() as transaction:
            await uploads.send_more(transaction, upload["upload_id"], now=running.clock())
            raise ConnectionAbortedError  # with the rows stored and nothing committed

    with pytest.raises(ConnectionAbortedError):
        await dies()
    assert await spent(running) == 10
    await running.work()
    assert (await running.live.get(upload["poll_url"])).json()["summary"]["completed"] == 13
    assert await spent(running) == 13


async def test_the_same_file_with_the_same_key_is_one_upload(running: ServiceUnderTest) -> None:
    first = await send(running, GOODS, key="catalogue-1")
    again = await send(running, GOODS, key="catalogue-1")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json() == first.json()
    longer = send(running, f"{GOODS}5;Tasse;DE\n", key="catalogue-1")
    for other in (longer, send(running, GOODS, key="catalogue-1", schedules="EU-CN")):
        assert (await other).status_code == 422
    assert await spent(running) == 2
    both = await asyncio.gather(*(send(running, GOODS, key="catalogue-2") for _ in range(2)))
    assert len({one.json()["upload_id"] for one in both}) == 1
    assert await spent(running) == 4
    kept = await running.rows("SELECT id FROM uploads WHERE organization_id = :id", id=running.organization_id)
    assert len(kept) == 2


async def test_columns_are_named_by_their_titles(running: ServiceUnderTest) -> None:
    table = "Nr;Nazwa;Name\n1;Buty;x\n"
    chosen = await send(running, table, columns=json.dumps({"name": "Nazwa", "identifier": "Nr"}))
    assert chosen.json()["columns"] == {"name": "Nazwa", "identifier": "Nr"}
    product = (await running.live.get("/api/v1/products")).json()["data"][0]
    assert (product["name"], product["identifier"]) == ("Buty", "1")
    for wrong, said in (
        ('{"name": "Nope"}', "names the column Nope: the file has Nr, Nazwa, Name"),
        ('{"colour": "Nr"}', "names the field colour"),
        ('{"name": 1}', "must be a JSON object of texts"),
        ("[", "must be a JSON object of texts"),
        ('{"name": ""}', "has no column that is called"),
    ):
        refused = await send(running, table, columns=wrong)
        assert refused.status_code == 400, refused.text
        assert said in refused.json()["error"]["details"][0]["message"]


async def test_json_lines_are_read_with_their_attributes(running: ServiceUnderTest) -> None:
    lines = [{"name": "Shoe", "attributes": {"outer material": "leather"}}, {"name": "Mug", "sku": "7"}, {"sku": "8"}]
    sent = await send(running, "\n".join(map(json.dumps, lines)), name="goods.jsonl")
    assert (sent.json()["accepted"], sent.json()["left_out"]) == (2, 1)
    shoe = (await running.live.get("/api/v1/products")).json()["data"][-1]
    assert shoe["attributes"] == {"outer material": "leather"}
    await running.work()
    rows = await result(running, sent.json())
    assert json.loads(rows[0]["attributes"]) == {"outer material": "leather"}
    assert rows[2]["error"].startswith("name is needed")


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("", "goods.csv", "is empty"),
        ("name\n", "goods.csv", "no rows"),
        ("SKU;Was\n1;2\n", "goods.csv", "has no column that is called `name`"),
        ("name\n" + " \n,\n" + '""\n' + "name,\n" * 0 + "x" * 501 + "\n", "goods.csv", "has no row that can be sent"),
        (b"%PDF-1.7\n", "goods.csv", "is a PDF document"),
        ("name\nmug\n", "x" * 256, "more than 255 characters"),
        ("[1]\n", "goods.jsonl", "each line must be an object"),
    ],
)
async def test_a_file_that_cannot_be_used_is_refused_in_words_and_leaves_nothing(
    running: ServiceUnderTest, content: str | bytes, name: str, said: str
) -> None:
    refused = await send(running, content, name=name)
    assert refused.status_code == 400, refused.text
    assert said in refused.json()["error"]["details"][0]["message"]
    assert await running.rows("SELECT id FROM uploads WHERE organization_id = :id", id=running.organization_id) == []


async def test_what_is_no_upload_is_refused_in_words(running: ServiceUnderTest) -> None:
    missing = await running.live.post("/api/v1/uploads", data={"schedules": "US-HTS"}, files={"other": b"x"})
    said = "is required: a file, in a part of its own"
    assert missing.json()["error"]["details"] == [{"field": "file", "message": said}]
    text = await running.live.post("/api/v1/uploads", json={"schedules": ["US-HTS"]})
    assert text.status_code == 415
    assert "multipart/form-data" in text.json()["error"]["message"]
    assert (await send(running, GOODS, schedules="US-HTS,nowhere")).status_code == 400
    assert (await send(running, GOODS, schedules="")).status_code == 400
    reader = client(running.service, Environment.LIVE, await running.key(scopes=READ_ONLY))
    assert (await send(running, GOODS, api=reader)).status_code == 403
    await reader.aclose()
    for nothing in ("upload_none", "upload_01jx0000000000000000000000"):
        assert (await running.live.get(f"/api/v1/uploads/{nothing}")).status_code == 404
        assert (await running.live.get(f"/api/v1/uploads/{nothing}/result")).status_code == 404


async def test_a_file_that_is_too_large_is_refused_while_it_is_sent(running: ServiceUnderTest) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname\n'
    taken = 0

    async def endless() -> Any:
        nonlocal taken
        yield head
        while True:
            taken += 1
            yield b"mug\n" * 262_144

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    refused = await running.live.post("/api/v1/uploads", content=endless(), headers=headers)
    assert refused.status_code == 413, refused.text
    assert taken <= LIMITS.bytes // 1024**2 + 4


async def test_credits_that_do_not_cover_a_file_refuse_all_of_it(running: ServiceUnderTest) -> None:
    await cover(running, 3)
    assert (await send(running, GOODS, schedules="US-HTS,EU-CN")).status_code == 402
    assert await spent(running) == 0
    assert (await send(running, GOODS)).status_code == 202


@pytest.mark.usefixtures("small_parts")
async def test_credits_that_run_out_meanwhile_stop_the_rest_and_say_so(running: ServiceUnderTest) -> None:
    upload = (await send(running, many(25))).json()
    await cover(running, 12)
    await running.work()
    stopped = (await running.live.get(upload["poll_url"])).json()
    assert "limit of 12 credits" in stopped["stopped"]
    assert (stopped["status"], stopped["summary"]["completed"]) == ("completed", 10)
    rows = await result(running, upload)
    assert rows[9]["code"]
    assert rows[10]["error"].startswith("was not sent: The organization's limit")


async def test_what_nobody_submitted_in_the_dashboard_is_no_upload_here(running: ServiceUnderTest) -> None:
    upload = (await send(running, GOODS)).json()
    await running.run("UPDATE uploads SET submitted_at = NULL WHERE id = :id", id=upload["upload_id"])
    assert (await running.live.get(upload["poll_url"])).status_code == 404


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("asked", [{"params": {"wait": 30}}, {"headers": {"Prefer": "wait=30"}}])
async def test_a_file_is_waited_for_to_its_last_part(running: ServiceUnderTest, asked: Any) -> None:
    upload = (await send(running, many(13))).json()
    assert upload["summary"]["pending"] == 13, "ten are sent with the answer, three by a job"
    async with asyncio.timeout(10):
        waiting = asyncio.create_task(running.live.get(upload["poll_url"], **asked))
        await running.run("UPDATE batches SET unfinished = 0")  # what was sent is final, and the rest is not sent
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await running.run("UPDATE batches SET unfinished = 10")
        await running.work()
        done = await waiting
        again = await running.live.get(upload["poll_url"], **asked)
    assert done.json()["summary"] == {"total": 13, "completed": 13, "failed": 0, "pending": 0}
    assert done.headers.get("Preference-Applied") == ("wait=30" if "headers" in asked else None)
    assert again.json()["status"] == "completed"


@pytest.mark.usefixtures("small_parts")
async def test_a_stopped_file_is_waited_for_no_longer_than_what_was_sent(running: ServiceUnderTest) -> None:
    upload = (await send(running, many(13))).json()
    await cover(running, 10)
    async with asyncio.timeout(10):
        await running.work()
        done = (await running.live.get(upload["poll_url"], params={"wait": 30})).json()
    assert (done["status"], done["summary"]["total"]) == ("completed", 10)
    assert done["stopped"]
