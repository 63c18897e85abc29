"""The Python client, both of it: against the running service, and against a service that misbehaves as told."""

import asyncio
import inspect
import re
import time
from typing import Any

import httpx2
import pytest

from deployment import Customer, Deployment
from pcs_client import (
    AsyncClient,
    AuthenticationError,
    Client,
    ConflictError,
    ConnectionFailedError,
    Filters,
    InvalidRequestError,
    NotFoundError,
    Policy,
    ProductFields,
    RateLimitError,
    StillRunningError,
    WebhookError,
    read_webhook,
)
from receiver import Receiver

GOODS = ProductFields(name="Cotton T-shirt", identifier="SKU-1", country_of_origin="BD")
QUICK = Policy(first_pause=0.01, polling=((5.0, 0.05),))


def key_of(customer: Customer) -> str:
    return str(customer.live.headers["Authorization"]).removeprefix("Bearer ")


@pytest.fixture
def address(deployment: Deployment) -> str:
    return deployment.live_url


async def test_both_clients_have_the_same_methods_and_arguments() -> None:
    def shape(client: type) -> dict[str, list[str]]:
        methods = {name: one for name, one in vars(client).items() if not name.startswith("_") and callable(one)}
        return {name: list(inspect.signature(one).parameters) for name, one in methods.items()}

    assert shape(Client) == shape(AsyncClient)


async def test_goods_are_classified_and_waited_for_in_one_call(customer: Customer, address: str) -> None:
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        american, european = await pcs.classify_and_wait(GOODS, ["US-HTS", "EU-CN"])
    assert american.result is not None
    assert american.result.code == "6109100012"
    assert european.result is not None
    assert european.result.code == "61091000"
    assert american.product == {"name": "Cotton T-shirt", "identifier": "SKU-1", "country_of_origin": "BD"}


async def test_a_file_is_classified_waited_for_and_given_back(customer: Customer, address: str) -> None:
    table = b"Nr;Was\n1;Cotton T-shirt\n2;\n"
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        for _ in range(2):
            sent = await pcs.classify_file(
                "goods.csv", table, ["US-HTS"], columns={"name": "Was"}, idempotency_key="the same file"
            )
        assert [(one.row, one.message) for one in sent.problems] == [(3, "name is needed (column B, Was)")]
        done = await pcs.wait_for_upload(sent.upload_id)
        assert (done.summary.completed, done.accepted, done.left_out) == (1, 1, 1)
        result = (await pcs.get_upload_result(sent.upload_id)).decode()
        assert result.startswith("Nr;Was;final_code;")
        assert "6109.10.00.12" in result
        assert (await pcs.get_upload_result(sent.upload_id, kind="xlsx")).startswith(b"PK")
        with pytest.raises(InvalidRequestError):
            await pcs.classify_file("goods.csv", b"", ["US-HTS"])
        assert (await pcs.usage())["credits_consumed"] == 1


async def test_the_synchronous_client_does_the_same(customer: Customer, address: str) -> None:
    def work() -> list[str]:
        with Client(address, key_of(customer), policy=QUICK) as pcs:
            product = pcs.create_product(GOODS)
            submitted = pcs.classify_existing(product.id, ["US-HTS"])
            ended = pcs.wait(submitted.classifications[0].id)
            reviewed = pcs.review(ended.id, "corrected", code="6109.10.0004", note="White")
            assert reviewed.review is not None
            found = pcs.get_product(product.id)
            assert [one.id for one in found.classifications] == [ended.id]
            assert pcs.me()["environment"] == "live"
            assert pcs.usage()["credits_consumed"] == 1
            with pytest.raises(ConflictError):
                pcs.cancel(ended.id)
            return [one.id for one in pcs.products("SKU-1")]

    assert len(await asyncio.to_thread(work)) == 1


async def test_lists_are_read_page_by_page(customer: Customer, address: str) -> None:
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        products = [ProductFields(name=f"T-shirt {number}") for number in range(60)]
        batch = await pcs.classify_bulk(products, ["US-HTS", "EU-CN"])
        ended = await pcs.wait_for_batch(batch.batch_id)
        assert ended.summary.completed == 120
        listed = [one.id async for one in pcs.classifications()]
        filtered = [one.id async for one in pcs.classifications(Filters(schedule="EU-CN", batch_id=batch.batch_id))]
    assert listed == [one.id for one in reversed(ended.classifications)]
    assert len(filtered) == 60


async def test_metadata_comes_back_and_finds_what_carries_it(customer: Customer, address: str) -> None:
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        tagged = ProductFields(name="T-shirt", metadata={"order": "4711"})
        [stub] = (await pcs.classify(tagged, ["US-HTS"], metadata={"run": "1"})).classifications
        await pcs.classify(GOODS, ["US-HTS"])
        assert [one.id async for one in pcs.classifications(Filters(metadata={"run": "1"}))] == [stub.id]
        assert [one.metadata async for one in pcs.products(metadata={"order": "4711"})] == [{"order": "4711"}]


async def test_addresses_of_pictures_come_back_with_the_goods(customer: Customer, address: str) -> None:
    pictures = ["https://shop.example.com/4711/front.jpg"]
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        product = await pcs.create_product(ProductFields(name="T-shirt", image_urls=pictures))
        assert product.image_urls == (await pcs.get_product(product.id)).image_urls == pictures


async def test_the_rest_of_the_interface_is_there_too(customer: Customer, address: str) -> None:
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        made = [await pcs.classify_bulk([GOODS], ["US-HTS"]) for _ in range(2)]
        assert [one.batch_id async for one in pcs.batches()] == [one.batch_id for one in reversed(made)]
        assert (await pcs.look_up_code("US-HTS", "6109.10"))["code"] == "610910"
        assert (await pcs.search_schedule("US-HTS", "brake pads"))[0]["code"] == "870830"
        assert await pcs.search_rulings("shirt", code="6109", schedule="US-HTS") == []
        await pcs.set_webhook("https://hooks.example.com/pcs", secret="sesame")
        assert (await pcs.get_webhook()).secret_set
        await pcs.remove_webhook()
        with pytest.raises(NotFoundError):
            await pcs.get_webhook()


async def test_errors_say_what_to_do_about_them(customer: Customer, address: str) -> None:
    async with AsyncClient(address, key_of(customer)) as pcs:
        with pytest.raises(NotFoundError) as missing:
            await pcs.get_classification("clf_unknown")
        assert str(missing.value.request_id).startswith("req_")
        with pytest.raises(InvalidRequestError) as invalid:
            await pcs.classify(ProductFields(name=""), ["US-HTS"])
        assert invalid.value.details[0]["field"] == "product.name"
        assert "product.name" in str(invalid.value)
    async with AsyncClient(address, "svc_live_nonsense") as stranger:
        with pytest.raises(AuthenticationError) as refused:
            await stranger.me()
        assert refused.value.reason == "invalid_api_key"


async def test_a_delivery_of_the_service_is_verified_and_a_forged_one_is_not(
    customer: Customer, address: str, receiver: Receiver
) -> None:
    async with AsyncClient(address, key_of(customer), policy=QUICK) as pcs:
        await pcs.set_webhook(receiver.url, secret="sesame")
        [ended] = await pcs.classify_and_wait(GOODS, ["US-HTS"])
    async with asyncio.timeout(60):
        await receiver.arrived.wait()
    [sent] = receiver.received
    event = read_webhook(sent.headers, sent.body, "sesame")
    assert (event.type, event.data["id"]) == ("classification.completed", ended.id)
    assert event.delivery_id == sent.headers["x-service-delivery-id"]
    forged = [
        (sent.headers, sent.body + b" ", "sesame", None),
        (sent.headers, sent.body, "other", None),
        (sent.headers, sent.body, "sesame", time.time() + 301),
        ({}, sent.body, "sesame", None),
    ]
    for headers, body, secret, now in forged:
        with pytest.raises(WebhookError):
            read_webhook(headers, body, secret, now=now)


def misbehaving(*answers: httpx2.Response | Exception) -> tuple[list[httpx2.Request], httpx2.MockTransport]:
    """A transport that gives the answers one after the other, and the requests that it was sent."""
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        given = answers[min(len(seen), len(answers)) - 1]
        if isinstance(given, Exception):
            raise given
        return given

    return seen, httpx2.MockTransport(answer)


def refusal(status: int, code: str, **headers: str) -> httpx2.Response:
    body = {"error": {"code": code, "message": "told", "request_id": "req_1", "details": []}}
    return httpx2.Response(status, json=body, headers={name.replace("_", "-"): text for name, text in headers.items()})


CREATED: dict[str, Any] = {"id": "product_1", "name": "T-shirt", "created_at": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    "failure",
    [
        refusal(500, "INTERNAL_ERROR"),
        refusal(503, "SERVICE_UNAVAILABLE", Retry_After="0"),
        refusal(429, "RATE_LIMIT_EXCEEDED", Retry_After="0"),
        refusal(409, "IDEMPOTENCY_IN_PROGRESS", Retry_After="0"),
        httpx2.ConnectError("refused"),
        httpx2.Response(502, content=b"<html>"),
    ],
)
async def test_what_passes_is_tried_again_with_the_same_idempotency_key(failure: httpx2.Response | Exception) -> None:
    seen, transport = misbehaving(failure, failure, httpx2.Response(201, json=CREATED))
    async with AsyncClient("http://pcs", "svc_live_x", policy=QUICK, transport=transport) as pcs:
        assert (await pcs.create_product(GOODS)).id == "product_1"
    assert len(seen) == 3
    keys = {request.headers["Idempotency-Key"] for request in seen}
    assert len(keys) == 1
    assert re.fullmatch(r"[0-9a-f-]{36}", keys.pop())


async def test_what_does_not_pass_is_not_tried_again() -> None:
    seen, transport = misbehaving(refusal(409, "CONFLICT"))
    async with AsyncClient("http://pcs", "svc_live_x", policy=QUICK, transport=transport) as pcs:
        with pytest.raises(ConflictError):
            await pcs.cancel("clf_1")
    assert len(seen) == 1


async def test_waiting_ends() -> None:
    seen, transport = misbehaving(refusal(429, "RATE_LIMIT_EXCEEDED", Retry_After="0"))
    async with AsyncClient("http://pcs", "svc_live_x", policy=QUICK, transport=transport) as pcs:
        with pytest.raises(RateLimitError):
            await pcs.me()
    assert len(seen) == QUICK.tries
    _, transport = misbehaving(httpx2.ConnectError("refused"))
    async with AsyncClient("http://pcs", "svc_live_x", policy=QUICK, transport=transport) as pcs:
        with pytest.raises(ConnectionFailedError):
            await pcs.me()


async def test_waiting_asks_no_faster_than_the_service_says() -> None:
    policy = Policy()
    assert policy.pause(1, retry_after=17) == 17
    assert 0.25 <= policy.pause(1, None) <= 0.5
    assert 4 <= policy.pause(5, None) <= 8
    assert policy.pause(50, None) <= 60


async def test_it_polls_in_the_recommended_rhythm() -> None:
    assert list(Policy().polls()) == [5] * 6 + [10] * 9 + [30] * 6  # up to 30, 120 and 300 s


async def test_what_is_not_final_in_time_can_be_waited_for_again() -> None:
    _, transport = misbehaving(httpx2.Response(200, json={"id": "clf_1", "status": "pending", "schedule": "US-HTS"}))
    policy = Policy(polling=((0.1, 0.05),))
    async with AsyncClient("http://pcs", "svc_live_x", policy=policy, transport=transport) as pcs:
        with pytest.raises(StillRunningError):
            await pcs.wait("clf_1")
