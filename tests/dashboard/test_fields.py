"""What people type is kept whole, or refused in words. The trap: a field that cuts what is pasted into it; "China" was
Switzerland once."""

import re
from io import BytesIO
from pathlib import Path

import pytest

import pcs
from builders import ServiceUnderTest
from dashboard.visitor import Office
from pcs.base.countries import COUNTRY_CODES, country, country_name, country_names
from pcs.organizations.model import Role
from pcs.products.tables import read_table
from pcs.uploads.model import LIMITS

BASE = "/dashboard/live"
TEMPLATES = [*Path(pcs.__file__).parent.rglob("templates/*.html")]
WRITTEN = {
    "China": "CN",
    "china ": "CN",
    "Switzerland": "CH",
    "Schweiz": "CH",
    "cn": "CN",
    "CHN": "CN",
    "Deutschland": "DE",
    "Chine": "CN",
    "Países Bajos": "NL",
    "paesi bassi": "NL",
    "Verenigde Staten": "US",
    "U.S.A.": "US",
    "Chiny": "CN",
    "Cote d'Ivoire": "CI",
    "Viet Nam": "VN",
    "Korea, Republic of": "KR",
    "Hong Kong": "HK",
    "Türkei": "TR",
    "TURKEY": "TR",
    "UK": "GB",
}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_field_of_a_page_cuts_what_is_pasted_into_it(template: Path) -> None:
    assert "maxlength" not in template.read_text("utf-8")


@pytest.mark.parametrize(("text", "code"), WRITTEN.items())
def test_a_country_is_known_by_its_code_and_by_what_people_call_it(text: str, code: str) -> None:
    assert country(text) == code


@pytest.mark.parametrize("text", ["Atlantis", "EU", "XX", "Korea", "C", "Chi", "中", "x" * 100_000])
def test_what_is_no_country_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="give its name or its two-letter code"):
        country(text)


def test_every_country_is_found_by_the_name_that_we_show() -> None:
    assert {country(name) for name in country_names()} == COUNTRY_CODES
    assert all(country(country_name(code)) == code for code in COUNTRY_CODES)


@pytest.mark.parametrize("text", ["China", "Schweiz", "Viet Nam"])
async def test_the_form_takes_a_country_s_name_and_shows_what_it_took(office: Office, text: str) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    await visitor.open(f"{BASE}/classify")
    await visitor.send(f"{BASE}/classify", name="Mug", country_of_origin=text, schedules="US-HTS")
    page = await visitor.follow()
    product = str(page.url.path).rpartition("/")[2]
    kept = (await office.running.live.get(f"/api/v1/products/{product}")).json()["country_of_origin"]
    assert kept == country(text)
    assert f"{country_name(kept)} ({kept})" in visitor.text


async def test_the_form_refuses_what_is_no_country_and_keeps_what_was_typed(office: Office) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    await visitor.open(f"{BASE}/classify")
    long = "A knitted shirt. " * 700
    fields = {"name": "Mug", "description": long, "country_of_origin": "Atlantis", "schedules": "US-HTS"}
    answer = await visitor.send(f"{BASE}/classify", **fields)
    assert answer.status_code == 422
    assert "Country of origin is not a country that we know" in visitor.text
    assert "Description must have at most 10,000 characters" in visitor.text
    assert 'value="Atlantis"' in answer.text
    assert long.strip() in answer.text


def test_a_file_may_name_countries_too() -> None:
    [one, other] = read_table(BytesIO(b"name;Ursprung;country\nMug;;China\nCup;;Atlantis\n"), LIMITS).rows()
    assert one.product is not None
    assert one.product.country_of_origin == "CN"
    assert "is not a country that we know" in " ".join(other.problems)


@pytest.mark.parametrize(("text", "told"), [("Bangladesh", "use BD for Bangladesh"), ("Chine", "use CN for China")])
async def test_the_api_tells_the_code_of_a_name(running: ServiceUnderTest, text: str, told: str) -> None:
    body = {"product": {"name": "Mug", "country_of_origin": text}, "schedules": ["US-HTS"]}
    answer = await running.live.post("/api/v1/products/classify", json=body)
    assert answer.status_code == 400
    [detail] = answer.json()["error"]["details"]
    assert detail == {"field": "product.country_of_origin", "message": told}


async def test_classify_again_brings_the_whole_description_back(office: Office) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    long = ("All of cotton, and more. " * 399).strip()
    goods = {"name": "Shirt", "description": long, "identifier": "S-1", "country_of_origin": "BD"}
    accepted = await office.running.classify(product=goods)
    await office.running.work()
    page = await visitor.open(f"{BASE}/classifications/{accepted['classifications'][0]['id']}")
    [again] = re.findall(r'href="([^"]+)">Classify again', page.text)
    page = await visitor.open(again)
    assert long in page.text
    assert 'value="S-1"' in page.text


async def test_a_name_that_is_too_long_is_refused_and_not_cut(office: Office) -> None:
    token, visitor = await office.first_token(), office.visitor()
    await visitor.open(f"/dashboard/welcome?token={token}")
    who = {"token": token, "email": "long@example.com", "name": "Ada", "organization": "Trading"}
    passwords = {"password": "a new long password", "password_again": "a new long password"}
    for field in ("name", "organization"):
        answer = await visitor.send("/dashboard/welcome", **{**who, **passwords, field: "N" * 101})
        assert answer.status_code == 422
        assert f"{field.capitalize()} must have at most 100 characters" in visitor.text


@pytest.mark.parametrize("page", ["classifications", "schedules/US-HTS", "classifications.csv"])
async def test_a_search_that_is_too_long_is_refused_in_words_and_one_that_is_not_is_taken_whole(
    office: Office, page: str
) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    refused = await visitor.open(f"{BASE}/{page}?q={'mug ' * 50}mug")
    assert refused.status_code == 422
    assert "Search must have at most 200 characters." in visitor.text
    assert (await visitor.open(f"{BASE}/{page}?q={'mug ' * 49}mug")).status_code == 200


async def test_every_word_of_a_search_counts(office: Office) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    name = "One two three four five six seven eight nine"
    await office.running.classify(name=name)
    await visitor.open(f"{BASE}/classifications?q={name} nine")
    assert name in visitor.text
    await visitor.open(f"{BASE}/classifications?q={name} ten")
    assert "Nothing found" in visitor.text


async def test_a_file_s_name_is_kept_whole_or_refused_in_words(office: Office) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    for name, taken in ((f"{'p' * 251}.csv", True), (f"{'p' * 252}.csv", False)):
        await visitor.open(f"{BASE}/classify")
        files = {"file": (name, BytesIO(b"name\nMug\n"), "text/csv")}
        await visitor.send(f"{BASE}/uploads", files=files, schedules="US-HTS")
        if taken:
            await visitor.follow()
            assert name in visitor.text
        else:
            assert "has a name of more than 255 characters: rename it" in visitor.text


async def test_an_address_too_long_to_sign_in_with_is_refused_in_words(office: Office) -> None:
    visitor = office.visitor()
    await visitor.sign_in("a" * 250 + "@example.com")
    assert "Email must have at most 254 characters" in visitor.text
