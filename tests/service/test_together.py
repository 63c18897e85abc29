"""Classifications that wait are analysed several at once, in the queue's order; what goes wrong is done alone."""

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from deployment import database_of_its_own
from determinations import determine
from pcs.base.settings import Settings
from pcs.base.tasks import ANALYSIS
from pcs.classifications import claims
from pcs.classifications.model import Claim, Outcome
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName
from pcs.worker.classifications import MOST_TOGETHER, Pace
from pcs.worker.threads import FreshThreads
from receiver import Receiver

_TRUTH = """
    SELECT count(*) FILTER (WHERE status = 'completed') AS completed,
           count(*) FILTER (WHERE status = 'failed') AS failed, max(attempt) AS attempts,
           count(DISTINCT completed_at) AS endings,
           (SELECT count(*) FROM events WHERE organization_id = :id AND type LIKE 'classification.%') AS events,
           (SELECT count(*) FROM deliveries WHERE organization_id = :id AND status = 'delivered') AS delivered,
           (SELECT count(*) FROM procrastinate_jobs WHERE queue_name = 'analysis') AS jobs,
           (SELECT count(*) FROM credit_entries WHERE organization_id = :id) AS credits
      FROM classifications WHERE organization_id = :id
"""


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    with database_of_its_own(settings) as own:
        yield own


async def submit(running: ServiceUnderTest, size: int, *, odd: str = "", webhook_url: str | None = None) -> str:
    """A batch of so many under one schedule; the one in its middle has another name."""
    products = [{"name": f"Mug {number}"} for number in range(size)]
    if odd:
        products[size // 2]["name"] = odd
    answer = await running.live.post(
        "/api/v1/classifications/bulk",
        json={"products": products, "schedules": ["EU-CN"], "options": {"webhook_url": webhook_url}},
    )
    assert answer.status_code == 202
    return str(answer.json()["batch_id"])


async def told(running: ServiceUnderTest) -> dict[str, int]:
    [found] = await running.rows(_TRUTH, id=running.organization_id)
    return found


async def test_what_waits_is_analysed_several_at_once_and_each_is_told_of_once(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    batch = await submit(running, 60, webhook_url=receiver.url)
    await running.work()
    truth = await told(running)
    assert (truth["completed"], truth["credits"], truth["attempts"], truth["jobs"]) == (60, 60, 1, 0)
    assert (truth["events"], truth["delivered"]) == (60, 61)
    assert truth["endings"] < 30, "those that end together have ended at one moment"
    subjects = Counter(sent.json["data"].get("id") or sent.json["data"].get("batch_id") for sent in receiver.received)
    assert set(subjects.values()) == {1}
    assert subjects[batch] == 1


async def begin_job(running: ServiceUnderTest, classification_id: str, *, most: int = MOST_TOGETHER) -> list[Claim]:
    """What a worker claims when the queue has given it the job of a classification."""
    begun = "UPDATE procrastinate_jobs SET status = 'doing' WHERE args ->> 'subject' = :id"
    await running.run(begun, id=classification_id)
    async with running.service.database.begin() as transaction:
        return await claims.claim(transaction, classification_id, now=running.clock(), most=most)


async def waiting(running: ServiceUnderTest) -> list[str]:
    query = "SELECT args ->> 'subject' AS id FROM procrastinate_jobs WHERE status = 'todo' ORDER BY priority DESC, id"
    return [row["id"] for row in await running.rows(query)]


async def test_half_of_what_waits_is_taken_from_the_front_whoever_asked_for_it(
    running: ServiceUnderTest, settings: Settings
) -> None:
    other = await build_service_under_test(settings, TurnedClock())
    for each in (running, other):
        await submit(each, 5)
    first, *behind = await waiting(running)
    taken = await begin_job(running, first)
    await other.close()
    assert [one.classification.id for one in taken] == [first, *behind[:4]]
    assert len({one.classification.tenant for one in taken}) == 2
    assert await waiting(running) == behind[4:]
    [only] = await begin_job(running, behind[4], most=1)
    assert only.classification.id == behind[4]


async def test_what_was_begun_before_or_cancelled_is_not_taken_beside_another(running: ServiceUnderTest) -> None:
    await submit(running, 7)
    first, begun, cancelled, *behind = await waiting(running)
    await running.run("UPDATE classifications SET attempt = 1 WHERE id = :id", id=begun)
    assert (await running.live.post(f"/api/v1/classifications/{cancelled}/cancel")).status_code == 200
    taken = await begin_job(running, first)
    assert [one.classification.id for one in taken] == [first, *behind[:2]]
    await running.run("UPDATE procrastinate_jobs SET status = 'doing' WHERE args ->> 'subject' = :id", id=begun)
    [again] = await begin_job(running, begun)
    assert again.attempt == 2


async def test_those_that_are_left_wait_for_whoever_takes_them_alone(running: ServiceUnderTest) -> None:
    await submit(running, 5)
    first, *behind = await waiting(running)
    taken = await begin_job(running, first)
    async with running.service.database.begin() as transaction:
        await claims.leave(transaction, taken[1:])
    assert await waiting(running) == behind
    await running.work()
    assert (await told(running))["completed"] == 4
    assert (await told(running))["attempts"] == 2


async def test_one_that_cannot_be_analysed_takes_no_other_with_it(running: ServiceUnderTest) -> None:
    def stumble(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
        if product.name == "stumbling block":
            raise RuntimeError(product.name)
        return determine(product, schedule)

    await submit(running, 30, odd="stumbling block")
    for _ in range(4):
        await running.work(stumble, queue=ANALYSIS)
        running.clock.turn(minutes=2)
    truth = await told(running)
    assert (truth["completed"], truth["failed"], truth["jobs"]) == (29, 1, 0)
    [failed] = await running.rows("SELECT product_name, error_code FROM classifications WHERE status = 'failed'")
    assert failed == {"product_name": "stumbling block", "error_code": "CLASSIFICATION_ERROR"}
    whole = "SELECT max(attempt) AS attempts FROM classifications WHERE status = 'completed'"
    assert [row["attempts"] for row in await running.rows(whole)] == [2], "once with it, once without"


async def test_one_that_does_not_end_takes_no_other_with_it(running: ServiceUnderTest) -> None:
    release = threading.Event()

    def hang(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
        if product.name == "endless":
            release.wait(30)
        return determine(product, schedule)

    object.__setattr__(running.service.settings, "analysis_limit_seconds", 0.3)
    running.executor = FreshThreads()
    try:
        await submit(running, 20, odd="endless")
        await running.work(hang, queue=ANALYSIS)
    finally:
        object.__setattr__(running.service.settings, "analysis_limit_seconds", 120.0)
        release.set()
    truth = await told(running)
    assert (truth["completed"], truth["failed"], truth["jobs"]) == (19, 1, 0)
    [failed] = await running.rows("SELECT product_name, error_code FROM classifications WHERE status = 'failed'")
    assert failed == {"product_name": "endless", "error_code": "CLASSIFICATION_TIMEOUT"}


def test_as_many_are_taken_as_are_analysed_in_a_moment() -> None:
    pace = Pace()
    assert pace.most == 1, "before anything is known"
    for _ in range(12):
        pace.note([Outcome(processing_time_ms=8)] * 3)
    assert pace.most == 9
    pace.note([Outcome(processing_time_ms=3_000)])
    assert pace.most == 1
    for _ in range(30):
        pace.note([Outcome(processing_time_ms=0)])
    assert pace.most == MOST_TOGETHER
    assert Pace(1).most == 1
