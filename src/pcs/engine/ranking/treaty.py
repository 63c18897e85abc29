"""One product, one subheading: the United States and the European Union share the first six digits by treaty
(Harmonized System Convention, article 3), so a subheading is as probable as both schedules' evidence together has it.
The trap: a line of one schedule compared with a line of the other; only shares of subheadings are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]


def shares(lines: Floats, subheadings: Sequence[Code]) -> dict[Code, float]:
    """What each subheading has of the probability of its lines."""
    found: dict[Code, float] = {}
    for subheading, probability in zip(subheadings, lines.tolist(), strict=True):
        found[subheading] = found.get(subheading, 0.0) + probability
    return found


def best(found: dict[Code, float]) -> Code:
    """The subheading with the most, the first in order of equals."""
    most = round(max(found.values()), 9)
    return min(code for code, share in found.items() if round(share, 9) == most)


def together(ours: dict[Code, float], theirs: dict[Code, float]) -> dict[Code, float]:
    """The geometric mean of both schedules' shares; a subheading that the other does not have keeps its own."""
    mixed = {code: (share * theirs[code]) ** 0.5 if code in theirs else share for code, share in ours.items()}
    total = sum(mixed.values()) or 1.0
    return {code: share / total for code, share in mixed.items()}


def laid_over(lines: Floats, subheadings: Sequence[Code], mixed: dict[Code, float]) -> Floats:
    """The lines' probabilities, each subheading's lines having together what `mixed` gives it."""
    ours = shares(lines, subheadings)
    found: Floats = np.array(
        [mixed[code] * line / max(ours[code], 1e-300) for code, line in zip(subheadings, lines.tolist(), strict=True)]
    )
    return found
