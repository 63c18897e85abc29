"""What holds of a promise, in sentences. The trap: what cannot be promised yet, told as if it never could."""

from __future__ import annotations

from pcs.base.plurals import counted
from pcs.engine.result import percent
from pcs.promises.model import BrokenPromise, PromiseTerms, ThresholdOfSchedule


def promise_words(terms: PromiseTerms) -> str:
    """What is promised.

    >>> from pcs.evaluation.promise import Promise
    >>> promise_words(PromiseTerms(Promise(0.95, 6)))
    'Of the answers taken without a look, 95 % are right at 6 digits, said with 90 % certainty.'
    """
    promise = terms.promise
    right, sure = f"{promise.right * 100:g} %", f"{promise.certainty * 100:g} %"
    at = f"at {promise.digits} digits"
    return f"Of the answers taken without a look, {right} are right {at}, said with {sure} certainty."


def threshold_words(one: ThresholdOfSchedule) -> str:
    """What reviews bear of it under one schedule, and what to do where they do not."""
    kept = one.kept
    reviews = counted(kept.reviewed, "review")
    if kept.threshold is not None:
        sure = _confidence(kept.threshold)
        return f"Answers are taken from a confidence of {sure} on, which {percent(kept.share)} reach, by {reviews}."
    if kept.missing is None:
        return f"By {reviews}, no number of further ones would bear it: promise less, or fewer digits."
    return f"Not yet: {counted(kept.missing, 'more review is', 'more reviews are')} missing beside {reviews}."


def broken_words(broken: BrokenPromise) -> str:
    """What ended a threshold.

    >>> import datetime as dt
    >>> broken_words(BrokenPromise(dt.datetime(2026, 11, 3, tzinfo=dt.UTC), 0.625, 60, 52))
    'On 3 November 2026 reviews ended the threshold of 62.5 %: of 60 answers from there on 52 were right.'
    """
    day = f"{broken.at:%d %B %Y}".lstrip("0")
    right = f"of {counted(broken.reviewed, 'answer')} from there on {counted(broken.right, 'was', 'were')} right"
    return f"On {day} reviews ended the threshold of {_confidence(broken.threshold)}: {right}."


def _confidence(share: float) -> str:
    return f"{share * 100:.3g} %"
