"""Many texts at once are read as one is, and a vocabulary knows its terms and no others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.lessons import digest, lessons, pack_lessons
from pcs.engine.retrieval.vocabulary import Vocabulary
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
        alone = np.zeros(vectoriser.width)
        for column, value in vectoriser.entries(text).items():
            alone[column] = value
        assert np.allclose(row, alone, atol=1e-6)


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
