"""The organization's decisions in the dashboard: listed with their standing, taken in from a file, forgotten."""

import re

from dashboard.visitor import Office
from pcs.organizations.model import Role

BASE = "/dashboard/live"
FILE = (
    b"identifier,name,code,schedule\n"
    b"SKU-1,Cotton shirt,6109100012,US-HTS\n"
    b"SKU-2,Cotton shirt,6109100040,US-HTS\n"
    b"SKU-3,Leather bag,4202.21.00,EU-CN\n"
    b"SKU-4,Odd thing,99,EU-CN\n"
    b"SKU-5,Gone thing,0000000000,US-HTS\n"
)


async def taken_in(office: Office, role: Role = Role.MEMBER) -> str:
    """The page after a file was taken in."""
    visitor = await office.signed_in(role)
    assert "Nothing is decided yet" in (await visitor.open(f"{BASE}/decisions")).text
    await visitor.send(f"{BASE}/decisions", files={"file": ("decided.csv", FILE, "text/csv")})
    return (await visitor.follow()).text


async def test_a_file_is_taken_in_and_what_was_left_out_is_told_once(office: Office) -> None:
    page = await taken_in(office)
    assert "4 added, 0 changed, 1 left out. 1 has a code that the loaded revision lacks" in page
    assert "the code must have 8 digits under EU-CN" in page
    visitor = office.visitors[-1]
    assert "left out" not in (await visitor.open(f"{BASE}/decisions")).text
    await visitor.send(f"{BASE}/decisions", files={"file": ("decided.csv", FILE, "text/csv")})
    assert "0 added, 4 changed, 1 left out" in (await visitor.follow()).text
    audited = await (await office.signed_in()).open(f"{BASE}/settings/audit")
    assert "4 added, 0 changed" in audited.text


async def test_each_shows_whether_it_stands_and_is_found_by_code_identifier_and_contradiction(office: Office) -> None:
    page = await taken_in(office)
    assert re.findall(r'<th scope="row">([^<]+)<', page) == [
        "Gone thing",
        "Leather bag",
        "Cotton shirt",
        "Cotton shirt",
    ]
    assert page.count("In force") == 3
    assert page.count("Code is gone") == 1
    assert page.count(">Contradicted<") == 2
    for asked, names in (
        ("code=4202.21", ["Leather bag"]),
        ("identifier=SKU-5", ["Gone thing"]),
        ("schedule=EU-CN", ["Leather bag"]),
        ("contradicted=yes", ["Cotton shirt", "Cotton shirt"]),
    ):
        found = await office.visitors[-1].open(f"{BASE}/decisions?{asked}")
        assert re.findall(r'<th scope="row">([^<]+)<', found.text) == names, asked
    assert "No decision is like that" in (await office.visitors[-1].open(f"{BASE}/decisions?code=01")).text
    refused = await office.visitors[-1].open(f"{BASE}/decisions?code=shirt")
    assert (refused.status_code, "must be a code or its first digits" in refused.text) == (422, True)


async def test_one_is_forgotten_and_the_sandbox_has_its_own(office: Office) -> None:
    page = await taken_in(office)
    visitor = office.visitors[-1]
    [forget, *_] = re.findall(rf'action="({BASE}/decisions/dec_[^"]+/forget)"', page)
    await visitor.send(forget)
    after = (await visitor.follow()).text
    assert "Decision forgotten" in after
    assert "Gone thing" not in after
    assert (await visitor.send(forget)).status_code == 404
    assert "Nothing is decided yet" in (await visitor.open("/dashboard/test/decisions")).text


async def test_whoever_only_looks_can_neither_take_in_nor_forget(office: Office) -> None:
    page = await taken_in(office)
    viewer = await office.signed_in(Role.VIEWER)
    seen = await viewer.open(f"{BASE}/decisions")
    assert "Cotton shirt" in seen.text
    assert "Take in a file" not in seen.text
    [forget, *_] = re.findall(rf'action="({BASE}/decisions/dec_[^"]+/forget)"', page)
    refused = await viewer.send(forget)
    assert refused.status_code == 403
    await viewer.open(f"{BASE}/decisions")
    refused = await viewer.send(f"{BASE}/decisions", files={"file": ("decided.csv", FILE, "text/csv")})
    assert refused.status_code == 403


async def test_a_file_without_codes_is_refused_beside_its_field(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/decisions")
    refused = await visitor.send(f"{BASE}/decisions", files={"file": ("a.csv", b"name\nshirt\n", "text/csv")})
    assert refused.status_code == 422
    assert "no column that is called `code`" in refused.text
    assert 'id="file-problem"' in refused.text
    nothing = await visitor.send(f"{BASE}/decisions")
    assert "File is needed" in nothing.text
