"""Official words in the reader's language, where an installation has loaded them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from builders import ServiceUnderTest
from german_words import GERMAN, SAID, SAYS, in_words, load
from pcs.base.languages import preferred


@pytest.fixture
async def german(running: ServiceUnderTest) -> dict[str, Any]:
    """A finished batch of an installation that has the revision in German; how it was accepted."""
    load(running.service.settings.data_dir)
    body = {"products": [{"name": "Cotton T-shirt"}], "schedules": ["EU-CN"]}
    accepted: dict[str, Any] = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work(in_words)
    return accepted


async def test_every_answer_with_a_result_has_its_words_in_the_language_asked_for(
    running: ServiceUnderTest, german: dict[str, Any]
) -> None:
    [one] = german["classifications"]
    paths: dict[str, Callable[[Any], Any]] = {
        one["poll_url"]: lambda body: body["result"],
        german["poll_url"]: lambda body: body["classifications"][0]["result"],
        f"/api/v1/products/{one['product_id']}": lambda body: body["classifications"][0]["result"],
        "/api/v1/classifications": lambda body: body["data"][0]["result"],
    }
    for path, taken in paths.items():
        own = taken((await running.live.get(path)).json())
        assert (own["cn_description"], own["description_language"]) == (SAYS, "en"), path
        for wanted in ("de", "DE", "Deutsch", "German"):
            shown = taken((await running.live.get(path, params={"language": wanted})).json())
            assert (shown["cn_description"], shown["description_language"]) == (SAID, "de"), (path, wanted)
        assert [level["description"] for level in shown["hierarchy"]] == list(GERMAN[:4])
        assert shown["alternatives"][0]["description"] == "T-Shirts, gewirkt > andere > aus Wolle"
        same = ("cn_code", "reasoning", "confidence", "reading", "language", "supporting_rulings", "schedule_revision")
        assert {name: shown[name] for name in same} == {name: own[name] for name in same}
        assert taken((await running.live.get(path)).json()) == own  # nothing was rewritten


async def test_a_language_that_is_not_loaded_is_no_error_and_one_that_there_is_not_is(
    running: ServiceUnderTest, german: dict[str, Any]
) -> None:
    [one] = german["classifications"]
    for path in (one["poll_url"], "/api/v1/schedules/EU-CN/codes/6109?revision=2026-test"):
        body = (await running.live.get(path, params={"language": "pl"})).json()
        assert body.get("result", body)["description_language"] == "en"
    product = f"/api/v1/products/{one['product_id']}"
    report = f"{one['poll_url']}/report"
    code = "/api/v1/schedules/EU-CN/codes/6109"
    for path in (one["poll_url"], german["poll_url"], product, "/api/v1/classifications", report, code):
        for wrong in ("zz", "", "\x00", "de,fr", "d" * 300):
            refused = await running.live.get(path, params={"language": wrong})
            assert refused.status_code == 400, (path, wrong)
            assert refused.json()["error"]["details"][0]["field"] == "language"
        headed = await running.live.get(path, headers={"Accept-Language": "zz;q=x, ,;,*"})
        assert headed.status_code == 200


async def test_only_the_report_asks_which_language_the_browser_prefers(
    running: ServiceUnderTest, german: dict[str, Any]
) -> None:
    path, browser = german["classifications"][0]["poll_url"], {"Accept-Language": "de-AT, en;q=0.5"}
    assert (await running.live.get(path, headers=browser)).json()["result"]["description_language"] == "en"
    report = (await running.live.get(f"{path}/report", headers=browser)).text
    assert '<p lang="de">T-Shirts, gewirkt &gt; aus Baumwolle</p>' in report
    assert '<td lang="de">aus Baumwolle</td>' in report
    assert '<td lang="de">T-Shirts, gewirkt &gt; andere &gt; aus Wolle</td>' in report
    assert "It is a T-shirt." in report
    assert '<span lang="en">T-shirts, knitted &gt; Of cotton</span>' in report  # beside the reasoning
    for asked in ({"headers": {"Accept-Language": "fr"}}, {"params": {"language": "en"}, "headers": browser}):
        english = (await running.live.get(f"{path}/report", **asked)).text  # type: ignore[arg-type]
        assert '<p lang="en">T-shirts, knitted &gt; Of cotton</p>' in english
        assert "Baumwolle" not in english
        assert "The official words that it speaks of" not in english


async def test_a_code_and_what_is_below_it_are_told_in_the_language_asked_for(
    running: ServiceUnderTest, german: dict[str, Any]
) -> None:
    assert german["batch_id"]
    path = "/api/v1/schedules/EU-CN/codes/6109"
    body = (await running.live.get(path, params={"revision": "2026-test", "language": "de"})).json()
    assert (body["text"], body["description"], body["description_language"]) == (GERMAN[1], GERMAN[1], "de")
    assert [step["text"] for step in body["path"]] == list(GERMAN[:2])
    assert [child["text"] for child in body["children"]] == ["aus Baumwolle", "andere"]
    assert not any("text_language" in child for child in body["children"])


async def test_the_schedules_say_in_which_languages_their_words_are_loaded(running: ServiceUnderTest) -> None:
    for schedule in (await running.live.get("/api/v1/schedules")).json()["data"]:
        assert schedule["languages"][0] == "en"


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("", ()),
        ("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", ("de", "en")),
        ("en;q=0.1, FR-be", ("fr", "en")),
        ("de;q=0, fr;q=nonsense, zz, *", ("fr",)),
        (";,;;q=1", ()),
        ("de;q=nan, fr;q=inf", ("fr",)),
    ],
)
def test_what_a_browser_prefers(header: str, wanted: tuple[str, ...]) -> None:
    assert preferred(header) == wanted


async def test_what_was_decided_is_told_in_the_language_asked_for(
    running: ServiceUnderTest, german: dict[str, Any]
) -> None:
    path = german["classifications"][0]["poll_url"]
    for language, words in (("en", SAYS), ("de", SAID)):
        final = (await running.live.get(path, params={"language": language})).json()["final"]
        assert (final["description"], final["description_language"]) == (words, language)
