"""Words that a printed page broke at the end of a line and that lost their hyphen: "prod ucts". The trap: two words
that are a third together; only those are joined that the same publication has whole, and a half of which it has
hardly anywhere else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[A-Za-z]+")
_PAIR = re.compile(r"\b([A-Za-z]{2,}) (?=([a-z]+)\b)")
_WHOLE = 2  # times that the publication has the word unbroken
_OTHERWISE = 2  # times that a half may stand elsewhere, for each time that it stands here


def with_whole_words(texts: Sequence[str]) -> list[str]:
    """The texts of one publication with their broken words joined. Linear in their length.

    >>> with_whole_words(["Products of iron.", "These products, and other prod ucts."])[1]
    'These products, and other products.'
    """
    words = Counter(word.lower() for text in texts for word in _WORD.findall(text))
    pairs = Counter((first.lower(), second) for text in texts for first, second in _PAIR.findall(text))

    def joined(match: re.Match[str]) -> str:
        first, second = match[1].lower(), match[2]
        rarer = min(words[first], words[second])
        is_broken = words[first + second] >= _WHOLE and rarer <= (1 + _OTHERWISE) * pairs[first, second]
        return match[1] if is_broken else match[0]

    return [_PAIR.sub(joined, text) for text in texts]
