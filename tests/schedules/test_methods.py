"""The method that answers now: built once, and anew when what it is made of changed."""

import gc
import os
import sys
import threading
import weakref
from pathlib import Path

import pytest

from pcs.engine.method import Method
from pcs.rulings.service import RulingCorpus
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource

EU = ScheduleName.EU_CN


@pytest.fixture(scope="module")
def opened() -> list[str]:
    """Every SQLite file that is opened from now on."""
    files: list[str] = []

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect":
            files.append(str(arguments[0]))

    sys.addaudithook(hear)
    return files


def in_a_thread(methods: Methods) -> Method:
    found: list[Method] = []
    thread = threading.Thread(target=lambda: found.append(methods.current(EU)))
    thread.start()
    thread.join()
    return found[0]


def test_the_corpus_is_opened_once_for_all_threads_and_what_is_added_reaches_the_next_analysis(
    tmp_path: Path, opened: list[str]
) -> None:
    methods = Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    first = in_a_thread(methods)
    assert all(in_a_thread(methods) is first for _ in range(5))
    assert opened.count(str(tmp_path / "rulings" / "rulings.sqlite")) == 1
    corpus = RulingCorpus(tmp_path)
    corpus.add([Ruling("DEBTI1234/26-1", RulingSource.EBTI, None, "A cotton T-shirt", codes=(Code("61091000"),))])
    corpus.close()
    later = in_a_thread(methods)
    assert later is not first
    assert in_a_thread(methods) is later


def test_a_method_is_no_work_for_the_collector_and_is_freed_when_nobody_holds_it(tmp_path: Path) -> None:
    methods = Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    method = methods.current(EU)
    walked = {id(found) for found in gc.get_objects()}
    assert not walked & {id(part) for part in (method.lines, method.headings, method.provisions.__dict__)}
    parts = [weakref.ref(part) for part in (method, method.provisions, method.headings[0], method.trained)]
    gc.disable()
    try:
        del method, methods
        assert [part() for part in parts] == [None] * len(parts)
    finally:
        gc.enable()
