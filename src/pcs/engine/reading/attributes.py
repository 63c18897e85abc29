"""Attributes of goods ("outer_material": "leather") as facts that were said: what is known of a name is the part, the
measure or the question that it speaks of. The trap: every attribute read as words; a colour code or a season is no
fact, so a name that nobody asks about says nothing."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import lru_cache

from pcs.engine.product import Product
from pcs.engine.reading.materials import MAIN, SLOTS
from pcs.engine.reading.slots import GOODS, MEASURES, USE

_AT_ONCE = 1024
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_LETTER = re.compile(r"[\W_]{1,64}")
_OF_A_PART = re.compile(r" (?:material|materials|fabric|surface|composition)$")
_ALIASES = {
    **dict.fromkeys(("material", "materials", "main material", "fabric", "composition", "made of", "metal"), MAIN),
    **dict.fromkeys(("exterior", "shell", "outside", "surface", "outer surface material"), "outer"),
    **dict.fromkeys(("stuffing", "padding"), "filling"),
    **dict.fromkeys(("outsole",), "sole"),
    **dict.fromkeys(("inner", "inside", "interior"), "lining"),
    **dict.fromkeys(("type", "kind", "product type", "category", "item", "goods"), GOODS),
    **dict.fromkeys(("use", "usage", "purpose", "intended use", "function", "used for"), USE),
    **dict.fromkeys(("price", "unit value", "unit price", "customs value"), "value"),
    **dict.fromkeys(("net weight",), "weight"),
    **dict.fromkeys(("fabric weight", "gsm"), "grammage"),
}
_READ_AS_SAID = frozenset(
    "gender,sex,age,user,audience,state,condition,construction,finish,processing,form,shape,age group,target gender,"
    "power source,knitted or woven,fibre content,fiber content,cas,cas number,cas no,un number,un no".split(",")
)


@lru_cache(maxsize=_AT_ONCE)
def fact_name(name: str) -> str:
    """The name of an attribute as questions have theirs.

    >>> fact_name("outerMaterial"), fact_name(" Outer_Material ")
    ('outer material', 'outer material')
    """
    return _NO_LETTER.sub(" ", _CAMEL.sub(" ", name[:200])).strip().lower()


@lru_cache(maxsize=_AT_ONCE)
def slot_of(name: str) -> str | None:
    """The slot that an attribute speaks of; None for a name that is no slot's.

    >>> slot_of("outer_material"), slot_of("fabric"), slot_of("season")
    ('outer', 'main', None)
    """
    known = fact_name(name)
    if known in _ALIASES:
        return _ALIASES[known]
    part = _OF_A_PART.sub("", known)
    if part in _ALIASES or part in SLOTS or part in MEASURES:
        return _ALIASES.get(part, part)
    return None


def laid_out(product: Product, asked: Container[str]) -> Product:
    """The product with its known attributes as lines of its description, before all else, and without the others;
    `asked` are the names of all questions."""
    known = tuple(
        (name, " ".join(value.split()))
        for name, value in product.attributes
        if value.strip() and (slot_of(name) or fact_name(name) in asked or fact_name(name) in _READ_AS_SAID)
    )
    lines = [f"{fact_name(name).capitalize()}: {value}" for name, value in known]
    description = "\n".join([*lines, *([product.description] if product.description else [])])
    return replace(product, description=description, attributes=known)


def put_back(product: Product, attributes: Sequence[tuple[str, str]]) -> Product:
    """A laid out product after it was put into English, its attributes' values with it."""
    lines = product.description.split("\n")[: len(attributes)]
    said = (line.partition(": ")[2].strip() for line in lines)
    return replace(
        product, attributes=tuple((name, told or value) for (name, value), told in zip(attributes, said, strict=False))
    )
