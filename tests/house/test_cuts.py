"""Nothing that a person typed or is shown is cut silently. The trap: a slice is easily written and its cut never seen;
so each slice with an end that what people write or read passes is judged here, with the reason why it cuts no text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "pcs"
WALKED = (
    *("batches", "classifications", "cli", "dashboard", "http", "lists", "organizations", "products", "reviews"),
    *("rulings", "sandbox", "spreadsheets", "uploads", "webhooks", "wire"),
)
JUDGED = {
    "classifications/polling.py: self._waiting[:_MOST]": "the others go with the next statement",
    "classifications/reclassifying.py: answers[start:start + MAX_PRODUCTS]": "the next batch begins where one ends",
    "cli/classify.py: found.repeats[:_REPEATS_SHOWN]": "a line says how many more there are",
    "cli/decisions.py: found.problems[:_SHOWN]": "a line says how many more there are",
    "cli/rulings.py: standings[:limit or None]": "--limit; a line says how many there are",
    "cli/schedules.py: chosen[:limit or None]": "--limit; a line says how many there are",
    "cli/schedules.py: one['digest'][:12]": "the beginning of a digest",
    "cli/schedules.py: stored.revision.digest[:12]": "the beginning of a digest",
    "cli/starter.py: wrong[:_MOST_SHOWN]": "a line says how many more there are",
    "dashboard/decisions.py: found.problems[:_PROBLEMS]": "a line says how many more there are",
    "dashboard/factor_forms.py: secret[at:at + 4]": "the next group begins where one ends",
    "dashboard/pages.py: code[:digits]": "the reliable digits, to know where they end",
    "dashboard/pages.py: written[:cut]": "the rest stands behind it, dimmed",
    "dashboard/pages.py: hashlib.sha256(file.read_bytes()).hexdigest()[:12]": "the beginning of a digest",
    "dashboard/palette.py: library.search(name, words)[:_MOST // 2]": "the last line finds all of them",
    "dashboard/review.py: list(dict.fromkeys(asked or own))[:_MOST_COMPARED]": "as many as stand side by side",
    "dashboard/security.py: secrets.digest(f'browser of {member_id} {mark}').hex()[:_TOKEN_LENGTH]": "a token",
    "dashboard/security.py: secrets.digest(f'form {holder}').hex()[:_TOKEN_LENGTH]": "a token",
    "dashboard/templates/record.html: codes[:most]": "the other codes follow, without their words",
    "dashboard/templates/record.html: notes[:most]": "a line says how many more there are, and where",
    "dashboard/templates/review.html: result.alternatives[:by_key]": "the others are on the classification's page",
    "dashboard/templates/upload_preview.html: string)[:1]": "the first letter; the rest follows",
    "dashboard/tree.py: path[:-1]": "all levels but the last, which is drawn otherwise",
    "dashboard/uploads.py: found.first[:_PREVIEW]": "the page says: the first of so many",
    "dashboard/uploads.py: found.repeats[:_REPEATS]": "a line says how many more there are",
    "dashboard/visit.py: words[:1]": "the first letter; the rest follows",
    "http/bodies.py: error.msg[:1]": "the first letter; the rest follows",
    "http/errors.py: details[:_MOST_DETAILS]": "the message says how many there are",
    "http/searching.py: found.hits[:query.limit]": "as many as were asked for",
    "http/violations.py: message[:1]": "the first letter; the rest follows",
    "organizations/audit.py: found[:limit]": "a page of the list; the next one follows",
    "organizations/second_factors.py: text[at:at + 4]": "the next group begins where one ends",
    "products/columns.py: title[:200]": "which column it is; the title itself stays whole",
    "rulings/files.py: str(value)[:10]": "the day of a time",
    "sandbox/simulation.py: others[:2]": "simulated alternatives",
    "spreadsheets/delimited.py: header.cells[:width_of(header.cells)]": "empty cells at the end",
    "spreadsheets/delimited.py: sample[:sample.rfind('\\n') + 1]": "what is looked at to find the delimiter",
    "spreadsheets/workbooks.py: header.cells[:width_of(header.cells)]": "empty cells at the end",
    "spreadsheets/writing.py: text[:1]": "looked at only",
    "uploads/results.py: found[place:place + each]": "one part of all",
    "webhooks/transport.py: chunk[:_KEPT_BYTES - len(answer.kept)]": "the page says that at most 2 KB are kept",
}
"""A slice, and why it cuts nothing silently."""


def _slices(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
            yield f"{module.relative_to(SOURCE)}: {ast.unparse(node)}"


def _found() -> set[str]:
    modules = [module for package in WALKED for module in sorted((SOURCE / package).rglob("*.py"))]
    pages = [page for package in WALKED for page in sorted((SOURCE / package).rglob("templates/*.html"))]
    in_pages = {
        f"{page.relative_to(SOURCE)}: {found}"
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        for found in re.findall(r"[\w.)]*(?:truncate|maxlength|\[\s*:\s*[\w.]+\s*\])", line)
    }
    assert len(modules) > 100, "the walk found the modules"
    assert len(pages) > 20, "the walk found the pages"
    return in_pages | {one for module in modules for one in _slices(module)}


def test_every_cut_is_judged() -> None:
    assert _found() - set(JUDGED) == set(), "refuse in words, keep it whole, or mark the cut (base/text.py: shortened)"


def test_what_was_judged_is_still_there() -> None:
    assert set(JUDGED) - _found() == set()
