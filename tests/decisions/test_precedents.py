"""What an organization decides, by a review or in a file, decides its same goods: its own only, while it is kept."""

import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from builders import ServiceUnderTest, build_service_under_test
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.model import Analyse
from pcs.decisions import service as decisions
from pcs.decisions.model import text_key
from pcs.engine.classify import classify
from pcs.engine.decided import Decided, Sameness
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.products.model import ProductFields
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.revision import ScheduleName

NAME = "Brunswick kettle mug"


@pytest.fixture(scope="session")
def methods(tmp_path_factory: pytest.TempPathFactory) -> Methods:
    return Methods(Library(tmp_path_factory.mktemp("nothing-loaded")), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))


@pytest.fixture(scope="session")
def analyse(methods: Methods) -> Analyse:
    """The engine itself, over the starter schedules."""

    def ask(product: Product, schedule: ScheduleName, decided: Sequence[Decided]) -> Determination:
        return classify(product, methods.current(schedule), review_below=0, decided=decided)

    return ask


@pytest.fixture
async def neighbour(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


def line(methods: Methods, heading: str = "7323") -> str:
    lines = methods.current(ScheduleName.EU_CN).lines
    return next(str(one.code) for one in lines if one.code and one.code.startswith(heading))


async def keep(running: ServiceUnderTest, *given: dict[str, Any], live: bool = True) -> Any:
    client = running.live if live else running.sandbox
    body = {"decisions": [{"name": NAME, "schedule": "EU-CN", **one} for one in given]}
    response = await client.post("/api/v1/decisions/bulk", json=body)
    assert response.status_code == 200, response.text
    return response.json()


async def answered(running: ServiceUnderTest, analyse: Analyse, name: str = NAME, **more: str) -> Any:
    body = {"product": {"name": name, **more}, "schedules": ["EU-CN"]}
    accepted = (await running.live.post("/api/v1/products/classify", json=body)).json()
    await running.work(analyse)
    polled = await running.poll(accepted)
    assert polled["status"] == "completed", polled
    return polled


async def listed(running: ServiceUnderTest, **query: str) -> list[Any]:
    found: list[Any] = (await running.live.get("/api/v1/decisions", params=query)).json()["data"]
    return found


async def test_the_same_goods_get_the_code_of_a_file_until_it_is_forgotten(
    running: ServiceUnderTest, analyse: Analyse, methods: Methods
) -> None:
    before = (await answered(running, analyse))["result"]
    code = line(methods)
    assert await keep(running, {"code": code}) == {"added": 1, "changed": 0, "not_in_force": []}
    repeated = await answered(running, analyse, "brunswick  KETTLE mug")
    result, final = repeated["result"], repeated["final"]
    assert before["cn_code"] != code
    assert (result["cn_code"], result["needs_review"]) == (code, False)
    [decided] = await listed(running)
    assert result["decision"] == decided["id"]
    assert (final["code"], final["decided_by"]) == (code, "precedent")
    assert decided["id"] in final["reason"]
    assert (decided["standing"], decided["source"]) == ("in_force", "file")
    assert (await running.live.delete(f"/api/v1/decisions/{decided['id']}")).status_code == 204
    after = (await answered(running, analyse))["result"]
    assert (after["cn_code"], after["precedents"]) == (before["cn_code"], [])
    assert (await running.live.delete(f"/api/v1/decisions/{decided['id']}")).status_code == 404


@pytest.mark.parametrize("said", [{"decision": "accepted"}, {"decision": "corrected", "code": "of steel"}])
async def test_a_review_decides_the_same_goods_until_it_is_taken_back(
    running: ServiceUnderTest, analyse: Analyse, methods: Methods, said: dict[str, str]
) -> None:
    first = await answered(running, analyse)
    if "code" in said:
        said = {**said, "code": line(methods)}
    path = f"/api/v1/classifications/{first['id']}/review"
    assert (await running.live.put(path, json=said)).status_code == 200
    again = (await answered(running, analyse))["result"]
    assert again["cn_code"] == said.get("code", first["result"]["cn_code"])
    [decided] = await listed(running)
    assert (again["decision"], decided["classification_id"]) == (decided["id"], first["id"])
    await running.live.put(path, json={"decision": "rejected", "note": "Another mug"})
    assert await listed(running) == []
    assert (await answered(running, analyse))["result"]["decision"] is None


async def test_goods_near_are_asked_of_their_own_organization_and_environment_alone(
    running: ServiceUnderTest, neighbour: ServiceUnderTest, methods: Methods
) -> None:
    code = line(methods)
    await keep(neighbour, {"code": code})
    await keep(running, {"code": code}, live=False)
    goods = ProductFields(NAME)
    async with running.service.database.begin() as transaction:
        for whose, expected in [
            (Tenant(running.organization_id, Environment.LIVE), 0),
            (Tenant(running.organization_id, Environment.TEST), 1),
            (Tenant(neighbour.organization_id, Environment.LIVE), 1),
            (Tenant(neighbour.organization_id, Environment.TEST), 0),
        ]:
            for asked, sameness in ((goods, Sameness.GOODS), (ProductFields(f"{NAME}, red"), Sameness.OTHER)):
                [found] = await decisions.near(transaction, [(whose, ScheduleName.EU_CN, asked)])
                assert [one.sameness for one in found] == [sameness] * expected, (whose, asked)
            assert await decisions.near(transaction, [(whose, ScheduleName.US_HTS, goods)]) == [()]


async def test_a_contradiction_is_listed_on_both_sides_and_ends_with_either(
    running: ServiceUnderTest, analyse: Analyse, methods: Methods
) -> None:
    one, other = line(methods), line(methods, "6912")
    await keep(running, {"code": one, "identifier": "A"}, {"code": other, "identifier": "B"})
    both = await listed(running, contradicted="true")
    assert {each["product"]["identifier"] for each in both} == {"A", "B"}
    mine = (await answered(running, analyse, identifier="A"))["result"]
    assert (mine["cn_code"], mine["needs_review"]) == (one, False)
    unnamed = (await answered(running, analyse))["result"]
    assert (unnamed["cn_code"] in {one, other}, unnamed["needs_review"]) == (True, True)
    await running.live.delete(f"/api/v1/decisions/{both[0]['id']}")
    assert await listed(running, contradicted="true") == []
    assert len(await listed(running)) == 1


async def test_a_code_that_the_revision_does_not_have_is_kept_shown_and_not_applied(
    running: ServiceUnderTest, analyse: Analyse
) -> None:
    before = (await answered(running, analyse))["result"]
    assert (await keep(running, {"code": "99999999"}))["not_in_force"] == ["99999999"]
    [decided] = await listed(running)
    assert decided["standing"] == "gone"
    result = (await answered(running, analyse))["result"]
    assert (result["cn_code"], result["decision"]) == (before["cn_code"], None)
    [cited] = result["precedents"]
    assert (cited["decision"], cited["standing"], cited["applied"]) == (decided["id"], "gone", False)


async def test_the_same_file_again_changes_nothing_but_its_day(running: ServiceUnderTest, methods: Methods) -> None:
    code = line(methods)
    await keep(running, {"code": code, "identifier": "A"})
    assert await keep(running, {"code": code, "identifier": "A"}) == {"added": 0, "changed": 1, "not_in_force": []}
    assert len(await listed(running, identifier="A")) == 1


async def test_every_code_that_a_schedule_cannot_have_is_named(running: ServiceUnderTest) -> None:
    given = [
        {"name": "Mug", "schedule": "EU-CN", "code": "6912004400"},
        {"name": "x", "schedule": "US-HTS", "code": "69120044"},
    ]
    response = await running.live.post("/api/v1/decisions/bulk", json={"decisions": given})
    told = {one["field"]: one["message"] for one in response.json()["error"]["details"]}
    assert set(told) == {"decisions[0].code", "decisions[1].code"}
    assert told["decisions[0].code"].startswith("must have 8 digits under EU-CN")
    assert await listed(running) == []


def test_goods_with_another_attribute_are_other_goods() -> None:
    plain, wool = ProductFields("Scarf"), ProductFields("Scarf", attributes={"material": "wool"})
    whose = Tenant("org", Environment.LIVE), ScheduleName.EU_CN
    assert text_key(*whose, wool) == text_key(*whose, ProductFields(" SCARF", attributes={"material": "Wool"}))
    assert text_key(*whose, plain) != text_key(*whose, wool)
