"""Publishers' mark-up turned into plain text. The trap: dropping a mark changes the law (10<sup>-6</sup> is not 10-6),
so powers and indices become Unicode superscripts and subscripts, and only layout is dropped."""

from __future__ import annotations

import html
import re

_SUPERSCRIPTS = str.maketrans("0123456789+-=()nios", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵒˢ")
_SUBSCRIPTS = str.maketrans("0123456789+-=()nx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ")
_SUP = re.compile(r"<sup>((?:(?!<sup>).)*?)</sup>", re.IGNORECASE | re.DOTALL)
_SUB = re.compile(r"<sub>((?:(?!<sub>).)*?)</sub>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<(?:br|newline|/newline|p|/p)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
_TARIC_POWER = re.compile(r"\$(.)")
_TARIC_INDEX = re.compile(r"@(.)")


def superscript(text: str) -> str:
    """Text raised above the line.

    >>> superscript("-6")
    '⁻⁶'
    """
    return text.translate(_SUPERSCRIPTS)


def subscript(text: str) -> str:
    """Text set below the line.

    >>> subscript("2")
    '₂'
    """
    return text.translate(_SUBSCRIPTS)


def one_line(text: str) -> str:
    """Text on one line: every kind of white space becomes one plain space, invisible characters go."""
    return " ".join(_INVISIBLE.sub("", text).split())


def from_html(text: str) -> str:
    """USITC texts, which in some revisions hold tags and entities.

    >>> from_html("Not over 300 g/m<sup>2</sup> of <il>Gadus morhua</il>,<br />frozen &amp; cut")
    'Not over 300 g/m² of Gadus morhua, frozen & cut'
    """
    if "<" in text:
        text = _SUP.sub(lambda found: superscript(found[1]), text)
        text = _SUB.sub(lambda found: subscript(found[1]), text)
        text = _TAG.sub("", _BREAK.sub(" ", text))
    if "&" in text:
        text = html.unescape(text)
    return one_line(text)


def from_taric(text: str) -> str:
    """TARIC texts: `|` is a space that does not break, `$` raises the next character, `@` lowers it, `!x!` multiplies.

    >>> from_taric("not over 10$-$6|per cm$3, of H@3BO@3|or n$o$s$ 2")
    'not over 10⁻⁶ per cm³, of H₃BO₃ or nᵒˢ 2'
    """
    text = text.replace("!x!", "\u00d7").replace("$ ", " ")
    text = _TARIC_POWER.sub(lambda found: superscript(found[1]), text)
    text = _TARIC_INDEX.sub(lambda found: subscript(found[1]), text)
    return one_line(text.replace("|", " "))
