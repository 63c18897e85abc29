"""Every spreadsheet that an office writes is read the same; what is none is refused in words."""

import csv
import datetime as dt
import io
import itertools
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import BinaryIO

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pcs.products.columns import columns_of, known_titles
from pcs.products.tables import ProductTable, read_table, require_name
from pcs.spreadsheets.model import Limits, Sheet, SpreadsheetError
from pcs.spreadsheets.reading import read_sheet

LIMITS = Limits(bytes=64 * 1024 * 1024, rows=1_000_000, unpacked=128 * 1024 * 1024)
GERMAN = [
    ["Artikelnummer", "Bezeichnung", "Beschreibung", "Ursprungsland"],
    ["00815", "Küchenmesser", "Klinge aus Stahl; 20 cm", "DE"],
    ["4711", "Bügelbrett", 'mit "Ärmelbrett",\nfür den Haushalt', "TR"],
]
CODECS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]


def sheet_of(content: bytes, limits: Limits = LIMITS) -> Sheet:
    return read_sheet(io.BytesIO(content), limits, known_titles)


def table_of(content: bytes, limits: Limits = LIMITS) -> ProductTable:
    return read_table(io.BytesIO(content), limits)


def cells(content: bytes) -> list[list[object]]:
    sheet = sheet_of(content)
    return [list(sheet.titles), *(list(row.cells) for row in sheet.rows())]


def delimited(rows: list[list[str]], delimiter: str, *, quoting: int = csv.QUOTE_MINIMAL, ends: str = "\r\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=ends).writerows(rows)  # type: ignore[arg-type]
    return text.getvalue()


def workbook(*sheets: list[list[object]], change: Callable[[openpyxl.Workbook], None] | None = None) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.worksheets[0])
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
        for cell in itertools.chain.from_iterable(sheet.iter_rows()):
            if cell.data_type == "f":
                cell.data_type = "s"  # a text, as spreadsheet programs write one that begins with "="
    if change:
        change(book)
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ends", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("said", [False, True])
def test_every_dialect_of_an_office_is_read_the_same(codec: str, delimiter: str, ends: str, *, said: bool) -> None:
    text = (f"sep={delimiter}{ends}" if said else "") + delimited(GERMAN, delimiter, ends=ends)
    assert cells(text.encode(codec)) == GERMAN


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufeff\u2028\u2029\x85")
    | st.sampled_from('";,\t\n'),
    max_size=30,
).map(lambda text: text.replace("\x00", ""))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(WORDS, min_size=4, max_size=4).filter(lambda row: any(map(str.strip, row))), min_size=1, max_size=8
    ),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
@example([["1,5", "2,5", "3,5", "4,5"]] * 3, ";", "utf-8", csv.QUOTE_MINIMAL, False)
@example([["a;b", "c;d", "e;f", "g;h"]] * 3, ",", "utf-16", csv.QUOTE_ALL, False)
def test_what_is_written_in_any_dialect_is_read_back_the_same(
    rows: list[list[str]], delimiter: str, codec: str, quoting: int, said: bool
) -> None:
    text = (f"sep={delimiter}\r\n" if said else "") + delimited([GERMAN[0], *rows], delimiter, quoting=quoting)
    assert cells(text.encode(codec)) == [GERMAN[0], *rows]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=4, max_size=4).filter(lambda row: any(map(str.strip, row))), max_size=6))
@example([["", "", "", "=0"]])
def test_what_is_written_as_a_workbook_is_read_back_the_same(rows: list[list[str]]) -> None:
    found = cells(workbook([GERMAN[0], *rows]))  # type: ignore[list-item]
    assert found == [GERMAN[0], *([*row] for row in rows)]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("Artikelnummer;Bezeichnung;Beschreibung;Ursprungsland", [1, 2, 0, 3]),
        ("Référence;Désignation;Description;Pays d'origine", [1, 2, 0, 3]),
        ("Referencia;Nombre;Descripción;País de origen", [1, 2, 0, 3]),
        ("Codice articolo;Nome;Descrizione;Paese d'origine", [1, 2, 0, 3]),
        ("Artikelnummer;Naam;Omschrijving;Land van oorsprong", [1, 2, 0, 3]),
        ("SKU;Product Name;Description;Country of Origin", [1, 2, 0, 3]),
        ("ART.-NR.;ARTIKELBEZEICHNUNG;LANGTEXT;HERKUNFTSLAND", [1, 2, 0, 3]),
        ("part_number;name;details;COO", [1, 2, 0, 3]),
    ],
)
def test_headers_are_known_in_six_languages(header: str, fields: list[int]) -> None:
    found = columns_of(header.split(";"))
    assert [found[name] for name in ("name", "description", "identifier", "country_of_origin")] == fields


@pytest.mark.parametrize("header", ["Artikelnummer;Omschrijving", "Référence;Description", "Nr;Beschreibung"])
def test_the_only_column_of_words_gives_the_names(header: str) -> None:
    assert columns_of(header.split(";"))["name"] == 1


def test_a_decimal_comma_is_no_delimiter() -> None:
    content = "Nazwa;Cena\nButy;1,50\nStół;2,50\nLampa;3,75\n".encode()
    assert cells(content) == [["Nazwa", "Cena"], ["Buty", "1,50"], ["Stół", "2,50"], ["Lampa", "3,75"]]


def test_one_column_of_texts_with_commas_is_one_column() -> None:
    table = table_of(b"Description\nShirt, of cotton\nTable, of oak, round\n")
    assert [row.product and row.product.name for row in table.rows()] == ["Shirt, of cotton", "Table, of oak, round"]


def test_titles_and_empty_rows_above_the_header_are_passed_over_and_rows_keep_their_numbers() -> None:
    content = b"Preisliste 2026;;\n\nArtikelnummer;Bezeichnung;Land\n\n1;Tisch;DE\n"
    table = table_of(content)
    assert table.sheet.header.number == 3
    [row] = table.rows()
    assert (row.row.place, row.product and row.product.name) == ("row 5", "Tisch")


def test_a_row_is_named_by_the_number_that_a_spreadsheet_shows_and_its_line_where_that_differs() -> None:
    table = table_of(b'sep=,\nname,country\n"two\nlines",GB\nx,ZZ\n')
    good, bad = table.rows()
    assert (good.row.place, bad.row.place) == ("row 2 (line 3)", "row 3 (line 5)")
    assert "column B, country" in bad.problems[0]


def test_a_row_with_too_many_cells_says_that_its_delimiter_needs_quotation_marks() -> None:
    bad, good = table_of(b"sku,name,country\n1,Table, of oak,DE\n2,Lamp,DE,\n").rows()
    assert bad.product is None
    assert "quotation marks around a text with a comma" in bad.problems[0]
    assert good.product is not None


def test_the_same_identifier_or_text_twice_is_told_and_not_dropped() -> None:
    found = table_of(b"sku,name\nA1,Lamp\na1,Table\nB2, lamp \n,Chair\n,Stool\n").survey()
    assert found.good == 5
    assert [str(one) for one in found.repeats] == [
        "row 3 has the same identifier as row 2",
        "row 4 has the same name and description as row 2",
    ]


def test_a_workbook_s_cells_are_as_they_are_shown() -> None:
    rows: list[list[object]] = [
        ["SKU", "Name", "Day", "Made", "Price", "Organic"],
        [4006381333931, "Pen", dt.datetime(2026, 1, 31), dt.datetime(2026, 1, 31, 7, 30), 12.5, True],  # noqa: DTZ001
        [123.0, "Cap", dt.date(2026, 2, 1), None, 0.1 + 0.2, None],
        [815, "Mug", None, None, -3, None],
    ]

    def change(book: openpyxl.Workbook) -> None:
        book.worksheets[0]["A4"].number_format = "00000"

    assert cells(workbook(rows, change=change))[1:] == [
        ["4006381333931", "Pen", "2026-01-31", "2026-01-31 07:30:00", "12.5", "TRUE"],
        ["123", "Cap", "2026-02-01", "", "0.3", ""],
        ["00815", "Mug", "", "", "-3", ""],
    ]


def test_merged_and_empty_rows_of_a_workbook() -> None:
    rows: list[list[object]] = [
        ["Price list 2026", None, None],
        [],
        ["SKU", "Name", "Origin"],
        [1, "Pen", "DE"],
        [2, "Cap", None],
        [],
        [3, "Mug", None],
    ]

    def change(book: openpyxl.Workbook) -> None:
        book.worksheets[0].merge_cells("A1:C1")
        book.worksheets[0].merge_cells("C4:C6")

    table = table_of(workbook(rows, change=change))
    read = [(one.row.number, one.product and one.product.country_of_origin) for one in table.rows()]
    assert read == [(4, "DE"), (5, "DE"), (7, None)]


def test_the_first_visible_sheet_that_holds_anything_is_read_whatever_size_it_claims() -> None:
    def change(book: openpyxl.Workbook) -> None:
        book.worksheets[1].sheet_state = "hidden"

    content = workbook([], [["Name"], ["hidden"]], [["Name"], ["shown"]], change=change)
    lying = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as good, zipfile.ZipFile(lying, "w") as bad:
        for part in good.infolist():
            bad.writestr(part, good.read(part).replace(b'<dimension ref="A1:A2"', b'<dimension ref="A1"'))
    assert cells(lying.getvalue()) == [["Name"], ["shown"]]


def bomb() -> bytes:
    file = io.BytesIO(workbook([["Name"], ["x"]]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros", bytes(LIMITS.unpacked))
    return file.getvalue()


def far_row() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook([["Name"], ["x"]]))) as good, zipfile.ZipFile(file, "w") as bad:
        for part in good.infolist():
            bad.writestr(part, good.read(part).replace(b'<row r="2"', b'<row r="99999999999"'))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b" \r\n\r\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\n" * 5_000, "has only empty cells"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"\xff\xd8\xff\xe0", "picture"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "old Excel file"),
        (b"<!DOCTYPE html><table>", "web page"),
        (b"PK\x03\x04\x00\x00", "damaged"),
        (bytes(range(256)) * 4, "not text"),
        (b"name\nx\x00y\n", "not text in"),
        (b"name\n\x81\x8d\xff\n", "not text in"),
        (workbook([]), "has only empty cells"),
        (bomb(), "unpacks to"),
        (far_row(), "beyond 1,048,576"),
        (workbook([["Name"] * 600]), "600 columns"),
        (b'name\n"' + b"a" * 200_000, "quotation mark"),
        (b'name,sku\n"open,1\nx,2\n', "row 2 (line 2): a quotation mark is opened"),
        (b'name,sku\nx,"open', "row 2 (line 2): a quotation mark is opened"),
        (b"name\n" + b"x" * 2_000_000, "line 2 has more than"),
    ],
)
def test_what_is_no_table_is_refused_in_words(content: bytes, why: str) -> None:
    with pytest.raises(SpreadsheetError) as refusal:
        list(sheet_of(content).rows())
    assert why in str(refusal.value)


def test_an_archive_that_is_no_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("goods.csv", "name\nx\n")
    with pytest.raises(SpreadsheetError, match="archive or a document of another kind"):
        sheet_of(file.getvalue())


def test_every_cut_of_a_workbook_is_refused_in_words() -> None:
    content = workbook([["Name"], ["x"]])
    for length in range(4, len(content), 97):
        with pytest.raises(SpreadsheetError):
            sheet_of(content[:length])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name:country\nTable:DE\n", "cannot be told into columns"),
        (b"sku,weight\n1,2\n", "no column that is called `name`"),
    ],
)
def test_a_table_without_names_says_what_it_found(content: bytes, why: str) -> None:
    with pytest.raises(SpreadsheetError) as refusal:
        require_name(table_of(content))
    assert why in str(refusal.value)


def test_only_a_header_and_too_many_rows_are_refused() -> None:
    with pytest.raises(SpreadsheetError, match="no rows below"):
        table_of(b"name,sku\n").survey()
    with pytest.raises(SpreadsheetError, match="more than 10 rows"):
        table_of(b"name\n" + b"x\n" * 11, Limits(1000, 10, 1000)).survey()
    assert table_of(b"name\n" + b"x\n" * 10, Limits(1000, 10, 1000)).survey().rows == 10


class Endless(io.RawIOBase):
    """A file of a given size that is never held: a header, then one row again and again."""

    def __init__(self, size: int) -> None:
        self.size, self.place, self.row = size, 0, b"4711;K\xc3\xbcchenmesser;Klinge aus Stahl, 20 cm lang;DE\n"

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.place = (0, self.place, self.size)[whence] + offset
        return self.place

    def read(self, size: int = -1) -> bytes:
        size = min(self.size - self.place if size < 0 else size, self.size - self.place)
        shift = self.place % len(self.row)
        begun = self.row * (size // len(self.row) + 2)
        found = begun[shift : shift + size]
        if self.place == 0:
            found = b"sku;name;text;land".ljust(len(self.row) - 1)[:size] + found[len(self.row) - 1 : size]
        self.place += size
        return found

    read1 = read


def test_memory_stays_flat_and_time_linear_on_a_large_file() -> None:
    def read(file: BinaryIO) -> tuple[float, int]:
        began = time.process_time()
        tracemalloc.start()
        rows = sum(1 for _ in table_of_file(file).sheet.rows())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return (time.process_time() - began) / rows, peak

    small, flat = read(Endless(1_000_000))  # type: ignore[arg-type]
    large, peak = read(Endless(16_000_000))  # type: ignore[arg-type]
    assert peak < flat + 500_000
    assert large < 3 * small


def table_of_file(file: BinaryIO) -> ProductTable:
    return read_table(file, LIMITS)


def test_a_file_of_200_megabytes_is_refused_unread() -> None:
    with pytest.raises(SpreadsheetError, match="has 200 MB and may have 64 MiB"):
        table_of_file(Endless(200_000_000))  # type: ignore[arg-type]
