"""What goods of textiles are made of, in one form: "95% CTN 5% EA", "80CO/20PES", "65/35 poly cotton" and "wool 20%
acrylic 80%" as "80% acrylic". The trap: a share that stands before its fibre taken for that of the one before it, and a
metal's sign for a fibre's code; codes count where the shares are the whole.

Source: Regulation (EU) No 1007/2011 and ISO 2076 for the codes of fibres."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CODES = {
    "cotton": "co ctn cot",
    "polyester": "pes pl poly",
    "polyamide": "pa",
    "nylon": "ny",
    "acrylic": "pan",
    "viscose": "vi vis cv",
    "elastane": "ea el ly",
    "wool": "wo wv",
    "cashmere": "ws",
    "mohair": "wm",
    "alpaca": "wp",
    "silk": "se",
    "linen": "li",
    "hemp": "ha",
    "jute": "ju",
    "ramie": "ra",
    "modal": "md cmd",
    "lyocell": "cly",
}
_MEANT = {code: fibre for fibre, codes in _CODES.items() for code in codes.split()}
_ALSO = "cupro|spandex|rayon|lycra|acetate|bamboo|merino|angora|flax|tencel|modacrylic"
_FIBRE = rf"(?:{'|'.join(_CODES)}|{_ALSO}|poly)"
_CODE = rf"(?:{'|'.join(sorted(_MEANT, key=len, reverse=True))})"
_SHARE = r"\d{1,3}(?:[.,]\d{1,2})?"

_CODED = re.compile(rf"(?<![\d.,])({_SHARE}) ?% ?({_CODE}|{_FIBRE})\b", re.IGNORECASE)
_JOINED = re.compile(rf"\b\d{{1,3}} ?{_CODE}(?: ?/ ?\d{{1,3}} ?{_CODE}){{1,5}}\b", re.IGNORECASE)
_ONE_JOINED = re.compile(rf"(\d{{1,3}}) ?({_CODE})", re.IGNORECASE)
_RATIO = re.compile(
    rf"\b(\d{{2}}) ?/ ?(\d{{2}}) ?%? ({_FIBRE})(?: ?[/-] ?| and | )?({_FIBRE})\b"
    rf"|\b({_FIBRE}) ?[/-] ?({_FIBRE}) (\d{{2}}) ?/ ?(\d{{2}})\b",
    re.IGNORECASE,
)
_ONE = rf"{_FIBRE}:? ?{_SHARE} ?%"
_BEHIND = re.compile(
    rf"(?<![\d%] )(?<![\d%])\b{_ONE}(?:(?: ?[,;/&+] ?| and | ){_ONE}){{1,5}}(?! ?{_FIBRE})", re.IGNORECASE
)
_ONE_BEHIND = re.compile(rf"({_FIBRE}):? ?({_SHARE}) ?%", re.IGNORECASE)


def with_fibre_shares(text: str) -> str:
    """A text in which each share of a fibre stands before it, and each fibre has its name.

    >>> with_fibre_shares("leggings 95% CTN 5% EA"), with_fibre_shares("knit, wool 20% acrylic 80%")
    ('leggings 95% cotton 5% elastane', 'knit, 20% wool, 80% acrylic')
    >>> with_fibre_shares("shirt 65/35 poly cotton"), with_fibre_shares("80CO/20PES")
    ('shirt 65% polyester, 35% cotton', '80% cotton, 20% polyester')
    """
    if "%" not in text and "/" not in text:
        return text
    text = _JOINED.sub(lambda match: _together(match.group(), _ONE_JOINED.findall(match.group())), text)
    if _are_whole(share for share, _ in _CODED.findall(text)):  # 99.9% Co is cobalt
        text = _CODED.sub(lambda match: f"{match[1]}% {_named(match[2])}", text)
    text = _BEHIND.sub(
        lambda match: _together(match.group(), [(share, fibre) for fibre, share in _ONE_BEHIND.findall(match.group())]),
        text,
    )
    return _RATIO.sub(lambda match: _together(match.group(), list(_of_ratio(match))), text)


def _of_ratio(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    first, second, one, other, before, behind, third, fourth = match.groups()
    yield first or third, one or before
    yield second or fourth, other or behind


def _together(written: str, shares: list[tuple[str, str]]) -> str:
    """These shares in one form, where they are the whole; else what was written."""
    if not _are_whole(share for share, _ in shares):
        return written
    return ", ".join(f"{share}% {_named(fibre)}" for share, fibre in shares)


def _are_whole(shares: Iterable[str]) -> bool:
    """Whether shares are all that goods, or each of their parts, are made of."""
    total = sum(float(share.replace(",", ".")) for share in shares)
    return total > 0 and total % 100 == 0


def _named(fibre: str) -> str:
    lower = fibre.lower()
    return _MEANT.get(lower, lower)
