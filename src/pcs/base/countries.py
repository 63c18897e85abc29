"""Countries of origin: ISO 3166-1 codes, and the names that people write, which are CLDR's (Unicode) by way of Babel
and a few of ours. The trap: a name cut to two letters is another country's code; the unknown is refused in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from babel.core import Locale, get_global

from pcs.base.text import normalized

COUNTRY_CODES = frozenset(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
    GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
    MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
    SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
    UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split(),
)

EUROPEAN_UNION = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(),
)

_MOST_WORDS = 7  # of a name: the Democratic People's Republic of Korea
_LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl")
_LONGEST = 100
# Names on invoices that CLDR does not give: former, official and short ones.
_ALSO = {
    "AE": "UAE",
    "BA": "Bosnia",
    "BN": "Brunei Darussalam",
    "BO": "Bolivia Plurinational State of",
    "CD": "DR Congo, Democratic Republic of the Congo, Congo Democratic Republic of the",
    "CI": "Ivory Coast, Elfenbeinküste, Costa de Marfil",
    "CN": "PR China, PRC, P.R.C., People's Republic of China, Mainland China, Volksrepublik China, VR China",
    "CZ": "Czech Republic, Tschechische Republik, République tchèque, República Checa, Repubblica Ceca",
    "DE": "Federal Republic of Germany, Bundesrepublik Deutschland",
    "GB": "UK, Great Britain, Großbritannien, Grande-Bretagne, Gran Bretaña, Gran Bretagna, Groot-Brittannië, England, "
    "Scotland, Wales",
    "HK": "Hong Kong, Hongkong, Hong Kong SAR",
    "IR": "Islamic Republic of Iran, Iran Islamic Republic of",
    "KR": "Republic of Korea, Korea Republic of, Korea South",
    "LA": "Lao People's Democratic Republic",
    "MD": "Moldova Republic of, Republic of Moldova",
    "MK": "Macedonia",
    "MM": "Burma, Birma",
    "MO": "Macao, Macau",
    "NL": "Holland, The Netherlands",
    "PH": "The Philippines",
    "PS": "Palestine, Palästina",
    "RU": "Russian Federation, Russische Föderation",
    "SK": "Slovak Republic, Slowakische Republik",
    "SY": "Syrian Arab Republic",
    "SZ": "Swaziland, Swasiland",
    "TR": "Turkey",
    "TW": "Taiwan Province of China",
    "TZ": "Tanzania United Republic of, United Republic of Tanzania",
    "US": "United States of America, U.S., Vereinigte Staaten von Amerika, USA",
    "VE": "Venezuela Bolivarian Republic of",
    "VN": "Viet Nam, Socialist Republic of Vietnam",
}


def country(text: str) -> str:
    """The code of a country given by its code or its name. Raises ValueError, in words for a customer.

    >>> country("gb"), country("China"), country("Deutschland"), country("CHN"), len(COUNTRY_CODES)
    ('GB', 'CN', 'DE', 'CN', 249)
    """
    code = _known(text)
    if code is None:
        msg = "is not a country that we know: give its name or its two-letter code, such as CN for China"
        raise ValueError(msg)
    return code


def country_code(text: str) -> str:
    """A two-letter code in capitals, where only a code is taken. Raises ValueError that tells the code of a name.

    >>> country_code("gb")
    'GB'
    """
    code = text.strip().upper()
    if code in COUNTRY_CODES:
        return code
    meant = _known(text)
    if meant is None:
        msg = "must be a two-letter country code of ISO 3166-1"
        raise ValueError(msg)
    name = country_name(meant)
    msg = f"use {meant} for {'the ' if name.startswith('United ') else ''}{name}"
    raise ValueError(msg)


@lru_cache(maxsize=512)
def country_name(code: str) -> str:
    """A country's everyday name in English.

    >>> country_name("GB"), country_name("CI")
    ('United Kingdom', "Côte d'Ivoire")
    """
    return str(_territories("en").get(code, code)).replace("\u2019", "'")


def country_names() -> list[str]:
    """Every country's everyday name in English, in order."""
    return sorted(country_name(code) for code in COUNTRY_CODES)


def countries_at(words: Sequence[str]) -> tuple[frozenset[str], int]:
    """The country, or the members of the Union, that words of English prose begin with, and how many words name it.

    >>> countries_at("Bosnia and Herzegovina, as provided".split()), countries_at(["any", "country"])
    ((frozenset({'BA'}), 3), (frozenset(), 0))
    """
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        name = _plain("".join(words[:length]))
        if name == "europeanunion":
            return EUROPEAN_UNION, length
        if found := _english_names().get(name):
            return frozenset({found}), length
    return frozenset(), 0


def _known(text: str) -> str | None:
    code = text.strip().upper()
    if code in COUNTRY_CODES:
        return code
    return _names().get(_plain(text)) if len(text) <= _LONGEST else None


@cache
def _english_names() -> Mapping[str, str]:
    """The code of each English name as `_plain` has it, "and" written out, no more than prose needs."""
    names = {_plain(str(name).replace("&", "and")): code for code, name in _territories("en").items()}
    ours = {_plain(name): code for code, also in _ALSO.items() for name in also.split(", ") if len(name) > len("USA")}
    return {name: code for name, code in (names | ours).items() if code in COUNTRY_CODES}


@cache
def _names() -> Mapping[str, str]:
    """The code of each name, as `_plain` has it: three-letter codes, CLDR's names and ours."""
    aliases = get_global("territory_aliases").items()
    names = {alias.casefold(): codes[0] for alias, codes in aliases if len(alias) == 3 and len(codes) == 1}
    for language in _LANGUAGES:
        names |= {_plain(str(name)): code for code, name in _territories(language).items() if code in COUNTRY_CODES}
    return names | {_plain(name): code for code, also in _ALSO.items() for name in also.split(", ")}


def _territories(language: str) -> Mapping[str, object]:
    return Locale.parse(language).territories


def _plain(text: str) -> str:
    """Letters and digits alone, without accents: `Côte d'Ivoire` and `COTE D IVOIRE` are one."""
    decomposed = normalized(text.casefold(), "NFKD")
    return "".join(letter for letter in decomposed if letter.isalnum())
