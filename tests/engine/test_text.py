"""Words are the same whoever asks, and however many at once: a worker's analyses run in threads."""

import sys
from concurrent.futures import ThreadPoolExecutor

from pcs.engine.text import stem
from pcs.tariff.starter.pack import read_pack

THREADS = 4


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
