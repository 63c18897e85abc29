"""What speaks for a heading: naive Bayes, the votes of near goods, and a name's last word where a shop cut it off."""

import numpy as np
import pytest

from pcs.engine.counting.bayes import fit_bayes
from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.method import Method
from pcs.engine.ranking.bayes import NaiveBayes
from pcs.engine.retrieval.goods import taught_goods
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

LESSONS = (
    ("leather handbag", "4202"),
    ("canvas handbag", "4202"),
    ("leather shoes", "6403"),
    ("canvas shoes", "6404"),
    ("steel screws", "7318"),
)
HEADINGS = [Code(heading) for _, heading in LESSONS]


VECTORISER, MATRIX = fit_corpus([text for text, _ in LESSONS])


@pytest.fixture
def vectoriser() -> Vectoriser:
    return VECTORISER


def test_naive_bayes_finds_the_heading_whose_goods_say_so(vectoriser: Vectoriser) -> None:
    model = fit_bayes(MATRIX, HEADINGS, np.ones(len(LESSONS)))
    scores = model.scores(vectoriser.query("handbag of canvas", ""))
    assert model.classes[int(scores.argmax())] == "4202"


def test_naive_bayes_is_what_its_steps_say_and_is_stored_as_it_is(vectoriser: Vectoriser) -> None:
    model = fit_bayes(MATRIX, HEADINGS, np.ones(len(LESSONS)))
    members = np.array([[heading == code for heading in HEADINGS] for code in model.classes], dtype=float)
    exact = np.log((members @ MATRIX.toarray()).T / 0.003 + 1)
    stored = NaiveBayes.from_arrays(model.arrays("x"), "x")
    for text, _ in LESSONS:
        query = vectoriser.query(text, "")
        scores = query.toarray()[0] @ exact - query.sum() * model.masses
        assert scores.argmax() == model.scores(query).argmax()
        assert np.abs(scores - model.scores(query)).max() < 0.5
        assert (stored.scores(query) == model.scores(query)).all()
    assert (model.scores(vectoriser.query("quux", "")) == 0).all()


def test_the_goods_nearest_vote_and_those_that_share_no_word_do_not(vectoriser: Vectoriser) -> None:
    classes = sorted(set(HEADINGS))
    places = np.array([classes.index(heading) for heading in HEADINGS], dtype=np.int32)
    goods = taught_goods(MATRIX, vectoriser.rarity, places, len(classes))
    votes = dict(zip(classes, goods.votes(vectoriser.query("leather handbag", "")), strict=True))
    assert max(votes, key=lambda heading: votes[heading]) == "4202"
    assert votes[Code("7318")] == 0
    assert sum(votes.values()) == pytest.approx(1)
    assert not goods.votes(vectoriser.query("quux", "")).any()


def test_what_a_description_says_first_counts_most(vectoriser: Vectoriser) -> None:
    packing = "It is wrapped in paper and shipped by sea. " * 12
    query = vectoriser.query("article 17", f"These are shoes of leather. {packing}They are fixed by steel screws.")
    said = {term: query[0, vectoriser.vocabulary.get(f"w{term}")] for term in ("shoe", "leather", "steel", "screw")}
    assert min(said["shoe"], said["leather"]) > 1.5 * max(said["steel"], said["screw"]) > 0


def test_a_name_cut_off_by_a_shop_system_is_completed(methods: dict[ScheduleName, Method]) -> None:
    vectoriser = methods[ScheduleName.EU_CN].trained.vectoriser
    assert vectoriser.completed("ladies wrap front pleated trous").endswith("trous trouser")
    assert vectoriser.completed("LADIES  WRAP FRONT PLEATED TROUS").endswith("TROUS trouser")
    for whole in ("ladies wrap front pleated trousers", "trous", "ladies wrap front pleated qqqqq", ""):
        assert vectoriser.completed(whole) == whole
