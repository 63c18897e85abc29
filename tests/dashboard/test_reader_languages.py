"""The dashboard shows official words in its reader's language, and its markup says which language that is."""

from __future__ import annotations

import re

import pytest

from dashboard.visitor import Office, Visitor
from german_words import EDITION, SAID, SAYS, in_words, load

BASE = "/dashboard/live"
BROWSER = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
TREE = f"{BASE}/schedules/EU-CN"


@pytest.fixture
async def record(office: Office) -> str:
    """The address of a record whose words are loaded in German."""
    load(office.running.service.settings.data_dir)
    accepted = await office.running.classify(schedules=("EU-CN",))
    await office.running.work(in_words)
    return f"{BASE}/classifications/{accepted['classifications'][0]['id']}"


async def german(office: Office) -> Visitor:
    """A member whose browser prefers German."""
    visitor = await office.signed_in()
    visitor.client.headers.update(BROWSER)
    return visitor


def languages(page: str) -> set[tuple[str, str]]:
    """Every text with the language that its own element says it is in."""
    return set(
        re.findall(r'lang="(\w\w)"[^>]*>([^<]+)<', page.replace("\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", ">"))
    )


async def test_the_record_and_the_report_are_in_the_browsers_language(office: Office, record: str) -> None:
    visitor = await german(office)
    for path in (record, f"{record}/report"):
        page = (await visitor.open(path)).text
        assert ("de", SAID) in languages(page), path
        assert ("de", "T-Shirts, gewirkt > andere > aus Wolle") in languages(page)
        assert ("de", "aus Baumwolle") in languages(page)  # a likely subheading
        assert ("en", SAYS) in languages(page)  # beside the reasoning
        assert 'role="img" lang="de"' in page
        assert "It is a T-shirt." in page
        assert '<html lang="en"' in page


async def test_whoever_prefers_no_loaded_language_reads_the_publications_own(office: Office, record: str) -> None:
    visitor = await office.signed_in()
    for wanted in ("", "pl,zz;q=0.5", "en-US,de;q=0.5"):
        visitor.client.headers["Accept-Language"] = wanted
        page = (await visitor.open(record)).text
        assert ("en", SAYS) in languages(page)
        assert "Baumwolle" not in page
        assert "The official words that it speaks of" not in page


async def test_a_choice_of_language_is_remembered_on_every_page(office: Office, record: str) -> None:
    visitor = await german(office)
    page = (await visitor.open(record)).text
    assert re.search(r'<a href="\?language=de" title="German" aria-current="true">', page)
    assert re.search(r'<a href="\?language=en" title="English">', page)
    await visitor.open(f"{record}?language=en")
    assert "Baumwolle" not in (await visitor.open(f"{record}/report")).text
    await visitor.open(f"{TREE}/codes/6109?revision={EDITION}&language=de")
    assert "aus Baumwolle" in (await visitor.open(record)).text
    await visitor.open(f"{record}?language=<b>zz")
    assert "aus Baumwolle" in (await visitor.open(record)).text  # what is no language changes nothing


async def test_the_tree_its_codes_and_its_search_are_in_the_readers_language(office: Office, record: str) -> None:
    assert record
    visitor = await german(office)
    page = (await visitor.open(f"{TREE}?revision={EDITION}")).text
    assert ("de", "Bekleidung") in languages(page)
    assert f"?revision={EDITION}&amp;language=en" in page
    page = (await visitor.open(f"{TREE}/codes/6109?revision={EDITION}")).text
    assert {("de", "T-Shirts, gewirkt"), ("de", "aus Baumwolle"), ("de", "andere")} <= languages(page)
    for words in ("wolle gewirkt", "of wool"):
        page = (await visitor.open(f"{TREE}?revision={EDITION}&q={words}")).text
        assert ("de", "T-Shirts, gewirkt > andere > aus Wolle") in languages(page)
    page = (await visitor.open(f"{TREE}?revision={EDITION}&q=wolle&language=en")).text
    assert ("en", "T-shirts, knitted > Other > Of wool") in languages(page)


async def test_where_one_language_is_loaded_there_is_nothing_to_choose(office: Office) -> None:
    visitor = await german(office)
    assert "Language of the official words" not in (await visitor.open(f"{BASE}/schedules/US-HTS")).text
