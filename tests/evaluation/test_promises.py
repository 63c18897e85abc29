"""A promise of the share that is right, from reviewed answers."""

import math
import random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom

from pcs.evaluation.promise import Promise, Reviewed, bands, by_luck, interval, is_asked, kept

REVIEWED = st.lists(st.builds(Reviewed, st.floats(0, 1), st.booleans()), max_size=300)


def drawn(chosen: random.Random, size: int, sureness: float = 1.0) -> list[Reviewed]:
    """Answers that are right with the probability that is their confidence to this power."""
    found = [chosen.random() for _ in range(size)]
    return [Reviewed(one, chosen.random() < one**sureness) for one in found]


def test_right_answers_alone_bear_a_promise_as_soon_as_there_are_enough_of_them() -> None:
    assert Promise(0.95).fewest == 60
    few = [Reviewed(0.9, right=True)] * 59
    assert kept(Promise(0.95), few) == kept(Promise(0.95), few[::-1])
    assert (kept(Promise(0.95), few).threshold, kept(Promise(0.95), few).missing) == (None, 1)
    enough = kept(Promise(0.95), [*few, Reviewed(0.9, right=True)])
    assert (enough.threshold, enough.share, enough.missing) == (0.9, 1.0, None)


def test_the_promise_holds_in_nine_of_ten_worlds() -> None:
    """Worlds whose every answer is right as often as its confidence says: the share above a threshold is known."""
    chosen, promise = random.Random(7), Promise(0.9)
    found = [kept(promise, drawn(chosen, 400, 0.25)) for _ in range(200)]
    thresholds = [one.threshold for one in found if one.threshold is not None]
    assert len(thresholds) > 100, "a promise that is never made holds easily"
    truth = [mean(((low + (1 - low) * step / 1000) ** 0.25) for step in range(1000)) for low in thresholds]
    assert sum(share >= 0.9 for share in truth) >= 0.9 * len(found) - (len(found) - len(thresholds))


def test_answers_that_are_never_right_often_enough_are_told_apart_from_too_few_reviews() -> None:
    chosen = random.Random(1)
    coins = [Reviewed(chosen.random(), chosen.random() < 0.5) for _ in range(500)]
    assert kept(Promise(0.95), coins).missing is None
    good = [Reviewed(0.5 + place / 1000, place % 50 != 0) for place in range(200)]  # 98 of 100
    told = kept(Promise(0.97), good)
    assert told.threshold is None
    assert told.missing is not None
    assert kept(Promise(0.97), good * (1 + told.missing // 200 + 1)).threshold is not None


@settings(deadline=None)
@given(REVIEWED, st.sampled_from([0.5, 0.8, 0.95]))
def test_a_threshold_is_a_confidence_that_was_reviewed_and_is_borne_by_clopper_and_pearson(
    reviewed: list[Reviewed], right: float
) -> None:
    promise = Promise(right)
    found = kept(promise, reviewed)
    assert found.reviewed == len(reviewed)
    if found.threshold is None:
        return
    taken = [one.right for one in reviewed if one.confidence >= found.threshold]
    assert found.threshold in {one.confidence for one in reviewed}
    assert found.share == len(taken) / len(reviewed)
    lower = binomtest(sum(taken), len(taken), alternative="greater").proportion_ci(promise.certainty).low
    assert lower >= right - 1e-9


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(0, 200), st.sampled_from([0.5, 0.8, 0.95]))
def test_luck_is_the_library_s_hypergeometric_tail(taken: int, right: int, share: float) -> None:
    right = min(right, taken)
    failing = max(math.ceil(share * taken - 1e-9) - 1, 0)
    theirs = hypergeom.sf(right - 1, 2 * taken, right + failing, taken)
    assert by_luck(Promise(share), taken, right) == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(REVIEWED)
def test_the_order_of_reviews_is_nothing(reviewed: list[Reviewed]) -> None:
    assert kept(Promise(0.7), reviewed) == kept(Promise(0.7), reviewed[::-1])


@settings(deadline=None)
@given(REVIEWED, st.floats(0, 0.99))
def test_turning_a_right_answer_wrong_never_takes_more(reviewed: list[Reviewed], place: float) -> None:
    if not reviewed:
        return
    number = int(place * len(reviewed))
    worse = [Reviewed(one.confidence, one.right and at != number) for at, one in enumerate(reviewed)]
    assert kept(Promise(0.7), worse).share <= kept(Promise(0.7), reviewed).share


@pytest.mark.parametrize(("right", "reviewed"), [(0, 10), (10, 10), (7, 10), (950, 1000)])
def test_the_interval_is_that_of_the_library(right: int, reviewed: int) -> None:
    theirs = binomtest(right, reviewed).proportion_ci(0.9, method="exact")
    assert interval(right, reviewed) == pytest.approx((theirs.low, theirs.high))


def test_bands_hold_each_answer_once() -> None:
    found = bands(drawn(random.Random(3), 500), [0.0, 0.5, 0.75, 0.9])
    assert [band.confidence for band in found] == [0.0, 0.5, 0.75, 0.9]
    assert sum(band.reviewed for band in found) == 500
    assert all(band.lower <= band.right / band.reviewed <= band.upper for band in found)


def test_a_random_share_is_asked_for_and_a_greater_share_asks_for_the_same_and_more() -> None:
    names = [f"clf_{number}" for number in range(10_000)]
    tenth = {name for name in names if is_asked(name, 0.1)}
    assert 900 < len(tenth) < 1100
    assert tenth < {name for name in names if is_asked(name, 0.2)}
    assert all(is_asked(name, 1.0) for name in names)
    assert not any(is_asked(name, 0.0) for name in names)
