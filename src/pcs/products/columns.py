"""Which column of a customer's table gives which field of a product, by its title in six languages.

The trap: a table with one column of words, called a description; a product needs a name, so these words are it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pcs.base.text import normalized
from pcs.products.attributes import PREFIX

# English, German, French, Spanish, Italian, Dutch; each line from the most to the least telling
_TITLES = {
    "name": """
        name, product name, item name, article name, product title, goods, product, item, article, title
        bezeichnung, artikelbezeichnung, produktbezeichnung, warenbezeichnung, produktname, artikelname, benennung
        ware, produkt, artikel, titel
        nom, nom du produit, nom de l article, designation, libelle, intitule, produit, titre
        nombre, nombre del producto, nombre del articulo, denominacion, producto, articulo, titulo
        nome, nome prodotto, nome del prodotto, nome articolo, denominazione, prodotto, articolo, titolo
        naam, productnaam, artikelnaam, benaming
    """,
    "description": """
        description, product description, item description, article description, goods description
        description of goods, long description, details, text
        beschreibung, artikelbeschreibung, produktbeschreibung, warenbeschreibung, langtext, einzelheiten
        description du produit, description de l article, descriptif, details du produit
        descripcion, descripcion del producto, descripcion del articulo, detalles
        descrizione, descrizione prodotto, descrizione del prodotto, descrizione articolo, dettagli
        omschrijving, beschrijving, productomschrijving, productbeschrijving, artikelomschrijving
    """,
    "identifier": """
        identifier, sku, part number, part no, item number, item no, article number, article no, product number
        product code, item code, product id, reference, id
        artikelnummer, artikelnr, artikel nr, art nr, artnr, produktnummer, produktnr, produktcode, materialnummer
        materialnr, sachnummer, teilenummer, bestellnummer, kennung
        reference produit, reference article, numero d article, code article, code produit, ref, identifiant
        referencia, numero de articulo, codigo de articulo, codigo del articulo, codigo del producto
        codigo de producto, codigo, identificador
        codice articolo, numero articolo, codice prodotto, riferimento, codice, identificativo
        productnummer, artikelcode, referentie
        gtin, ean
    """,
    "country_of_origin": """
        country of origin, origin country, origin, coo, country
        ursprungsland, herkunftsland, ursprung, herkunft, land
        pays d origine, pays origine, origine, provenance, pays
        pais de origen, pais origen, origen, procedencia, pais
        paese di origine, paese d origine, paese origine, provenienza, paese
        land van oorsprong, land van herkomst, oorsprong, herkomst
    """,
    "language": """
        language, language code, lang
        sprache, sprachcode
        langue, idioma, lingua, taal, jezyk
    """,
    "entry_date": """
        entry date, date of entry, entry day, import date, date of import, einfuhrdatum, einfuhrtag, datum der einfuhr
        date d entree, date d importation, fecha de entrada, fecha de importacion, data di importazione, invoerdatum
    """,
    "attributes": """
        attributes, product attributes, attribute, eigenschaften, merkmale, attributs, caracteristiques, atributos
        attributi, kenmerken
    """,
    "declared_codes.US-HTS": """
        declared codes us hts, declared us hts, us hts, hts code, hts number, hts no, hts, htsus
        htsus code, htsus number, us hts number, us tariff number
    """,
    "declared_codes.EU-CN": """
        declared codes eu cn, declared eu cn, eu cn, cn code, cn number, taric code, taric, taric number
        kn code, warennummer, zolltarifnummer, code nc, nomenclature combinee, codigo nc, codice nc, gn code
    """,
}
# A filed code whose schedule the title does not tell
_FILED = """
    declared code, filed code, hs code, hs number, hs tariff code, hs, tariff code, tariff number, tariff no
    customs tariff number, customs code, commodity code, zolltarif, hs nummer, code sh, code douanier, code tarifaire
    codigo arancelario, partida arancelaria, codice doganale, codice sa, goederencode, kod taryfy
"""


def _titles(lines: str) -> tuple[str, ...]:
    return tuple(title for line in lines.split("\n") if line.strip() for title in line.strip().split(", "))


_KNOWN = {name: _titles(lines) for name, lines in _TITLES.items()}
_ALL = frozenset(title for titles in _KNOWN.values() for title in titles)


def columns_of(titles: Sequence[str]) -> dict[str, int]:
    """The place of the column of each field that is recognised, counted from 0.

    >>> columns_of(["Artikelnummer", "Bezeichnung", "Beschreibung", "Ursprungsland"])
    {'name': 1, 'description': 2, 'identifier': 0, 'country_of_origin': 3}
    >>> columns_of(["Référence", "Description", "Pays d'origine"])
    {'name': 1, 'identifier': 0, 'country_of_origin': 2}
    """
    plain = [plain_title(title) for title in titles]
    found = {
        name: plain.index(title)
        for name, known in _KNOWN.items()
        if (title := next((title for title in known if title in plain), None)) is not None
    }
    if "name" not in found and "description" in found:
        found = {"name": found.pop("description"), **found}
    return found | attribute_columns(titles)


def attribute_columns(titles: Sequence[str]) -> dict[str, int]:
    """The place of each column of one attribute, which its title names, counted from 0.

    >>> attribute_columns(["SKU", "Attribute: outer material"])
    {'attribute:outer material': 1}
    """
    parted = [(place, *title.partition(":")) for place, title in enumerate(titles)]
    return {
        f"{PREFIX}{name.strip()}": place
        for place, kind, colon, name in reversed(parted)
        if colon and name.strip() and plain_title(kind) in {"attribute", "attributes"}
    }


def filed_column(titles: Sequence[str]) -> int | None:
    """The place of the first column of filed codes that does not say of which schedule they are, counted from 0.

    >>> filed_column(["SKU", "HS code"])
    1
    """
    plain = [plain_title(title) for title in titles]
    return next((plain.index(title) for title in _titles(_FILED) if title in plain), None)


def known_titles(titles: Sequence[str]) -> int:
    """How many of these are titles of a column."""
    return len({plain_title(title) for title in titles} & _ALL) + len(attribute_columns(titles))


def plain_title(title: str) -> str:
    """A title in small letters, without accents, signs and what stands in brackets.

    >>> plain_title(" Art.-Nr. "), plain_title("PAÍS_DE_ORIGEN"), plain_title("Name (max. 80)")
    ('art nr', 'pais de origen', 'name')
    """
    bare = title[:200].partition("(")[0] or title[:200]
    letters = normalized(bare.casefold(), "NFKD")
    spaced = "".join(mark if mark.isalnum() else " " for mark in letters if not unicodedata.combining(mark))
    return " ".join(spaced.split())
