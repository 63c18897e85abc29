"""What is decided decides the same goods, and votes on goods near; a line that is gone or reworded does not."""

import dataclasses
import datetime as dt

import pytest

from determinations import result_of
from pcs.engine.classify import classify
from pcs.engine.decided import Decided, Sameness, Standing
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.engine.retrieval.votes import Votes
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

MUG = Product("Brunswick kettle mug", "ceramic, 350 ml")
SCHEDULE = ScheduleName.EU_CN


@pytest.fixture
def method(methods: dict[ScheduleName, Method]) -> Method:
    return methods[SCHEDULE]


def line_of(method: Method, heading: str) -> Code:
    """A line of a heading of the starter schedule."""
    return next(line.code for line in method.lines if line.code and line.code.startswith(heading))


def decided(method: Method, name: str, heading: str, **more: object) -> Decided:
    code = line_of(method, heading)
    node = method.schedule.get(code)
    assert node is not None
    words = method.schedule.description(node)
    one = Decided(f"dec_{name}", name, code, words, dt.date(2026, 3, 2), sameness=Sameness.GOODS)
    return dataclasses.replace(one, **more)  # type: ignore[arg-type]


def asked(method: Method, *known: Decided, goods: Product = MUG) -> Result:
    return result_of(classify(goods, method, decided=known))


def test_the_same_goods_get_the_decided_code_with_the_engine_s_own_beside_it(method: Method) -> None:
    own = asked(method)
    one = decided(method, MUG.name, "7323")
    found = asked(method, one)
    assert own.code.heading != one.code.heading, "or nothing is shown"
    assert (found.code, found.decision, found.needs_review) == (one.code, one.reference, False)
    assert found.description == one.words
    assert [level.code for level in found.hierarchy][-1] == one.code
    assert found.alternatives[0].code == own.code
    assert one.reference in found.reasoning
    assert "2 March 2026" in found.reasoning
    [cited] = found.precedents
    assert (cited.code, cited.nearness, cited.applied) == (one.code, 1.0, True)


def test_goods_that_the_engine_cannot_tell_get_their_decided_code(method: Method) -> None:
    assert classify(Product("£5"), method).result is None
    one = decided(method, "£5", "4907")
    assert asked(method, one, goods=Product("£5")).code == one.code


def test_a_line_that_is_gone_or_reworded_is_told_and_decides_nothing(method: Method) -> None:
    own = asked(method)
    one = decided(method, MUG.name, "7323")
    gone = dataclasses.replace(one, reference="dec_gone", code=Code("99999999"))
    reworded = dataclasses.replace(one, reference="dec_reworded", words="Something else")
    found = asked(method, gone, reworded)
    assert (found.code, found.decision, found.confidence) == (own.code, None, own.confidence)
    told = {cited.reference: (cited.standing, cited.applied) for cited in found.precedents}
    assert told == {"dec_gone": (Standing.GONE, False), "dec_reworded": (Standing.REWORDED, False)}


def test_the_identifier_decides_between_decisions_on_one_text(method: Method) -> None:
    mine = decided(method, MUG.name, "7323")
    newer = decided(method, MUG.name, "6911", reference="dec_newer", sameness=Sameness.TEXT)
    found = asked(method, newer, mine)
    assert (found.code, found.needs_review) == (mine.code, False)
    assert {cited.reference for cited in found.precedents} == {mine.reference, newer.reference}


def test_of_contradicting_decisions_on_one_text_the_newest_counts_and_a_person_is_asked(method: Method) -> None:
    newer = decided(method, MUG.name, "7323", sameness=Sameness.TEXT)
    older = decided(method, MUG.name, "6911", reference="dec_older", sameness=Sameness.TEXT)
    found = asked(method, newer, older)
    assert (found.code, found.confidence, found.needs_review) == (newer.code, 0.5, True)
    assert older.code.dotted in found.reasoning


def test_goods_near_get_the_vote_of_what_is_decided(method: Method) -> None:
    goods = Product("Brunswick kettle mug, large")
    own = asked(method, goods=goods)
    near = [
        decided(method, f"Brunswick kettle mug {size}", "7323", sameness=Sameness.OTHER) for size in ("small", "red")
    ]
    found = asked(method, *near, goods=goods)
    assert own.code.heading != Code("7323")
    assert (found.code.heading, found.decision) == ("7323", None)
    assert all(cited.applied == (cited.code == found.code) for cited in found.precedents)
    assert len(found.precedents) == 2


def test_far_goods_have_no_vote(method: Method) -> None:
    far = decided(method, "oak dining table", "9403", sameness=Sameness.OTHER)
    found = asked(method, far)
    assert found.precedents == ()
    assert dataclasses.replace(found, reading=asked(method).reading) == asked(method)


def test_votes_that_contradict_each_other_weigh_less(method: Method) -> None:
    vectoriser = method.trained.vectoriser
    agreeing = [decided(method, f"Brunswick mug {n}", "7323", sameness=Sameness.OTHER) for n in "abcd"]
    quarrel = [
        decided(method, f"Brunswick mug {n}", heading, sameness=Sameness.OTHER)
        for n, heading in zip("abcd", ("7323", "6911", "6912", "7013"), strict=True)
    ]
    sure, unsure = (Votes.of("Brunswick mug", known, vectoriser).near for known in (agreeing, quarrel))
    assert len(sure) == len(unsure) == 4
    assert min(one.weight for one in sure) > 1.5 * max(one.weight for one in unsure)
