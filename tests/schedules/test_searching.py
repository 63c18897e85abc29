"""One search for all who look in a schedule: the engine's ranking first, then words. The trap: a list in the order of
the codes, where whoever looks for brake pads meets moulds for them first."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from pcs.engine.product import Product
from pcs.engine.searching import likely_places
from pcs.reviewer.candidates import evidence_of
from pcs.reviewer.law import LawOf
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.searching import Searcher
from pcs.tariff.revision import ScheduleName

US, EU = ScheduleName.US_HTS, ScheduleName.EU_CN


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The starter schedules."""
    return Library(tmp_path_factory.mktemp("searched"))


@pytest.fixture(scope="module")
def searcher(library: Library) -> Searcher:
    return Searcher(library, Path(os.environ["PCS_CACHE_DIR"]))


async def codes(searcher: Searcher, name: ScheduleName, words: str) -> list[str]:
    return [str(hit.code) for hit in (await searcher.search(name, words)).hits]


@pytest.mark.parametrize("name", [US, EU])
@pytest.mark.parametrize(
    ("words", "first"),
    [("brake pads", "870830"), ("Bremsbeläge", "870830"), ("laptop", "847130"), ("cotton t-shirt", "610910")],
)
async def test_the_likeliest_place_comes_first_also_where_the_schedule_says_it_in_other_words(
    searcher: Searcher, name: ScheduleName, words: str, first: str
) -> None:
    found = await searcher.search(name, words)
    assert found.hits[0].code == first
    assert found.hits[1].declarable
    assert found.hits[1].code.startswith(first)
    assert found.revision.schedule == name
    assert len({hit.code for hit in found.hits}) == len(found.hits) <= 60


async def test_a_code_finds_what_begins_with_it_in_legal_order(searcher: Searcher) -> None:
    found = await codes(searcher, US, "6109.10")
    assert found[0] == "610910"
    assert found == sorted(found)
    assert all(code.startswith("610910") for code in found)


async def test_words_that_nobody_knows_find_nothing_and_neither_do_none(searcher: Searcher) -> None:
    assert await codes(searcher, US, "zzzz qqqqx") == []
    assert await codes(searcher, US, "   ") == []


async def test_the_reviewer_looks_in_the_same_list(searcher: Searcher, library: Library) -> None:
    method = Methods(library, cache_dir=Path(os.environ["PCS_CACHE_DIR"])).current(US)
    law, _ = evidence_of(Product("Brake pads"), LawOf(library)(US), method)
    assert law.search("brake pads")[0].code == "870830"
    assert likely_places("brake pads", method) == list(searcher.ranked(US)("brake pads"))


async def test_whoever_waits_for_a_search_leaves_the_threads_to_others(searcher: Searcher) -> None:
    waiting = [asyncio.create_task(searcher.in_turn(lambda: time.sleep(0.2))) for _ in range(40)]
    await asyncio.sleep(0.01)
    before = time.monotonic()
    await asyncio.to_thread(time.monotonic)
    assert time.monotonic() - before < 0.5, "all of them at once would fill the threads for over a second"
    for task in waiting[1:]:
        task.cancel()
    await waiting[0]
