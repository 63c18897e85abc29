"""One product, one subheading; what goods the demonstration shows; and that a named rule is true of its inputs."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.cli.demo import _PRODUCTS
from pcs.engine.classify import classify
from pcs.engine.legal.contest import settle
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.ranking.ranker import RankedHeading
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

SHOWN = ("610910", "847130", "090121", "420221", "940360", "850760")


@pytest.mark.parametrize(("shown", "code"), list(zip(_PRODUCTS, SHOWN, strict=True)))
def test_the_demonstrations_products_get_their_codes_in_both_schedules(
    methods: dict[ScheduleName, Method], shown: dict[str, str], code: str
) -> None:
    product = Product(shown["name"], shown["description"])
    assert {str(classify(product, method).code)[:6] for method in methods.values()} == {code}


def test_what_divides_a_subheading_says_nothing_of_whether_goods_belong_to_it(
    methods: dict[ScheduleName, Method],
) -> None:
    chair = Product("Office chair on castors with gas lift", "Adjustable armrests and a padded back of mesh.")
    codes = {str(classify(chair, method).code) for method in methods.values()}
    assert not any(code.startswith("940199") for code in codes)  # gas lifts and armrests divide the parts of seats


CONTESTS = st.lists(st.tuples(st.floats(0.02, 1), st.floats(0, 1)), min_size=2, max_size=5)


def contest(claims: list[tuple[float, float]]) -> list[RankedHeading]:
    """Headings by their probability, each with the share of what was said that it covers."""
    ordered = sorted(claims, reverse=True)
    return cast(
        "list[RankedHeading]",
        [
            SimpleNamespace(heading=SimpleNamespace(code=Code(f"84{n:02}")), probability=probability, covered=covered)
            for n, (probability, covered) in enumerate(ordered, start=1)
        ],
    )


@given(CONTESTS)
def test_rule_3a_is_named_only_where_the_winners_terms_meet_more(claims: list[tuple[float, float]]) -> None:
    ranked = contest(claims)
    query: Any = SimpleNamespace(covered=SimpleNamespace(any=lambda: True))
    settled = settle("goods of one kind", ranked, query, lambda _: None)
    first, second = ranked[:2]
    if settled.rule is not None:
        assert settled.rule.number == "3(a)"
        winner, other = settled.ranked[0], second if settled.ranked[0] is first else first
        assert winner.covered > other.covered
    if second.probability >= 0.5 * first.probability and second.covered - first.covered >= 0.5:
        assert settled.ranked[0] is second


@given(CONTESTS, st.lists(st.integers(1, 5), min_size=2, max_size=3))
def test_rules_3b_and_3c_are_named_only_of_headings_that_components_have(
    claims: list[tuple[float, float]], places: list[int]
) -> None:
    ranked = contest(claims)
    own = {f"thing{n}": Code(f"84{place:02}") for n, place in enumerate(places)}
    query: Any = SimpleNamespace(covered=SimpleNamespace(any=lambda: True))
    settled = settle(f"gift set: {', '.join(own)}", ranked, query, lambda part: (own[part], 0.9))
    rule, winner = settled.rule, settled.ranked[0]
    claiming = [found for found in ranked if found.heading.code in own.values()]
    if rule is not None:
        assert winner.heading.code in own.values()
        equal = [found for found in claiming if found.probability >= 0.9 * ranked[0].probability]
        assert (len(equal) > 1) == (rule.number == "3(c)")
        assert rule.number != "3(c)" or winner.heading.code == max(found.heading.code for found in equal)
