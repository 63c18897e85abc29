"""Short forms of the trade spelled out: "HYD CYL" is a hydraulic cylinder, "SS304" stainless steel. The trap: a form
inside another word or a part's number ("SS304-12A"); only a form that stands alone is one."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"(?<![\w/.-])[A-Za-z0-9][A-Za-z0-9/.]{1,9}(?![\w/-])")


def spelled_out(text: str, meanings: Mapping[str, str]) -> str:
    """A text with its short forms as what they mean.

    >>> spelled_out("HYD CYL, SS304", {"hyd": "hydraulic", "cyl": "cylinder", "ss304": "stainless steel"})
    'hydraulic cylinder, stainless steel'
    """
    return _TOKEN.sub(lambda match: meanings.get(match.group().lower(), match.group()), text)
