"""Whatever comes in, a parser reads it or says in its own words what is wrong with it: no traceback, no hanging.

The inputs are what Hypothesis makes up: bytes, texts, good files with pieces changed, rows that a format may hold."""

import datetime as dt
import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl.utils.exceptions import IllegalCharacterError

from pcs.base.errors import InvalidRequestError
from pcs.cli.product_files import ProductFileError, products_in
from pcs.http.bodies import depth, parsed
from pcs.organizations import tokens
from pcs.tariff.code import Code
from pcs.tariff.packing import DamagedScheduleError, digest_of, unpack
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.usitc_notes import read_notes
from pcs.uploads.reading import read_file
from pcs.uploads.service import new_upload
from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError

FUZZ = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
HTS_FIELDS = ("htsno", "indent", "description", "superior", "units", "general", "special", "other", "footnotes")
HTS_ROWS = st.lists(st.dictionaries(st.sampled_from(HTS_FIELDS), JSON, max_size=9), max_size=6)
HTS = json.dumps(
    [
        {"htsno": "6109", "indent": "0", "description": "T-shirts", "superior": None, "units": []},
        {"htsno": "6109.10.00", "indent": "1", "description": "Of cotton", "units": ["doz."], "general": "16.5%"},
    ]
).encode()


def written(name: str, content: bytes, read: Callable[[Path], Any], *expected: type[Exception]) -> None:
    """Read a file with this content; only the expected exceptions may come of it, each with a message."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            read(path)
        except expected as error:
            complaint = str(error)
        else:
            return
    assert complaint.strip()


def xlsx(rows: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A good file with a piece cut out, doubled, or written over."""
    start = draw(st.integers(0, len(whole)))
    end = draw(st.integers(start, len(whole)))
    return whole[:start] + draw(st.binary(max_size=20) | st.just(whole[start:end] * 2)) + whole[end:]


NAMES = st.sampled_from(["hts_2026_rev_10.json", "hts_2026_rev_10.csv", "x.rdf", "taric_2025-08_EN.xlsx", "x.zip", "x"])


@FUZZ
@given(NAMES, st.binary(max_size=300) | damaged(HTS) | HTS_ROWS.map(lambda rows: json.dumps(rows).encode()))
@example("hts_2026_rev_10.json", b"[" * 100_000)
@example("hts_2026_rev_10.json", b"[1]")
@example("hts_2026_rev_10.json", b'[{"htsno": "6109", "indent": "99999999999999999999"}]')
@example("x.rdf", b"<rdf:RDF")
@example("x.rdf", b'<!DOCTYPE a [<!ENTITY b "c">]><rdf:RDF>&b;</rdf:RDF>')
@example("x.xlsx", b"PK\x03\x04")
def test_a_schedule_file_is_read_or_refused_in_words(name: str, content: bytes) -> None:
    written(name, content, read_schedule, SourceError)
    written(f"{name}.gz", gzip.compress(content), read_schedule, SourceError)
    written(f"{name}.gz", gzip.compress(content)[:-4], read_schedule, SourceError)


@FUZZ
@given(st.lists(st.lists(st.none() | st.integers() | st.text(max_size=12) | st.dates(), max_size=6), max_size=6))
@example([["Goods code", "Description", "Indent", "Language"], ["6109 10 00 00", None, None, None]])
def test_a_spreadsheet_is_read_or_refused_in_words(rows: list[list[Any]]) -> None:
    try:
        content = xlsx(rows)
    except IllegalCharacterError:
        return
    written("taric_2025-08_EN.xlsx", content, read_schedule, SourceError)


@FUZZ
@given(
    st.sampled_from(["n.txt", "n.pdf", "n.json", "n.zip"]),
    st.binary(max_size=300) | JSON.map(lambda one: json.dumps(one).encode()),
)
@example("n.pdf", b"%PDF-1.4\n%%EOF")
def test_a_file_of_notes_is_read_or_refused_in_words(name: str, content: bytes) -> None:
    written(name, content, lambda path: read_notes([path], "2026"), SourceError)


@FUZZ
@given(
    st.binary(max_size=400) | st.text(max_size=200).map(lambda text: f"name\n{text}".encode("utf-8", "surrogatepass"))
)
@example(b'name\n"' + b"a" * 200_000)
@example(b"name\n\xff\xfe")
def test_an_uploaded_table_is_read_or_refused_in_words(content: bytes) -> None:
    try:
        read = read_file(io.BytesIO(content))
    except InvalidRequestError as error:
        found = [str(violation.message) for violation in error.violations]
    else:
        with read:
            upload = new_upload("goods.csv", read, [ScheduleName.EU_CN], now=dt.datetime.now(dt.UTC))
            columns = upload.table().columns
            found = [row.row.place for part in read.next_parts() for row in upload.products(part, columns)]
    assert found


def read_products(path: Path) -> None:
    with products_in(path) as table:
        table.survey()


@FUZZ
@given(
    st.sampled_from(["p.csv", "p.jsonl", "p.xlsx"]),
    st.binary(max_size=300)
    | JSON.map(lambda one: json.dumps(one).encode())
    | st.lists(st.lists(st.text(max_size=20), max_size=5), max_size=5).map(
        lambda rows: ("name;sku\n" + "\n".join(map(";".join, rows))).encode("utf-16", "surrogatepass")
    ),
)
@example("p.jsonl", b"[" * 100_000)
@example("p.csv", b'name\n"' + b"a" * 200_000)
@example("p.csv", b"name\n" + b'"' * 200_000)
def test_a_file_of_products_is_read_or_refused_in_words(name: str, content: bytes) -> None:
    written(name, content, read_products, ProductFileError)


@FUZZ
@given(st.lists(st.lists(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.dates())))
def test_a_workbook_of_products_is_read_or_refused_in_words(rows: list[list[Any]]) -> None:
    try:
        content = xlsx([["Name", "SKU"], *rows])
    except (IllegalCharacterError, ValueError):
        return
    written("p.xlsx", content, read_products, ProductFileError)


@FUZZ
@given(JSON)
def test_a_body_is_as_deep_as_it_is(value: Any) -> None:
    def deep(one: Any) -> int:
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else None
        return 0 if inner is None else 1 + max(map(deep, inner), default=0)

    assert depth(value, most=16) == min(deep(value), 17)


@FUZZ
@given(st.binary(max_size=300) | JSON.map(lambda one: json.dumps(one).encode()))
@example(b'"' * 100_001)
@example(b'"\\' * 50_000)
@example(b"[" * 200_000)
@example(b'{"a":' * 200_000)
@example(b"9" * 5_000)
def test_a_body_is_read_or_refused_in_words(body: bytes) -> None:
    try:
        parsed(body)
    except InvalidRequestError as error:
        [violation] = error.violations
        assert violation.message.startswith(("must be valid JSON: ", "must not be nested deeper"))


@FUZZ
@given(st.text(max_size=60) | st.from_regex(r"svc_(live|test)_[0-9A-Za-z]{30,40}"))
def test_any_text_is_a_key_or_is_not(text: str) -> None:
    known = tokens.environment_of(text)
    assert known is None or text.startswith(f"svc_{known}_")


HOSTS = st.from_regex(r"[0-9a-zA-Z.\-\[\]:%@]{1,30}", fullmatch=True) | st.ip_addresses().map(str)


@FUZZ
@given(st.text(max_size=60) | HOSTS.map(lambda host: f"https://{host}/x"))
@example("https://[::1]")
@example("https://0x7f.1/")
@example("https://2130706433/")
@example("https://localhost.:443/")
@example("https://1.1.1.1@127.0.0.1/")
def test_any_webhook_address_is_taken_or_refused_in_words(url: str) -> None:
    try:
        AddressPolicy().check_url(url)
    except RefusedAddressError as error:
        complaint = str(error)
    else:
        complaint = "none" if url.lower().startswith("https://") else ""
    assert complaint


@FUZZ
@given(st.text(max_size=20))
def test_any_text_is_a_code_or_is_not(text: str) -> None:
    try:
        code = Code.parse(text)
    except ValueError as error:
        said = str(error)
    else:
        said = code if code.isascii() and code.isdigit() else ""
    assert said


@given(st.binary(max_size=200))
def test_what_is_stored_is_read_only_if_it_is_what_was_stored(content: bytes) -> None:
    revision = Revision(ScheduleName.US_HTS, "2026", digest_of(b"something else"))
    with pytest.raises(DamagedScheduleError):
        unpack(content, revision)


def test_a_zip_that_grows_without_end_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b" " * 30_000_000)
    written("taric_2025-08_EN.xlsx", file.getvalue(), read_schedule, SourceError)
