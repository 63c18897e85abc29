"""Many texts at once are read as one is, and a vocabulary knows its terms and no others."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.lessons import digest, lessons, pack_lessons
from pcs.engine.ranking.bayes import naive_bayes, naive_bayes_below
from pcs.engine.retrieval.goods import taught_goods
from pcs.engine.retrieval.vectors import Vector
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import read_chapter

TEXTS = st.lists(
    st.lists(st.sampled_from("men's cotton t-shirt of the shoes leather 4mm crème & conditioner cndtnr usb".split())),
    min_size=1,
    max_size=8,
).map(lambda texts: [" ".join(words) for words in texts])


@given(TEXTS)
def test_many_texts_at_once_are_read_as_one_is(texts: list[str]) -> None:
    vectoriser, matrix = fit_corpus(texts)
    assert matrix.shape == (len(texts), vectoriser.width)
    for row, text in zip(matrix.toarray(), texts, strict=True):
        one = vectoriser.mixed({text: 1.0})
        assert (np.flatnonzero(row) == one.indices).all()
        assert np.allclose(row[one.indices], one.data, atol=1e-6)


@given(st.lists(st.text(), unique=True), st.text())
def test_a_vocabulary_knows_its_terms_and_no_others(terms: list[str], other: str) -> None:
    vocabulary = Vocabulary.of(terms)
    assert [vocabulary.get(term) for term in terms] == list(range(len(terms)))
    assert [vocabulary.term(column) for column in range(len(vocabulary))] == terms
    assert (other in vocabulary) == (other in terms)


def test_terms_of_the_same_hash_are_two() -> None:
    plumless, buckeroo = "plumless", "buckeroo"  # the same CRC-32
    both = Vocabulary.of([plumless, buckeroo])
    assert (both.get(plumless), both.get(buckeroo)) == (0, 1)
    assert Vocabulary.of([plumless]).get(buckeroo) is None


def a_query(terms: dict[int, float]) -> Vector:
    columns = sorted(terms)
    return Vector(np.array(columns, dtype=np.int32), np.array([terms[each] for each in columns], dtype=np.float32))


CODES = tuple(Code(code) for code in ("0101", "0102", "0103", "0104"))
COUNTS = sp.random(4, 30, density=0.4, format="csr", dtype=np.float32, rng=1)
SAID = st.dictionaries(st.integers(0, 29), st.integers(1, 8).map(lambda eighths: eighths / 8), max_size=30)


@given(SAID)
def test_naive_bayes_scores_are_the_sum_of_what_each_term_says(said: dict[int, float]) -> None:
    model = naive_bayes(CODES, COUNTS)
    weights = np.zeros((4, 30))
    for term in range(30):
        part = slice(model.starts[term], model.starts[term + 1])
        weights[model.used[part] >> 5, term] = (model.used[part] & 31) * model.scale
    expected = sum((weights[:, term] - model.masses) * value for term, value in said.items())
    assert np.allclose(model.scores(a_query(said)), expected, atol=1e-4)


@given(SAID, st.sets(st.integers(0, 3)), st.integers(0, 4))
def test_by_heading_it_is_the_same_of_any_part_of_a_heading(
    said: dict[int, float], without_goods: set[int], second: int
) -> None:
    """Four classes, those from `second` on of another heading."""
    codes = tuple(Code(f"{'01' if place < second else '02'}010{place}") for place in range(4))
    counts = sp.csr_matrix(np.where(np.isin(np.arange(4), list(without_goods))[:, None], 0, COUNTS.toarray()))
    whole, below = naive_bayes(codes, counts), naive_bayes_below(codes, counts)
    query = a_query(said)
    scores = whole.scores(query)
    for first, end in ((0, second), (second, 4)):
        for start in range(first, end):
            for stop in range(start, end + 1):
                found = below.scores(query, float(query.data.sum()), slice(start, stop))
                assert np.allclose(found, scores[start:stop], atol=1e-4)


def test_a_heading_with_more_classes_than_are_kept_together_is_one() -> None:
    codes = tuple(Code(f"6204{place:06}") for place in range(600))
    counts = sp.random(600, 30, density=0.1, format="csr", dtype=np.float32, rng=3)
    query = a_query({1: 1.0, 7: 0.5, 29: 0.25})
    found = naive_bayes_below(codes, counts).scores(query, 1.75, slice(3, 590))
    assert np.allclose(found, naive_bayes(codes, counts).scores(query)[3:590], atol=1e-4)


LESSONS = sp.random(60, 30, density=0.2, format="csr", dtype=np.float32, rng=2)
RARITY = np.linspace(1, 5.75, 20, dtype=np.float32)  # quarters: their sums are exact in any order


@given(SAID.filter(lambda said: any(term < len(RARITY) for term in said)))
def test_the_votes_are_those_of_the_twenty_goods_with_the_largest_cosine(said: dict[int, float]) -> None:
    headings = np.arange(60) % 7
    goods = taught_goods(LESSONS, RARITY, headings, 7)
    query = np.array([said.get(term, 0.0) for term in range(len(RARITY))])
    has = (LESSONS[:, :20].toarray() > 0) * RARITY
    cosine = np.round((has @ query).astype(np.float32) / (goods.lengths.astype(np.float64) * np.linalg.norm(query)), 5)
    nearest = [good for good in np.argsort(-cosine, kind="stable")[:20] if cosine[good] > 0]
    expected = np.bincount(headings[nearest], cosine[nearest] ** 2, 7)
    assert np.allclose(goods.votes(a_query(said)), expected / max(expected.sum(), 1e-9), atol=1e-9)


CHAPTER = ["# 01 Live animals", "@0101 Horses", "n: pony, foal", "> 0101210010 01012100", "pure-bred mare"]


def test_the_digest_is_of_what_lessons_say_and_not_of_how_the_pack_is_written() -> None:
    before = digest(lessons([read_chapter(CHAPTER, name="01.txt")]))
    commented = ["// a comment", *CHAPTER[:3], "", "// and another", *CHAPTER[3:]]
    assert digest(lessons([read_chapter(commented, name="01.txt")])) == before
    assert digest(lessons([read_chapter([*CHAPTER, "race horse"], name="01.txt")])) != before


def test_the_whole_pack_has_lessons() -> None:
    taught = pack_lessons()
    assert len(taught) > 400_000
    assert all(lesson.text for lesson in taught)
