"""What must hold across processes: one product for fifty requests, a hundred requests a minute and not one more.

The trap: a lock or a counter that lives in one process; here four answer for the same key."""

import asyncio
import itertools

import httpx2
import pytest

from deployment import Customer, Deployment
from pcs.base.tenancy import Environment

CLASSIFY = "/api/v1/products/classify"
GOOD = {"product": {"name": "Cotton T-shirt"}, "schedules": ["US-HTS", "EU-CN"]}
UNKNOWN = "/api/v1/classifications/clf_01jx0000000000000000000000"


@pytest.fixture(scope="module")
async def four(deployment: Deployment) -> list[str]:
    """The addresses of four processes of the live API."""
    urls = [deployment.live_url, *(deployment.serve(Environment.LIVE) for _ in range(3))]
    await deployment.until_ready(*urls)
    return urls


def clients(urls: list[str], token: str) -> list[httpx2.AsyncClient]:
    headers = {"Authorization": f"Bearer {token}"}
    return [httpx2.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=60) for url in urls]


async def test_fifty_identical_requests_at_once_over_four_processes_create_one_product(
    customer: Customer, deployment: Deployment, four: list[str]
) -> None:
    everywhere = clients(four, await deployment.key(customer.id))
    headers = {"Idempotency-Key": "order 4711"}
    turns = itertools.islice(itertools.cycle(everywhere), 50)
    answers = await asyncio.gather(*(client.post(CLASSIFY, json=GOOD, headers=headers) for client in turns))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in answers) == 1
    assert await deployment.count("products", customer.id) == 1
    assert await deployment.count("credit_entries", customer.id) == 2
    for client in everywhere:
        await client.aclose()


async def test_a_thousand_requests_with_one_key_over_four_processes_pass_exactly_a_hundred(
    customer: Customer, deployment: Deployment, four: list[str]
) -> None:
    everywhere = clients(four, await deployment.key(customer.id, rate_limit=None))
    room = asyncio.Semaphore(40)

    async def ask(client: httpx2.AsyncClient) -> httpx2.Response:
        async with room:
            return await client.get(UNKNOWN)

    turns = itertools.islice(itertools.cycle(everywhere), 1000)
    answers = await asyncio.gather(*(ask(client) for client in turns))
    statuses = [answer.status_code for answer in answers]
    assert (statuses.count(404), statuses.count(429)) == (100, 900)
    passed = sorted(int(answer.headers["X-RateLimit-Remaining"]) for answer in answers if answer.status_code == 404)
    assert passed == list(range(100))
    assert len({answer.headers["X-RateLimit-Reset"] for answer in answers}) == 1
    for client in everywhere:
        await client.aclose()


async def test_a_key_revoked_is_rejected_by_every_process_at_once(
    customer: Customer, deployment: Deployment, four: list[str]
) -> None:
    everywhere = clients(four, await deployment.key(customer.id))
    assert {(await client.get(UNKNOWN)).status_code for client in everywhere} == {404}
    await deployment.run("UPDATE api_keys SET revoked_at = now() WHERE organization_id = :id", id=customer.id)
    assert {(await client.get(UNKNOWN)).status_code for client in everywhere} == {401}
    for client in everywhere:
        await client.aclose()
