"""Numbers that name a substance whatever it is called: CAS Registry Numbers ("67-63-0") and the United Nations' of
dangerous goods ("UN1219"). The trap: any number with two hyphens taken for one; the last digit of CAS's checks it."""

from __future__ import annotations

import re

_CAS = re.compile(r"(\d{2,7})-(\d{2})-(\d)")
_UN = re.compile(r"UN\d{4}")


def is_registry_number(text: str) -> bool:
    """Whether a text is a CAS Registry Number whose last digit is right for the others, or a UN number.

    >>> [is_registry_number(text) for text in ("67-63-0", "67-63-1", "UN1219", "1219")]
    [True, False, True, False]

    Source: CAS, "Check digit verification of CAS Registry Numbers".
    """
    if (found := _CAS.fullmatch(text)) is None:
        return _UN.fullmatch(text) is not None
    digits = map(int, reversed(found[1] + found[2]))
    return sum(place * digit for place, digit in enumerate(digits, start=1)) % 10 == int(found[3])
