"""What was understood of a product: the one typed answer of the reading stage. The trap: a bag of words; each part says
what it is about, and what is denied is kept apart from what is said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pcs.engine.product import Product
from pcs.engine.reading.head import head_of
from pcs.engine.reading.materials import Material, materials
from pcs.engine.reading.polarity import affirmed, denials
from pcs.engine.reading.quantities import Quantity, quantities, unmeasured
from pcs.engine.reading.segments import in_order

_PART = re.compile(r"\b(?:parts?|accessor(?:y|ies)|spares?|replacement|components?|attachments?|for)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A product as it was read: all that was said, its name and description without what they deny, what is denied,
    what the goods are called, whether a part or a use is spoken of, materials by part, quantities, the language that it
    was said in, and the attributes that answer questions by their names."""

    text: str
    name: str
    description: str
    denied: tuple[str, ...]
    head: str
    part: bool
    materials: tuple[Material, ...]
    quantities: tuple[Quantity, ...]
    language: str = "en"
    attributes: tuple[tuple[str, str], ...] = ()


def reading_of(product: Product, language: str = "en") -> Reading:
    """Read a product, in English, that was described in this language. Pure, and linear in the length of what was
    said."""
    text, name = product.text, unmeasured(affirmed(product.name))
    return Reading(
        text=text,
        name=name,
        description=in_order(affirmed(product.description)),
        denied=tuple(denial.what for denial in denials(text)),
        head=head_of(name),
        part=_PART.search(name) is not None,
        materials=materials(text),
        quantities=quantities(affirmed(text)),
        language=language,
        attributes=product.attributes,
    )
