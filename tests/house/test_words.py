"""What people read is in the words of brokers, one term a thing: a phrase that confused a reader never comes back."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSTEAD = {
    r"person's eye|\bfor your eye\b|pair of eyes": "needs review",
    r"what else it could be": "alternatives",
    r"\bholds? to \d|digits that hold|\bdigits hold\b": "reliable to N digits; digits still valid",
    r"heed(s|ed)? the notes": "check notes",
    r"weigh(s|ed)? the doubt": "assess confidence",
    r"what lies below|lies below (a|the) code": "subdivisions",
    r"may be declared": "declarable",
    r"notes? (of the law )?that speaks? of": "legal notes",
    r"\bovertaken\b|\bovertakes?\b|\bovertook\b|\bstale\b": "outdated",
    r"codes? went\b|\b(has|have|got) other words\b": "removed or reworded",
    r"(?<!rulings )\bmend(s|ed|ing)?\b": "fix, or repair",
    r"\bcame? to nothing\b": "gave no usable reply",
    r"answer stands|own answer stands": "the engine's answer is kept",
    r"\bgiven up\b|\bgives up\b": "failed",
    r"\bunder way\b": "in progress",
    r"\banew\b": "again",
    r"\bseal(ed|s)?\b": "encrypted",
    r"answers (now|again)\b|(revision|one|edition) that answers|let it answer|lets? .{0,40} answer\b": "current",
    r"\b(revision|schedule|backup|one|file) is (not )?whole\b|not a whole one": "complete, incomplete",
    r"(?<!there )\b(is|are) no (?!longer|such|more|less|other)": "is not a ...",
    r"\b(state|way) of things\b": "current state",
    r"\bsuch a thing\b|no such thing": "not found",
    r"most akin go|\bakin go\b": "classified with the goods to which they are most akin (GRI 4)",
    r"equal claims?\b": "merit equal consideration (GRI 3)",
    r"heart beats": "running worker",
    r"\blooks at\b.{0,20}\bagain\b": "review again",
    r"put (right|wrong)\b": "now correct, now wrong",
    r"\bis law\b": "in force",
    r"\bmake a new one\b": "Create secret",
}
"""What was written once, as a regular expression, and what is said instead."""


@cache
def _texts() -> tuple[tuple[str, str], ...]:
    """Where every text stands that people read outside the log, and what it says."""
    return tuple(_each_text())


def _each_text() -> Iterator[tuple[str, str]]:
    for page in [*ROOT.glob("src/pcs/*/templates/**/*.html"), *ROOT.glob("docs/*.md"), ROOT / "README.md"]:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{page.relative_to(ROOT)}:{number}", re.sub(r"\{[%{].*?[%}]\}|<[^>]*>", " ", line)
    for module in sorted((ROOT / "src" / "pcs").rglob("*.py")):
        if module.name != "prompts.py" and "migrations" not in module.parts:  # read by a model, by a database
            yield from _strings(module, shown=module.parent.name in {"cli", "http", "wire"})


def _strings(module: Path, *, shown: bool) -> Iterator[tuple[str, str]]:
    """A module's texts: its strings and, where they are shown, the docstrings that become help or reference."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= set(_unseen(tree, shown=shown))
    for node in ast.walk(tree):
        if id(node) in inner or not isinstance(node, ast.JoinedStr | ast.Constant):
            continue
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(_text(part) for part in parts)
        if " " in text:
            yield f"{module.relative_to(ROOT)}:{node.lineno}", " ".join(text.split())


def _unseen(tree: ast.Module, *, shown: bool) -> Iterator[int]:
    """Docstrings of what nobody outside sees: modules, values, functions that are no command and no endpoint."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for place, part in enumerate(body if isinstance(body, list) else []):
            if isinstance(part, ast.Expr) and not (place == 0 and shown and _is_public(node)):
                yield id(part.value)


def _text(part: ast.expr) -> str:
    """A string as written; what is filled in at run time is left out."""
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def _is_public(node: ast.AST) -> bool:
    """Whether a docstring is shown: of a wire shape, an endpoint, an assistant's tool or a command."""
    name = getattr(node, "name", None) or "_"
    is_shape = isinstance(node, ast.ClassDef)
    return not name.startswith("_") and (is_shape or bool(getattr(node, "decorator_list", None)) or name == "command")


@pytest.mark.parametrize("phrase", INSTEAD)
def test_people_read_the_field_s_words(phrase: str) -> None:
    found = [f"{where}: {text[:160]}" for where, text in _texts() if re.search(phrase, text, re.IGNORECASE)]
    assert found == [], f"say instead: {INSTEAD[phrase]}"


def test_the_walk_sees_each_kind_of_text() -> None:
    texts = [text for _, text in _texts()]
    assert any("Classify every labelled case" in text for text in texts), "the help of a command"
    assert any("List the schedules and the current revision" in text for text in texts), "the words of an endpoint"
    assert any("Matched terms:" in text for text in texts), "a sentence of the reasoning"
    assert any("Analysis steps" in text for text in texts), "a title of a page"
    assert any("Self-hosted, offline" in text for text in texts), "a document"


_NOUN = r"(?:(?:more|completed|drawn) )*[a-z]+s\b"
_BARE_COUNT = re.compile(rf"\{{(?!_?[A-Z]|limits|len\(cells\))[^{{}}]*:,\}} {_NOUN}|(?<!most) \| number \}}\}} {_NOUN}")
"""A number beside a plural that stays one for one thing; a limit, and what is above one, is never one."""


def test_a_count_agrees_with_its_noun() -> None:
    assert _BARE_COUNT.search("{found.good:,} products classified")
    assert _BARE_COUNT.search("<p>{{ left | number }} more reviews")
    assert not _BARE_COUNT.search("{MOST:,} rows, {counted(rows, 'row')}, {bytes:,.1f} MB, {{ most | number }} rows")
    files = [path for kind in ("py", "html") for path in sorted((ROOT / "src" / "pcs").rglob(f"*.{kind}"))]
    lines = ((path, line) for path in files for line in path.read_text(encoding="utf-8").splitlines())
    found = [f"{path.relative_to(ROOT)}: {line.strip()[:160]}" for path, line in lines if _BARE_COUNT.search(line)]
    assert found == [], "say it with `counted` of pcs.base.plurals"
