"""The confidence below which an organization's answers need review: its own, from then on, and written down."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from builders import ServiceUnderTest, build_service_under_test
from dashboard.visitor import Office
from pcs.base.errors import InvalidRequestError
from pcs.organizations import service as organizations
from pcs.organizations.model import Organization, Role
from pcs.organizations.people import Actor

PATH = "/dashboard/live/settings/organization"


@pytest.fixture
async def neighbour(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


async def answered(running: ServiceUnderTest) -> Any:
    """A new result; the tests' engine gives all of it, and its heading, a confidence of 0.9."""
    accepted = await running.classify()
    await running.work()
    return accepted, (await running.poll(accepted))["result"]


async def set_to(running: ServiceUnderTest, threshold: float | None) -> Organization:
    async with running.service.database.begin() as transaction:
        who = Actor(running.organization_id, None, "a test", "")
        return await organizations.set_review_below(transaction, who, threshold, now=running.clock())


async def test_the_threshold_holds_for_its_organization_from_then_on(
    running: ServiceUnderTest, neighbour: ServiceUnderTest
) -> None:
    earlier, before = await answered(running)
    assert (before["needs_review"], before["confident_digits"]) == (False, 4)
    await set_to(running, 0.95)
    _, result = await answered(running)
    assert (result["needs_review"], result["confident_digits"]) == (True, 0)
    assert (await running.poll(earlier))["result"] == before, "what is stored keeps what it was"
    _, theirs = await answered(neighbour)
    assert not theirs["needs_review"]
    asked = [(await each.live.get("/api/v1/me")).json() for each in (running, neighbour)]
    assert [each["organization"]["review_below"] for each in asked] == [0.95, 0.5]
    await set_to(running, None)
    assert not (await answered(running))[1]["needs_review"]


async def test_an_answer_at_the_threshold_needs_no_review(running: ServiceUnderTest) -> None:
    await set_to(running, 0.9)
    assert not (await answered(running))[1]["needs_review"]


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan")])
async def test_what_is_no_probability_is_refused(running: ServiceUnderTest, threshold: float) -> None:
    with pytest.raises(InvalidRequestError):
        await set_to(running, threshold)


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
async def test_owners_and_admins_set_it_and_it_is_written_down(running: ServiceUnderTest, role: Role) -> None:
    office = Office(running)
    visitor = await office.signed_in(role)
    await visitor.open(PATH)
    assert (await visitor.send(PATH, review_below="62,5 %")).status_code == 303, visitor.text
    assert 'value="62.5"' in (await visitor.follow()).text
    [stored] = await running.rows("SELECT review_below FROM organizations WHERE id = :id", id=running.organization_id)
    assert stored == {"review_below": 0.625}
    assert (await visitor.send(PATH, review_below="")).status_code == 303
    query = (
        "SELECT action, detail FROM audit_entries WHERE organization_id = :id AND action LIKE '%threshold%' ORDER BY id"
    )
    told = await running.rows(query, id=running.organization_id)
    assert [one["detail"] for one in told] == ["from 50% to 62.5%", "from 62.5% to 50%"]
    await office.close()


@pytest.mark.parametrize("written", ["101", "-1", "nan", "half", "1e9"])
async def test_a_percentage_that_is_none_is_refused_in_its_field(running: ServiceUnderTest, written: str) -> None:
    office = Office(running)
    visitor = await office.signed_in()
    await visitor.open(PATH)
    assert (await visitor.send(PATH, review_below=written)).status_code == 422
    assert "must be a percentage between 0 and 100" in visitor.text
    [stored] = await running.rows("SELECT review_below FROM organizations WHERE id = :id", id=running.organization_id)
    assert stored == {"review_below": None}
    await office.close()


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
async def test_others_see_it_and_may_not_change_it(running: ServiceUnderTest, role: Role) -> None:
    await set_to(running, 0.7)
    office = Office(running)
    visitor = await office.signed_in(role)
    await visitor.open(PATH)
    assert "lower than 70 %" in visitor.text
    assert 'name="review_below"' not in (visitor.page.text if visitor.page else "")
    assert (await visitor.send(PATH, review_below="10")).status_code == 403
    [stored] = await running.rows("SELECT review_below FROM organizations WHERE id = :id", id=running.organization_id)
    assert stored == {"review_below": 0.7}
    await office.close()
