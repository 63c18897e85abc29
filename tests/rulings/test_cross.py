from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cross_server import CrossServer
from pcs.base.publisher import HttpPublisher, PublisherError, RequestPolicy
from pcs.rulings.fetch import fetch_rows, fetch_texts
from pcs.rulings.service import RulingCorpus
from pcs.tariff.ruling import RulingStatus
from pcs.tariff.sources.problem import SourceError

JAN = dt.date(2024, 1, 1)
MARCH = dt.date(2024, 3, 31)


def publisher(server: CrossServer) -> HttpPublisher:
    return HttpPublisher(server.address, RequestPolicy(pause=0, attempts=4, first_wait=0), sleep=lambda _: None)


def fetch(server: CrossServer, folder: Path, *, texts: bool = True) -> RulingCorpus:
    corpus = RulingCorpus(folder)
    with publisher(server) as asked:
        fetch_rows(corpus, asked, MARCH, first=JAN)
        if texts:
            fetch_texts(corpus, asked)
    return corpus


def test_a_ruling_has_the_status_and_codes_of_its_row_and_the_text_of_its_detail(
    cross: CrossServer, tmp_path: Path
) -> None:
    cross.add("N300001", JAN)
    ruling = fetch(cross, tmp_path).get("NY N300001")
    assert ruling is not None
    assert ruling.codes == ("6109100012", "8471300100")
    assert (ruling.status, ruling.text) == (RulingStatus.IN_FORCE, "The letter on N300001")
    assert ruling.status_from == "CROSS names nothing that revokes or modifies it"
    assert ruling.url == "https://rulings.cbp.gov/ruling/N300001"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"revokedBy": ["H310000"]}, RulingStatus.REVOKED),
        ({"operationallyRevoked": True}, RulingStatus.REVOKED),
        ({"modifiedBy": "HQ H310001"}, RulingStatus.MODIFIED),
        ({"modifiedBy": ["H310001"], "revokedBy": ["H310000"]}, RulingStatus.REVOKED),
        ({"operationallyRevoked": None}, RulingStatus.UNKNOWN),
    ],
)
def test_the_publishers_fields_decide_the_status(
    cross: CrossServer, tmp_path: Path, fields: dict[str, object], status: RulingStatus
) -> None:
    cross.add("N300001", JAN, **fields)
    ruling = fetch(cross, tmp_path, texts=False).get("N300001")
    assert ruling is not None
    assert ruling.status is status


def test_a_later_ruling_that_revokes_marks_the_earlier_one(cross: CrossServer, tmp_path: Path) -> None:
    cross.add("N300001", JAN)
    cross.add("N300002", JAN)
    cross.add("H310000", MARCH, revokes="NY N300001", modifies=["N300002", "N300001"])
    corpus = fetch(cross, tmp_path, texts=False)
    first, second = corpus.get("N300001"), corpus.get("N300002")
    assert first is not None
    assert second is not None
    assert (first.status, first.status_from) == (RulingStatus.REVOKED, "revoked by H310000")
    assert (second.status, second.status_from) == (RulingStatus.MODIFIED, "modified by H310000")


def test_a_search_with_too_many_hits_is_asked_in_halves(
    cross: CrossServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcs.rulings.fetch.MOST_HITS", 100)
    cross.add_many(400, JAN)
    assert len(fetch(cross, tmp_path, texts=False)) == 400


def test_a_publisher_with_smaller_pages_than_asked_is_read_to_the_end(cross: CrossServer, tmp_path: Path) -> None:
    cross.page_size = 40
    cross.add_many(300, JAN)
    assert len(fetch(cross, tmp_path, texts=False)) == 300


@pytest.mark.parametrize("fault", ["503", "429", "cut"])
def test_a_passing_fault_is_tried_again(cross: CrossServer, tmp_path: Path, fault: str) -> None:
    cross.add_many(10, JAN)
    cross.faults = [fault, fault]
    assert len(fetch(cross, tmp_path)) == 10


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        ("html", SourceError, "with a page"),
        ("empty", SourceError, "with nothing"),
        ("403", PublisherError, "refuses /search: HTTP 403"),
        ("wrong_count", SourceError, "announced 9,000"),
    ],
)
def test_a_lasting_fault_ends_in_a_sentence_and_the_next_fetch_goes_on(
    cross: CrossServer, tmp_path: Path, fault: str, error: type[Exception], said: str
) -> None:
    cross.add_many(90, JAN)
    cross.faults = ["", fault, fault]
    with pytest.raises(error, match=said):
        fetch(cross, tmp_path, texts=False)
    cross.faults = []
    assert len(fetch(cross, tmp_path)) == 90


def test_a_publisher_out_of_reach_is_named(cross: CrossServer, tmp_path: Path) -> None:
    cross.close()
    with pytest.raises(PublisherError, match="does not answer /search after 4 attempts"):
        fetch(cross, tmp_path)


def test_the_text_of_another_ruling_is_refused(cross: CrossServer, tmp_path: Path) -> None:
    cross.add("N300001", JAN)
    fetch(cross, tmp_path, texts=False)
    cross.faults = ["other"]
    with publisher(cross) as asked, pytest.raises(SourceError, match="answered with H999999"):
        fetch_texts(RulingCorpus(tmp_path), asked)


def test_a_ruling_without_a_text_is_counted_and_kept(cross: CrossServer, tmp_path: Path) -> None:
    cross.add("N300001", JAN, detail={"text": None})
    corpus = fetch(cross, tmp_path, texts=False)
    with publisher(cross) as asked:
        assert fetch_texts(corpus, asked).without_text == 1
    assert corpus.get("N300001") is not None


def test_a_later_fetch_reads_only_what_may_be_new(cross: CrossServer, tmp_path: Path) -> None:
    cross.add_many(90, JAN)
    corpus = fetch(cross, tmp_path)
    cross.add("N400000", dt.date(2024, 4, 2))
    cross.add("N300500", dt.date(2024, 3, 30))
    cross.requests.clear()
    with publisher(cross) as asked:
        fetch_rows(corpus, asked, dt.date(2024, 4, 30))
        fetch_texts(corpus, asked)
    assert len(corpus) == 92
    assert not any("fromDate=2024-01-01" in request for request in cross.requests)
    assert sum("/ruling/" in request for request in cross.requests) == 2


def test_a_fetch_killed_twice_goes_on_and_ends_with_every_ruling_once(cross: CrossServer, tmp_path: Path) -> None:
    cross.page_size = 50
    cross.add_many(1_000, JAN)
    command = [sys.executable, "-c", _FETCH, str(tmp_path), cross.address]
    for requests in (12, 300):  # among the rows, then among the texts
        run = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": "src"})
        deadline = time.monotonic() + 60
        while len(cross.requests) < requests and time.monotonic() < deadline:
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL
    assert 0 < len(RulingCorpus(tmp_path)) <= 1_000
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": "src"}, timeout=100)
    rulings = list(RulingCorpus(tmp_path).scan())
    assert len(rulings) == len({ruling.reference for ruling in rulings}) == 1_000
    assert all(ruling.text == f"The letter on {ruling.reference}" for ruling in rulings)
    assert len(cross.requests) < 1_100  # nothing was asked for twice but what was under way


_FETCH = """
import datetime, pathlib, sys
from pcs.base.publisher import HttpPublisher, RequestPolicy
from pcs.rulings.fetch import fetch_rows, fetch_texts
from pcs.rulings.service import RulingCorpus
corpus = RulingCorpus(pathlib.Path(sys.argv[1]))
with HttpPublisher(sys.argv[2], RequestPolicy(pause=0)) as publisher:
    fetch_rows(corpus, publisher, datetime.date(2024, 3, 31), first=datetime.date(2024, 1, 1))
    fetch_texts(corpus, publisher)
"""
