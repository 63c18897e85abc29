"""What was said decides below the heading: a requirement that the goods meet speaks for a line, one that they
contradict and a route that was denied speak against it. The trap: a fact that was not said; it speaks neither way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pcs.engine.facts import Answered
from pcs.engine.legal.terms import SaidWords
from pcs.engine.method import HeadingLines, Method

Floats = npt.NDArray[np.float64]

# In log odds. Of half and twice of each none is better on all development sets and the probes.
_MET = 0.5
_CONTRADICTED = 2.0
_OUTSIDE = 5.0  # of an interval: a number leaves less doubt than a word
_CLOSED = 3.0
_LED_AWAY = 0.15  # beside what the weights of choice say; at 0.5 listings lose half a point of whole codes
_SAID_OUTRIGHT = 3.0  # the same where an attribute said it
_PART = 1.0  # against a line of parts where no part is spoken of; 2 costs lay paraphrases what it gains on subjects
AGAINST_HEADING = 12.0  # for a heading that asks for what the goods are said not to be


def decided(heading: HeadingLines, method: Method, said: SaidWords) -> Floats:
    """What the provisions' own requirements add to the score of each line of a heading, shape (lines,)."""
    lines = slice(heading.start, heading.stop)
    total = np.zeros(len(heading.codes))
    counts = method.requirements.counts(lines, said)
    if counts is not None:
        met, contradicted, outside = counts
        total += _MET * met - _CONTRADICTED * np.minimum(contradicted, 3) - _OUTSIDE * np.minimum(outside, 1)
    if not said.part:
        total -= _PART * method.requirements.parts(lines)
    return total


def answers_decide(heading: HeadingLines, answered: Sequence[Answered]) -> Floats:
    """What answers take from the score of each line that they lead away from or deny, shape (lines,)."""
    total = np.zeros(len(heading.codes))
    for found in answered:
        led = heading.led_by(found.taken)
        if found.taken:
            total -= (_SAID_OUTRIGHT if found.by_attribute else _LED_AWAY) * (
                heading.below((found.question.scope,)) & ~led
            )
        for route in found.closed:
            total -= _CLOSED * (heading.below(route.codes) & ~led)
    return total
