"""The language that a reader wants official words in: a parameter of what shows them.

The trap: a language that is not loaded is no mistake of the caller: the words are then the publication's own, and
`description_language` says which language that is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator, Field

from pcs.base.languages import language_names
from pcs.classifications.model import Classification
from pcs.classifications.wordings import in_language
from pcs.http.access import Access
from pcs.products.languages import language
from pcs.wire.base import Text

SAID = (
    "Official words in this language (ISO 639-1, or a name such as Deutsch), where they are loaded; "
    "`description_language` says which language they are in."
)
_KNOWN = {"enum": sorted(language_names())}

ReadIn = Annotated[Text, AfterValidator(language), Field(json_schema_extra=_KNOWN)]
Reader = Annotated[ReadIn | None, Query(description=SAID)]


async def read_in(access: Access, found: Sequence[Classification], wanted: str | None) -> list[Classification]:
    """Classifications as their reader wants them."""
    if wanted is None:
        return list(found)
    return await asyncio.to_thread(in_language, access.service.library, found, wanted)
