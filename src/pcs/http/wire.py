"""Wire shapes that several features share. The trap: text that compares unequal though it reads the same (NFC), or that
PostgreSQL cannot store (NUL, lone surrogates); all incoming text passes through `clean`."""

from __future__ import annotations

import datetime as dt
import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, StringConstraints

from pcs.base.clock import rfc3339
from pcs.tariff.revision import ScheduleName
from pcs.webhooks.addresses import MAX_URL_LENGTH


class Wire(BaseModel):
    """A shape on the wire: no coercion between types, unknown fields ignored."""

    model_config = ConfigDict(strict=True, extra="ignore")


def clean(value: object) -> object:
    """Text in Normalization Form C without white space around it. Raises ValueError for what no text may hold."""
    if not isinstance(value, str):
        return value
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        msg = "must not contain NUL or unpaired surrogate characters"
        raise ValueError(msg)
    return unicodedata.normalize("NFC", value).strip()


def _distinct(schedules: list[str]) -> list[str]:
    if len(set(schedules)) != len(schedules):
        msg = "must not name a schedule twice"
        raise ValueError(msg)
    return schedules


Text = Annotated[str, BeforeValidator(clean)]
Name = Annotated[Text, StringConstraints(min_length=1, max_length=500)]
Description = Annotated[Text, StringConstraints(max_length=10_000)]
Identifier = Annotated[Text, StringConstraints(max_length=255)]
Url = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_URL_LENGTH)]
Timestamp = Annotated[dt.datetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]

ScheduleWord = Literal["US-HTS", "EU-CN"]
Schedules = Annotated[list[ScheduleWord], Field(min_length=1, max_length=len(ScheduleName)), AfterValidator(_distinct)]


class ErrorDetail(Wire):
    """One violation."""

    field: str
    message: str


class ErrorContent(Wire):
    """What went wrong."""

    type: str
    code: str
    reason: str | None = None
    message: str
    request_id: str
    details: list[ErrorDetail]


class ErrorBody(Wire):
    """The body of every error."""

    error: ErrorContent
