"""The special tariff programmes of the United States by the symbols of the column "special", as General Note 3(c)(i)
lists them. The trap: a list of countries that proclamations change (GSP, AGOA, the Caribbean Basin) is not kept here;
such a programme names the general note where its countries stand."""

from __future__ import annotations

from pcs.tariff.profiles.profile import Programme

_CENTRAL_AMERICA = frozenset({"CR", "DO", "GT", "HN", "NI", "SV"})
_NORTH_AMERICA = frozenset({"CA", "MX"})

US_PROGRAMMES = {
    "A": Programme("Generalized System of Preferences", "General Note 4"),
    "A*": Programme("Generalized System of Preferences, some countries excluded", "General Note 4"),
    "A+": Programme("Generalized System of Preferences, least-developed countries", "General Note 4"),
    "AU": Programme("United States-Australia Free Trade Agreement", "General Note 28", frozenset({"AU"})),
    "B": Programme("Automotive Products Trade Act", "General Note 5"),
    "BH": Programme("United States-Bahrain Free Trade Agreement", "General Note 30", frozenset({"BH"})),
    "C": Programme("Agreement on Trade in Civil Aircraft", "General Note 6"),
    "CL": Programme("United States-Chile Free Trade Agreement", "General Note 26", frozenset({"CL"})),
    "CO": Programme("United States-Colombia Trade Promotion Agreement", "General Note 34", frozenset({"CO"})),
    "D": Programme("African Growth and Opportunity Act", "General Note 16"),
    "E": Programme("Caribbean Basin Economic Recovery Act", "General Note 7"),
    "E*": Programme("Caribbean Basin Economic Recovery Act, some goods excluded", "General Note 7"),
    "IL": Programme("United States-Israel Free Trade Area", "General Note 8", frozenset({"IL"})),
    "JO": Programme("United States-Jordan Free Trade Area", "General Note 18", frozenset({"JO"})),
    "JP": Programme("United States-Japan Trade Agreement", "General Note 36", frozenset({"JP"})),
    "K": Programme("Agreement on Trade in Pharmaceutical Products", "General Note 13"),
    "KR": Programme("United States-Korea Free Trade Agreement", "General Note 33", frozenset({"KR"})),
    "L": Programme("Uruguay Round concessions on intermediate chemicals for dyes", "General Note 14"),
    "MA": Programme("United States-Morocco Free Trade Agreement", "General Note 27", frozenset({"MA"})),
    "NP": Programme("Nepal Preference Program", "General Note 3(c)", frozenset({"NP"})),
    "OM": Programme("United States-Oman Free Trade Agreement", "General Note 31", frozenset({"OM"})),
    "P": Programme("Dominican Republic-Central America Free Trade Agreement", "General Note 29", _CENTRAL_AMERICA),
    "P+": Programme("Dominican Republic-Central America Free Trade Agreement", "General Note 29", _CENTRAL_AMERICA),
    "PA": Programme("United States-Panama Trade Promotion Agreement", "General Note 35", frozenset({"PA"})),
    "PE": Programme("United States-Peru Trade Promotion Agreement", "General Note 32", frozenset({"PE"})),
    "R": Programme("Caribbean Basin Trade Partnership Act", "General Note 17"),
    "S": Programme("United States-Mexico-Canada Agreement", "General Note 11", _NORTH_AMERICA),
    "S+": Programme("United States-Mexico-Canada Agreement", "General Note 11", _NORTH_AMERICA),
    "SG": Programme("United States-Singapore Free Trade Agreement", "General Note 25", frozenset({"SG"})),
}
