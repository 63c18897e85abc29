"""Whatever reads input from outside takes time in proportion to it: twice the input, twice the time, and no more.

A text is grown to 256 times its size; where the last fourfold growth costs more than ninefold (linear is four,
quadratic sixteen), and again at each of several measurements, the test fails."""

import functools
import json
import re
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pcs.base import ids
from pcs.base.countries import country
from pcs.base.errors import InvalidRequestError
from pcs.base.redaction import without_secrets
from pcs.base.text import normalized, storable
from pcs.cli.product_files import ProductFileError, products_in
from pcs.dashboard.entering import own_page
from pcs.dashboard.security import comes_from_us
from pcs.engine import text as engine_text
from pcs.engine.languages.english import Languages
from pcs.engine.languages.lexicon import lexicons
from pcs.engine.legal.composition import predominant
from pcs.engine.legal.contest import components
from pcs.engine.legal.packing import are_packed
from pcs.engine.product import Product
from pcs.engine.reading.fibre_shares import with_fibre_shares
from pcs.engine.reading.registry_numbers import with_names
from pcs.http.account import UsageQuery
from pcs.http.bodies import parsed
from pcs.http.bulk import BulkInput
from pcs.http.classifications import ClassificationQuery, ClassifyInput
from pcs.http.reviews import ReviewInput
from pcs.http.rulings import RulingQuery
from pcs.http.submitted import ProductEnvelope
from pcs.http.violations import violation
from pcs.http.webhooks import EndpointInput
from pcs.organizations import tokens
from pcs.products.intake import read_product, tidy_text
from pcs.products.languages import language
from pcs.reviewer import asking
from pcs.tariff.code import Code
from pcs.tariff.note_meaning import kind_of
from pcs.tariff.references import codes_named
from pcs.tariff.ruling import normal_reference, read_codes
from pcs.tariff.sources import markup
from pcs.tariff.sources.files import read_schedule
from pcs.tariff.sources.note_outline import outline
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.usitc_notes import read_notes
from pcs.uploads.reading import read_file
from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError
from pcs.wire import base as wire
from pcs_client.errors import WebhookError
from pcs_client.webhooks import read_webhook
from security.hostile import SOURCE, patterns, shapes

SIZES = [4**power for power in range(5)]  # 1, 4 … 256
BASE = 64  # characters
NOISE = 0.004  # seconds of processor time: under this a measurement says nothing
MOST = 9.0  # what fourfold input may cost: linear is 4, quadratic 16
HOPELESS = 1.5  # seconds for one reading of 16 KiB, on a machine of pace 1
KNOWN_WORK = 0.011  # seconds that known work takes on such a machine
ELSEWHERE = {
    "pcs.reviewer.deciding: f'\\\\b{re.escape(term.lower())}\\\\b'": [r"\bclutch bag\b"],
    "pcs.wire.base: self.pattern": [wire.CODE.pattern, wire.LINE.pattern, f"^{ids.SHAPE}$"],
    "pcs.spreadsheets.writing: f'([{others}{_BREAKS}])'": [r"([,;\t\n\r])"],
    "pcs.tariff.starter.form: f\"({'|'.join(lists)}): *(.*)\"": [r"(n|r|x|s|u|e): *(.*)", r"(b|w|g): *(.*)"],
}

Reader = Callable[[Any], object]
Shape = Callable[[int], Any]


def seconds(read: Reader, text: Any) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


def pace() -> float:
    """How many times as long as on the machine that limits in seconds were set on known work takes here and now."""
    known = min(seconds(re.compile(r"\w+").findall, "ab c " * 40_000) for _ in range(3))
    return max(known / KNOWN_WORK, 1.0)


def grows_too_fast(read: Reader, shape: Shape, base: int = BASE) -> str:
    """Why a reader is too slow for texts of this shape; nothing where it is not, as one of three measurements shows."""
    told = ""
    for _ in range(3):
        took: dict[int, float] = {}
        for size in SIZES:
            took[size] = seconds(read, shape(base * size))
            if took[size] > HOPELESS and took[size] > HOPELESS * pace():
                return f"{took[size]:.1f} s for {base * size} characters"
        growth = took[256] / max(took[64], NOISE / 16)
        if took[256] < NOISE or growth < MOST:
            return ""
        if took[256] < HOPELESS / 8 * pace() and seconds(read, shape(base * 1024)) / took[256] < MOST:
            return ""  # a step, such as of what is read only beyond a buffer's size
        told = f"{growth:.0f} times the time for 4 times the text, {took[256]:.3f} s"
    return told


PATTERNS = patterns(ELSEWHERE)


def searching(pattern: re.Pattern[Any], *, whole: bool) -> Reader:
    def read(text: str) -> None:
        subject = text if isinstance(pattern.pattern, str) else text.encode("latin-1")
        if whole:
            pattern.match(subject), pattern.fullmatch(subject)
        else:
            for _ in pattern.finditer(subject):
                pass

    return read


@pytest.mark.parametrize("place", PATTERNS)
def test_a_pattern_takes_linear_time_over_what_is_made_to_slow_it(place: str) -> None:
    pattern, whole = PATTERNS[place]
    read = searching(pattern, whole=whole)
    for shape in shapes(pattern):
        assert not (told := grows_too_fast(read, shape)), f"{pattern.pattern!r}: {told}, such as {shape(40)!r}"


def test_every_pattern_of_ours_is_among_them() -> None:
    assert {"pcs.organizations.members._EMAIL", "pcs.engine.text._TAGS", "pcs.base.redaction._LOOKS_SECRET"} <= {
        *PATTERNS
    }
    assert len(PATTERNS) > 80


@pytest.mark.parametrize("pattern", [re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL), re.compile(r"\s+$")])
def test_a_quadratic_pattern_is_found_out_by_the_shapes_made_from_it(pattern: re.Pattern[Any]) -> None:
    assert any(grows_too_fast(searching(pattern, whole=False), made) for made in shapes(pattern))


def of(model: Any) -> Reader:
    """Validate a value as an endpoint does, and name what is wrong with it."""
    adapter = TypeAdapter(model)

    def read(value: Any) -> None:
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            [violation({**one, "loc": ("body", *one["loc"])}) for one in error.errors()[:100]]

    return read


def field(*path: str) -> Callable[[Any], Any]:
    """A value inside objects of these names."""

    def wrapped(value: Any) -> Any:
        for name in reversed(path):
            value = {name: value}
        return value

    return wrapped


def repeated(piece: str, size: int) -> str:
    return piece * (size // len(piece))


TEXTS: dict[str, Shape] = {
    f"repeated {piece!r}": functools.partial(repeated, piece)
    for piece in (
        *("a", "0", " ", "\n", '"', '\\"', "<", "(", "<sup>", "a@", "://", "a.", "{", "[", "&", ",", ";", "\t"),
        *("\u00e9", "\u4e00", "\u0301", "\ufdfa", "heading 6109, ", "note 2 to ", '"x" means ', "100% cotton ", "```"),
        *("%", "(a) ", "svc_live_", "Bearer ", "password=", "+", "1 x ", "=", "\r"),
    )
} | {
    "marks that must be sorted": lambda size: "a" + "\u0301" * (size // 2) + "\u0327" * (size // 2),
    "marks on a row of letters": lambda size: ("a" + "\u0301" * 31 + "\u0327" * 31) * (size // 63),
    "an unclosed quote": lambda size: 'name\n"' + "a" * size,
    "quotes and commas": lambda size: "name,x\n" + '"a",' * (size // 4),
    "many columns": lambda size: ",".join(f"c{number}" for number in range(size // 4)) + "\nname\n",
    "many rows": lambda size: "name\n" + "a\n" * (size // 2),
    "a long word in a tag": lambda size: "<" + "a" * size,
}  # fmt: skip


def checked(read: Reader, *refusals: type[Exception]) -> Reader:
    expected: tuple[type[Exception], ...] = (*refusals, ValueError, InvalidRequestError)

    def reading(text: Any) -> None:
        try:
            read(text)
        except expected:
            return

    return reading


def words(text: str) -> tuple[object, ...]:
    runs = list(map(engine_text.letter_runs, engine_text.raw_words(text)))
    return engine_text.words(text), engine_text.without_purpose(text), runs


LANGUAGES = Languages(lexicons(), lambda _: 0.0)
READERS: dict[str, Reader] = {
    "a JSON body": lambda text: parsed(text.encode("utf-8", "replace")),
    "a JSON string": lambda text: parsed(json.dumps(text).encode()),
    "a number in JSON": lambda text: parsed(b"1" * len(text)),
    "a fraction in JSON": lambda text: parsed(b"0." + b"1" * len(text) + b"e-5"),
    "text on the wire": wire.clean,
    "a product of the API": lambda text: of(ProductEnvelope)({"name": text, "description": text, "identifier": text}),
    "a country": lambda text: country(text[:1000] + text),
    "an endpoint of webhooks": lambda text: of(EndpointInput)({"url": text, "secret": text}),
    "a webhook address": lambda text: AddressPolicy().check_url("https://" + text),
    "a webhook's host": lambda text: AddressPolicy().check_url(f"https://{text}/"),
    "a received webhook": lambda text: read_webhook(
        {"webhook-id": text, "webhook-timestamp": "1" if text[0] == "a" else text, "webhook-signature": text},
        text.encode("utf-8", "replace"),
        "whsec_" + "a" * 32,
        now=1.0,
    ),
    "a review": lambda text: of(ReviewInput)({"decision": "corrected", "code": text, "note": text}),
    "a query of classifications": lambda text: of(ClassificationQuery)(
        dict.fromkeys(("limit", "cursor", "identifier", "created_after", "needs_review"), text)
    ),
    "a query of usage": lambda text: of(UsageQuery)({"from": text, "to": text}),
    "a query of rulings": lambda text: of(RulingQuery)({"q": text, "code": text, "limit": text}),
    "an API key": tokens.environment_of,
    "an identifier": lambda text: ids.is_id("clf", "clf_" + text),
    "a log entry": without_secrets,
    "a normal form": lambda text: (normalized(text), normalized(text, "NFKD"), storable(text)),
    "a product of the dashboard": lambda text: (read_product({"name": text, "description": text}), tidy_text(text)),
    "an address of the dashboard": lambda text: (own_page("/dashboard/" + text), comes_from_us({"origin": text})),
    "an uploaded table": lambda text: read_file(BytesIO(text.encode("utf-8", "replace"))).close(),
    "words of goods": words,
    "goods in other languages": lambda text: LANGUAGES.readings(Product(text, text)),
    "goods in German": lambda text: LANGUAGES.readings(Product(text, text, language="de")),
    "goods in French": lambda text: LANGUAGES.readings(Product(text, text, language="fr")),
    "a language": lambda text: language(text[:1000] + text),
    "materials of goods": predominant,
    "packings of goods": are_packed,
    "fibres of goods": with_fibre_shares,
    "numbers of substances": lambda text: with_names(
        Product(f"{text} 67-63-0 " * 2, f"with UN1219 {text}"), {"67-63-0": "isopropyl alcohol"}
    ),
    "parts of goods": components,
    "a code": Code.parse,
    "codes of a ruling": lambda text: (read_codes(text), normal_reference(text)),
    "codes that a law names": codes_named,
    "a paragraph of law": kind_of,
    "an outline of notes": lambda text: outline(text.split("\n")),
    "mark-up": lambda text: (markup.from_html(text), markup.from_taric(text), markup.one_line(text)),
    "a model's reply": asking._parsed,  # noqa: SLF001 (what a reply says is read nowhere else)
}


@pytest.mark.parametrize("name", READERS)
def test_a_parser_takes_linear_time(name: str) -> None:
    read = checked(READERS[name], RefusedAddressError, WebhookError)
    for kind, shape in TEXTS.items():
        assert not (told := grows_too_fast(read, shape)), f"{kind}: {told}"


VALUES: dict[str, Shape] = {
    "many products": lambda size: [{"name": "a"}] * (size // 8),
    "many wrong products": lambda size: [{"name": 1, "description": 2}] * (size // 8),
    "many numbers": lambda size: list(range(size)),
    "many fields": lambda size: {f"f{number}": number for number in range(size)},
    "many nulls": lambda size: [None] * size,
}
FIELDS: dict[str, Reader] = {
    "products of a batch": lambda value: of(BulkInput)({"products": value, "schedules": ["US-HTS"]}),
    "schedules of a batch": lambda value: of(BulkInput)({"products": [{"name": "a"}], "schedules": value}),
    "a product": lambda value: of(ClassifyInput)({"product": value, "schedules": ["US-HTS"]}),
    "a body": of(BulkInput),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_body_of_many_things_takes_linear_time(name: str) -> None:
    for kind, shape in VALUES.items():
        assert not (told := grows_too_fast(FIELDS[name], shape)), f"{kind}: {told}"


def products_read(path: Path) -> None:
    with products_in(path) as table:
        table.survey()


FILES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a schedule as JSON": ("hts_2026_rev_10.json", read_schedule),
    "a schedule as CSV": ("hts_2026_rev_10.csv", read_schedule),
    "a schedule as RDF": ("cn2026.rdf", read_schedule),
    "notes as text": ("n.txt", lambda path: read_notes([path], "2026")),
    "notes as JSON": ("n.json", lambda path: read_notes([path], "2026")),
    "products as CSV": ("p.csv", products_read),
    "products as JSON lines": ("p.jsonl", products_read),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_takes_linear_time(name: str, tmp_path: Path) -> None:
    file_name, read_file = FILES[name]
    path = tmp_path / file_name

    def read(text: str) -> None:
        path.write_text(text, encoding="utf-8", errors="replace")
        checked(read_file, SourceError, ProductFileError)(path)

    for kind, shape in _file_shapes():
        assert not (told := grows_too_fast(read, shape)), f"{kind}: {told}"


def _file_shapes() -> Iterator[tuple[str, Shape]]:
    yield from list(TEXTS.items())[::3]
    yield "rows", lambda size: json.dumps([{"htsno": "6109", "indent": "0", "description": "a"}] * (size // 48))
    yield "lines", lambda size: '{"name": "T-shirt"}\n' * (size // 20)
    yield "elements", lambda size: "<rdf:RDF>" + "<a>" * (size // 3)


def test_normal_forms_are_made_in_one_place_which_takes_linear_time() -> None:
    """`unicodedata.normalize` sorts the marks of a letter in quadratic time; one that takes a single character may."""
    calling = [path.name for path in SOURCE.rglob("*.py") if "unicodedata.normalize(" in path.read_text("utf-8")]
    assert sorted(calling) == ["text.py", "writing.py"]
