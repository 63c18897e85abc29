"""What speaks for a heading: naive Bayes, the votes of near goods, and a name's last word where a shop cut it off."""

import numpy as np
import pytest

from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.count import counted_by_code
from pcs.engine.method import Method
from pcs.engine.ranking.bayes import NaiveBayes, NaiveBayesBelow, naive_bayes, naive_bayes_below
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
COUNTED = counted_by_code(MATRIX, HEADINGS, np.ones(len(LESSONS)))


@pytest.fixture
def vectoriser() -> Vectoriser:
    return VECTORISER


def test_naive_bayes_finds_the_heading_whose_goods_say_so(vectoriser: Vectoriser) -> None:
    model = naive_bayes(*COUNTED)
    scores = model.scores(vectoriser.query("handbag of canvas", ""))
    assert model.classes[int(scores.argmax())] == "4202"


def test_naive_bayes_is_what_its_steps_say_and_is_stored_as_it_is(vectoriser: Vectoriser) -> None:
    model = naive_bayes(*COUNTED)
    members = np.array([[heading == code for heading in HEADINGS] for code in model.classes], dtype=float)
    exact = np.log((members @ MATRIX.toarray()).T / 0.003 + 1)
    stored = NaiveBayes.from_arrays(model.arrays("x"), "x")
    for text, _ in LESSONS:
        query = vectoriser.query(text, "")
        scores = query.data @ exact[query.indices] - query.data.sum() * model.masses
        assert scores.argmax() == model.scores(query).argmax()
        assert np.abs(scores - model.scores(query)).max() < 0.5
        assert (stored.scores(query) == model.scores(query)).all()
    assert (model.scores(vectoriser.query("quux", "")) == 0).all()


def test_the_same_by_heading_says_the_same_and_is_stored_as_it_is(vectoriser: Vectoriser) -> None:
    model, below = naive_bayes(*COUNTED), naive_bayes_below(*COUNTED)
    stored = NaiveBayesBelow.from_arrays(below.arrays("x"), "x")
    for text, _ in LESSONS:
        query = vectoriser.query(text, "")
        for part in (*(slice(place, place + 1) for place in range(len(model.classes))), slice(2, 2)):
            found = below.scores(query, float(query.data.sum()), part)
            assert np.allclose(found, model.scores(query)[part], atol=1e-5)
            assert (stored.scores(query, float(query.data.sum()), part) == found).all()


def test_letters_weigh_less_where_words_say_enough_and_all_together_the_same() -> None:
    goods = "leather canvas handbag shoes steel screws copper kettle wooden spoon glass bottle paper napkin rubber hose"
    vectoriser, _ = fit_corpus([goods])
    short, long = vectoriser.query("leather handbag", ""), vectoriser.query(goods, "")
    assert vectoriser.by_words(short) is short
    weighed, words = vectoriser.by_words(long), long.indices < len(vectoriser.rarity)
    assert (weighed.indices == long.indices).all()
    assert (weighed.data[words] > long.data[words]).all()
    assert (weighed.data[~words] < long.data[~words]).all()
    assert weighed.data.sum() == pytest.approx(long.data.sum(), rel=1e-5)


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
    weights = dict(zip(query.indices.tolist(), query.data.tolist(), strict=True))
    said = {term: weights[vectoriser.vocabulary.get(f"w{term}")] for term in ("shoe", "leather", "steel", "screw")}
    assert min(said["shoe"], said["leather"]) > 1.5 * max(said["steel"], said["screw"]) > 0


def test_a_name_cut_off_by_a_shop_system_is_completed(methods: dict[ScheduleName, Method]) -> None:
    vectoriser = methods[ScheduleName.EU_CN].trained.vectoriser
    assert vectoriser.completed("ladies wrap front pleated trous").endswith("trous trouser")
    assert vectoriser.completed("LADIES  WRAP FRONT PLEATED TROUS").endswith("TROUS trouser")
    for whole in ("ladies wrap front pleated trousers", "trous", "ladies wrap front pleated qqqqq", ""):
        assert vectoriser.completed(whole) == whole
