"""Four eyes in the dashboard: a member proposes, another one confirms or sends back, and nobody confirms themselves."""

import pytest

from dashboard.visitor import Office
from pcs.organizations.model import Role
from service.test_final_codes import MENS, unsure

BASE = "/dashboard/live"
SETTINGS = f"{BASE}/settings/organization"


async def proposed(office: Office) -> str:
    """The page of an answer that one member has accepted where two are needed."""
    owner = await office.signed_in()
    await owner.open(SETTINGS)
    assert (await owner.send(f"{SETTINGS}/four-eyes", four_eyes="yes")).status_code == 303
    accepted = await office.running.classify()
    await office.running.work(unsure)
    page = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    await owner.open(page)
    await owner.send(f"{page}/review", decision="accepted", note="Seen")
    await owner.follow()
    assert "Proposed, waits for a second person" in owner.text
    assert ">Confirm<" not in (await owner.open(page)).text
    await owner.send(f"{page}/review", decision="accepted")
    await owner.follow()
    assert "Proposed, waits for a second person" in owner.text
    return page


async def test_a_second_member_confirms_and_both_are_named(office: Office) -> None:
    page = await proposed(office)
    second = await office.signed_in(Role.MEMBER)
    assert page in (await second.open(f"{BASE}/classifications?review=proposed")).text
    assert ">Confirm<" in (await second.open(page)).text
    assert (await second.send(f"{page}/review", decision="accepted", code="")).status_code == 303
    await second.follow()
    assert ", confirmed by " in second.text
    assert MENS in (await second.open(page)).text
    assert "confirmed by" in (await second.open(f"{page}/report")).text
    told = await office.running.rows(
        "SELECT action, detail FROM audit_entries WHERE organization_id = :id ORDER BY id",
        id=office.running.organization_id,
    )
    kept = [one["detail"] for one in told if one["action"] == "reviewed a classification"]
    assert kept[0] == "proposed: accepted: Seen"
    assert kept[-1].startswith("accepted, no code to 6109.10.00.12")
    assert [one["detail"] for one in told if one["action"].startswith("set whether reviews take")] == ["on"]


async def test_a_second_member_sends_back_with_a_reason(office: Office) -> None:
    page = await proposed(office)
    second = await office.signed_in(Role.MEMBER)
    await second.open(page)
    assert (await second.send(f"{page}/review/send-back", reason=" ")).status_code == 422
    assert (await second.send(f"{page}/review/send-back", reason="Which note?")).status_code == 303
    await second.follow()
    assert "Which note?" in second.text
    assert page in (await second.open(f"{BASE}/classifications?review=sent_back")).text
    assert page in (await second.open(f"{BASE}/classifications?review=wanted")).text


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
async def test_only_owners_and_admins_ask_for_four_eyes_and_a_viewer_confirms_nothing(
    office: Office, role: Role
) -> None:
    page = await proposed(office)
    other = await office.signed_in(role)
    await other.open(SETTINGS)
    assert (await other.send(f"{SETTINGS}/four-eyes", four_eyes="no")).status_code == 403
    if role is Role.VIEWER:
        assert ">Confirm<" not in (await other.open(page)).text
        assert (await other.send(f"{page}/review", decision="accepted")).status_code == 403
        await other.open(page)
        assert (await other.send(f"{page}/review/send-back", reason="No")).status_code == 403
