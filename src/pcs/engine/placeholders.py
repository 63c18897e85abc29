"""What stands where goods should be named. The trap: "invoice" is a printed form, but "see invoice" names nothing;
so a text is a placeholder only where every word of it belongs to one."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z]+")
_WORDS = frozenset(
    "na none nil null undefined unspecified unnamed placeholder tbd tba tbc tbn to be confirmed determined announced "
    "advised not applicable available no description xxx xxxx see refer as per the our your attached enclosed above "
    "below invoice list specification document documents".split()
)
_GOODS_TOO = frozenset("to be not no the our your list invoice specification document documents description".split())


def is_placeholder(text: str) -> bool:
    """Whether all that a text says is that the goods are named elsewhere, later or not at all.

    >>> [is_placeholder(text) for text in ("see invoice", "N/A", "As per attached list", "TBD")]
    [True, True, True, True]
    >>> [is_placeholder(text) for text in ("invoice books", "price list", "documents", "A", "")]
    [False, False, False, False, False]
    """
    said = set(_WORD.findall(text.lower().replace("n/a", "na")))
    return said <= _WORDS and not said <= _GOODS_TOO
