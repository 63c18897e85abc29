"""Words that a printed page broke are whole again, and two words stay two."""

import pytest

from pcs.tariff.sources.broken_words import with_whole_words

PUBLICATION = [
    "Classified here are products with the characteristics of gold. In addition an edition.",
    "These products are classified by their characteristics, inter alia by colour.",
    "Something of some kind, some iron, some steel, some glass. Something: a thing, the thing, one thing, each thing.",
]


@pytest.mark.parametrize(
    ("printed", "whole"),
    [
        ("Other prod ucts are clas sified here.", "Other products are classified here."),
        ("Prod ucts of stone.", "Products of stone."),
        ("By their character istics alone.", "By their characteristics alone."),
        ("inter alia by weight", "inter alia by weight"),  # the publication has no such word
        ("in addition", "in addition"),
        ("some thing", "some thing"),  # both halves stand elsewhere
        ("", ""),
    ],
)
def test_a_word_is_joined_that_the_publication_has_whole_and_whose_halves_it_has_nowhere_else(
    printed: str, whole: str
) -> None:
    *others, found = with_whole_words([*PUBLICATION, printed])
    assert found == whole
    assert others == PUBLICATION
