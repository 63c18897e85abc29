"""What to feed a regular expression to make it slow: its own prefixes and its own repetitions, again and again.

The trap: shapes thought up by a person, who thinks of those that he has seen; these are made from the pattern."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _constants as op
from re import _parser as parser
from types import ModuleType
from typing import Any

import pcs
from own_modules import own_modules

SOURCE = Path(pcs.__file__).parent
WHOLE = {"match", "fullmatch"}
_METHODS = {"search", "sub", "subn", "split", "findall", "finditer", *WHOLE}
_TAKES_A_PATTERN = _METHODS | {"compile"}
_PLAIN = ("a", "0", " ", "\n", '"', "\\", '\\"', "<", "(", "a ", "0 ", "a0", "-", ",", ", ")


def patterns(elsewhere: dict[str, list[str]]) -> dict[str, tuple[re.Pattern[Any], bool]]:
    """Every pattern of ours by its place, and whether it begins only where a text begins.

    `elsewhere` says what those can be that the source does not say: those must be in it.
    """
    found: dict[str, tuple[re.Pattern[Any], bool]] = {}
    for module in own_modules():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for name, pattern in vars(module).items():
            if isinstance(pattern, re.Pattern):
                found[f"{module.__name__}.{name}"] = pattern, _uses(tree, name) <= WHOLE and bool(_uses(tree, name))
        for call in _calls_of_re(tree):
            for number, text in enumerate(_texts(call.args[0], module, elsewhere)):
                place = f"{module.__name__}:{call.lineno}.{number}"
                found[place] = re.compile(text), isinstance(call.func, ast.Attribute) and call.func.attr in WHOLE
    return found


def _uses(tree: ast.AST, name: str) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    } & _METHODS


def _calls_of_re(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls such as `re.fullmatch(…)`; those that make a module's own patterns are found by name."""
    top = {id(node.value) for node in getattr(tree, "body", ()) if isinstance(node, ast.Assign | ast.AnnAssign)}
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) and id(node) not in top else None
        of_re = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"
        if isinstance(node, ast.Call) and of_re and getattr(called, "attr", "") in _TAKES_A_PATTERN:
            yield node


def _texts(node: ast.expr, module: ModuleType, elsewhere: dict[str, list[str]]) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.Name) and isinstance(known := getattr(module, node.id, None), str):
        return [known]
    return elsewhere[f"{module.__name__}: {ast.unparse(node)}"]


def shapes(pattern: re.Pattern[Any]) -> list[Callable[[int], str]]:
    """Functions from a length to a text of about that length, each hostile to this pattern in a way of its own."""
    tree = parser.parse(pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1"))
    pieces: dict[tuple[str, str], None] = {("", plain): None for plain in _PLAIN}
    for before, repeated in _pieces(list(tree), ""):
        if repeated:
            pieces[before, repeated] = None
        if before:
            pieces["", before] = None
            pieces["", before + repeated] = None
    return [_shape(*piece, ending) for piece in pieces for ending in ("", "\x01")]


def _shape(before: str, repeated: str, ending: str) -> Callable[[int], str]:
    def made(length: int) -> str:
        return before + repeated * max(1, length // len(repeated)) + ending

    return made


def _pieces(nodes: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Pairs of a text that the pattern takes so far, and one that it takes there again and again."""
    for kind, argument in nodes:
        for inner in _inner(kind, argument):
            yield from _pieces(inner, before)
        if kind in _REPEATS:
            yield from ((before, one) for one in _samples(list(argument[2])))
        before += _samples([(kind, argument)])[0]
        yield before, ""


_REPEATS = {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}


def _inner(kind: Any, argument: Any) -> list[list[Any]]:
    if kind is op.BRANCH:
        return [list(one) for one in argument[1]]
    if kind in _REPEATS:
        return [list(argument[2])]
    if kind is op.SUBPATTERN:
        return [list(argument[3])]
    if kind is op.ATOMIC_GROUP:
        return [list(argument)]
    return [list(argument[1])] if kind in {op.ASSERT, op.ASSERT_NOT} else []


def _samples(nodes: list[Any]) -> list[str]:
    """Some texts that these nodes take: of every branch the first, of every class two letters."""
    texts = [""]
    for kind, argument in nodes:
        choices = _choices(kind, argument)
        texts = [text + choice for text in texts for choice in choices][:6]
    return texts


def _choices(kind: Any, argument: Any) -> list[str]:
    if kind in {op.LITERAL, op.NOT_LITERAL}:
        return [chr(argument + (kind is op.NOT_LITERAL))]
    if kind is op.ANY:
        return ["a", " "]
    if kind is op.IN:
        return _letters(argument)
    if kind in _REPEATS:
        lowest = max(1, argument[0])
        return [one * lowest for one in _samples(list(argument[2]))]
    if kind in {op.ASSERT, op.ASSERT_NOT, op.AT, op.GROUPREF}:
        return [""]
    return [one for inner in _inner(kind, argument) for one in _samples(inner)[:2]] or [""]


_CATEGORY = {op.CATEGORY_DIGIT: "0", op.CATEGORY_SPACE: " ", op.CATEGORY_WORD: "a", op.CATEGORY_NOT_WORD: "-"}


def _letters(members: Any) -> list[str]:
    letters = []
    for kind, argument in members:
        if kind is op.LITERAL:
            letters.append(chr(argument))
        elif kind is op.RANGE:
            letters.append(chr(argument[0]))
        elif kind is op.CATEGORY:
            letters.append(_CATEGORY.get(argument, "a"))
    if members[0][0] is op.NEGATE:
        return [one for one in ("a", " ", "0", "(") if one not in letters][:2]
    return letters[:3]
