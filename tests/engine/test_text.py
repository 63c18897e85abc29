"""Words are the same whoever asks, and however many at once: a worker's analyses run in threads."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from pcs.engine import text as cleaning
from pcs.engine.text import raw_words, stem
from pcs.tariff.starter.pack import read_pack

THREADS = 4
FORMULAS = (
    "request for a binding ruling|tariff classification|country of origin marking|usmca|nafta|protest|"
    "determination|further review|eligibility|tariff shift|preferential tariff treatment|19 cfr 134.1|"
    "affirmation of|revocation of|status of|applicability of|section 301|ny n30123|hq h12345|hrl 123456|"
    "united states-mexico-canada agreement|free trade agreement|from china|made in hong kong|"
    "produced in the united kingdom or south korea|assembled in sri lanka|from an unspecified country|"
    "manufactured in great britain|t-shirt|s-straps|o ring|u bolt|t joints|c clamps|i-bar"
).split("|")


def test_threads_that_stem_at_once_do_not_disturb_each_other() -> None:
    titles = (heading.title for chapter in read_pack(goods=False) for heading in chapter.headings)
    words = sorted({word for title in titles for word in title.casefold().split() if word.isalpha()})

    def stems(_: int) -> list[str]:
        return [stem.__wrapped__(word) for word in words]

    alone = stems(0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(THREADS) as threads:
            assert list(threads.map(stems, range(THREADS))) == [alone] * THREADS
    finally:
        sys.setswitchinterval(interval)


@given(st.lists(st.sampled_from([*FORMULAS, "a mug", "of china", "iron bar", "for a shirt", ",", "."]), max_size=6))
def test_officers_formulas_are_left_out_wherever_one_stands(said: list[str]) -> None:
    text = " ".join(said)
    cleaned = cleaning._SAID_BY_OFFICERS.sub(" ", cleaning._JOINED.sub(r"\1\2\3", text))  # noqa: SLF001
    assert list(raw_words(text)) == cleaning._WORD.findall(cleaned)  # noqa: SLF001


def test_every_formula_is_one() -> None:
    patterns = (cleaning._SAID_BY_OFFICERS, cleaning._JOINED)  # noqa: SLF001
    assert [said for said in FORMULAS if not any(re.search(pattern, said) for pattern in patterns)] == []
