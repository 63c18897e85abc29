"""What stands where goods should be named. The trap: "invoice" is a printed form, but "see invoice" names nothing;
so a text is a placeholder only where every word of it belongs to one."""

from __future__ import annotations

import re

from pcs.engine.text import goods_words, words

_WORD = re.compile(r"[a-z]+")
_NOT_YET = (
    "none nil null undefined unspecified unnamed placeholder tbd tba tbc tbn confirmed determined announced advised "
    "applicable available no description xxx xxxx"
)
_WORDS = frozenset(
    f"{_NOT_YET} na to be not see refer as per the our your attached enclosed above "
    "below invoice list specification document documents".split()
)
_GOODS_TOO = frozenset("to be not no the our your list invoice specification document documents description".split())

# Words that say nothing of what goods are, as stems.
_VAGUE = frozenset(
    words(
        "gift sample present accessory accessories part parts misc miscellaneous merchandise stuff thing things object "
        "unknown various assorted general cargo commodity personal effects package parcel "
        "test spare import export item items mixed assortment arrival arrivals order orders shipment parcels freight "
        "spring summer autumn winter season seasonal something anything everything nothing whatever random ditto "
        "set kit bundle combo pair collection "
        "price value best quality cheap sale offer bargain sku ref reference number "
        f"{_NOT_YET} lorem ipsum dolor sit amet hello world asdf qwerty"
    )
)


def names_no_goods(name: str, description: str) -> bool:
    """Whether nothing in a product says what it is: all is vague, or tells a use, or points elsewhere.

    >>> names_no_goods("stuff", "for my cousin"), names_no_goods("see invoice", ""), names_no_goods("hook", "for coats")
    (True, True, False)
    """
    return not goods_words(name, description) - _VAGUE or is_placeholder(f"{name} {description}")


def is_placeholder(text: str) -> bool:
    """Whether all that a text says is that the goods are named elsewhere, later or not at all.

    >>> [is_placeholder(text) for text in ("see invoice", "N/A", "As per attached list", "TBD")]
    [True, True, True, True]
    >>> [is_placeholder(text) for text in ("invoice books", "price list", "documents", "A", "")]
    [False, False, False, False, False]
    """
    said = set(_WORD.findall(text.lower().replace("n/a", "na")))
    return said <= _WORDS and not said <= _GOODS_TOO
