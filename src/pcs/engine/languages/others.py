"""Languages that are not read, known by their letters or their small words, so that it can be said which one it is. The
trap: a guess by letters that several languages share; Portuguese is not Spanish with mistakes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from pcs.engine.languages.detection import words

_LEAST = 2  # of its small words; a single one may be a brand, unless hardly anything is read
_FEW, _MANY = 0.5, 0.8  # share of words that are read
_SMALL: dict[str, str] = {
    "Portuguese": "com para não uma dos das ao à pelo pela são em no na nos nas sem mais até também aço lã você seu",
    "Swedish": "och för med av till är som på ett den det inte utan från eller att i en vid",
    "Danish or Norwegian": "og til med af av på er som ikke uden uten fra eller et den det for i en ved",
    "Finnish": "ja tai sekä ilman kanssa varten on ei joka jossa valmistettu myös sis",
    "Czech": "pro bez nebo s se z ze na je není který která jsou také při až ve k ke",
    "Slovak": "pre bez alebo so zo na je nie ktorý ktorá sú tiež pri až vo ku",
    "Hungarian": "és vagy nem egy az nélkül számára való készült hogy is ez van",
    "Romanian": "și sau pentru cu fără din la este nu care sunt un o de pe ale în",
    "Turkish": "ve veya için ile olan değil bir bu çok da de olarak",
    "Croatian or Slovenian": "za bez ili ali i od iz je nije koji koja su sa na brez tudi",
    "Lithuanian": "ir arba su be iš yra nėra kuris skirta skirtas į ar",
    "Latvian": "un vai ar bez no ir nav kas paredzēts uz",
    "Estonian": "ja või ilma koos on ei mis jaoks valmistatud",
    "Vietnamese": "và hoặc cho với không của là được bằng các trong",
    "Indonesian": "dan atau untuk dengan tanpa dari yang tidak adalah pada terbuat",
}
_BY_WORD = {
    word: [language for language, small in _SMALL.items() if word in small.split()]
    for word in " ".join(_SMALL.values()).split()
}
_SCRIPTS = {
    "CYRILLIC": "Cyrillic letters",
    "GREEK": "Greek",
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "ARABIC": "Arabic letters",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "DEVANAGARI": "Hindi",
}
_MOST_LETTERS = 400  # of a text, by which its script is told
_LATIN = re.compile(r"[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")


def foreign_script(text: str) -> str | None:
    """What a text is written in, where most of its letters are of another script than the Latin one."""
    letters = [letter for letter in text if letter.isalpha()][:_MOST_LETTERS]
    others = [letter for letter in letters if not _LATIN.match(letter)]
    if len(others) * 2 <= len(letters):
        return None
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in others)
    if "HIRAGANA" in scripts or "KATAKANA" in scripts:
        return "Japanese"
    return _SCRIPTS.get(scripts.most_common(1)[0][0], "another script")


def other_language(text: str, is_read: Callable[[str], bool]) -> str | None:
    """A language in Latin letters that is not read and that the text is in; None where it is in one that is.

    Only its small words that no language that is read has are counted.
    """
    said = words(text)  # as written: "AZ" is no article
    counts = Counter(language for word in said if word in _BY_WORD and not is_read(word) for language in _BY_WORD[word])
    if not counts:
        return None
    found = max(_SMALL, key=counts.__getitem__)
    known = sum(map(is_read, said)) / len(said)
    least = 1 if known < _FEW and len(said) > _LEAST else _LEAST
    return found if counts[found] >= least and known < _MANY else None
