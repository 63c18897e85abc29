"""Wire shapes that several features share. The trap: text that compares unequal though it reads the same (NFC), or that
PostgreSQL cannot store (NUL, lone surrogates); all incoming text passes through `clean`."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    StringConstraints,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from pcs.base.clock import day, rfc3339
from pcs.base.text import is_storable, normalized
from pcs.tariff.revision import ScheduleName
from pcs.webhooks.model import MAX_URL_LENGTH


class Wire(BaseModel):
    """A shape on the wire: no coercion between types, unknown fields ignored."""

    model_config = ConfigDict(strict=True, extra="ignore")


def present(schema: dict[str, Any]) -> None:
    """In an answer a field is left out or has a value: null is only where a field is always there."""
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
        if name in required or len(kinds) == len(field.get("anyOf", ())):
            continue
        del field["anyOf"]
        field.pop("default", None)
        field.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


class Answer(Wire):
    """A shape that the service sends: what is not there is not sent."""

    model_config = ConfigDict(strict=True, extra="ignore", json_schema_extra=present)


def clean(value: object) -> object:
    """Text in Normalization Form C without white space around it. Raises ValueError for what no text may hold."""
    if not isinstance(value, str):
        return value
    if not is_storable(value):
        msg = "must not contain NUL or unpaired surrogate characters"
        raise ValueError(msg)
    return normalized(value).strip()


def _no_nul(schema: dict[str, Any]) -> None:
    schema.setdefault("pattern", r"^[^\u0000]*$")


def _distinct(schedules: list[str]) -> list[str]:
    if len(set(schedules)) != len(schedules):
        msg = "must not name a schedule twice"
        raise ValueError(msg)
    return schedules


@dataclass(frozen=True, slots=True)
class Matching:
    """Text that matches a pattern as a whole; where it does not, this is what the caller is told."""

    pattern: str
    told: str

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Checked after everything else."""
        return core_schema.no_info_after_validator_function(self.checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The pattern, for programs."""
        return handler(schema) | {"pattern": self.pattern}

    def checked(self, text: str) -> str:
        """The text itself. Raises ValueError with what the caller is told."""
        if not re.fullmatch(self.pattern, text, re.ASCII):
            raise ValueError(self.told)
        return text


API_PREFIX = "/api/v1"

CODE = Matching(r"^[0-9]{2}(\.?[0-9]{2}){0,4}$", "must have 2, 4, 6, 8 or 10 digits, dots allowed, such as 6109.10")
LINE = Matching(
    r"^[0-9]{4}\.?[0-9]{2}\.?[0-9]{2}(\.?[0-9]{2})?$", "must have 8 or 10 digits, dots allowed, such as 6109.10.00"
)
_NOT_BLANK = {"pattern": r"^[^\u0000]*[^\u0000\s][^\u0000]*$"}

Text = Annotated[str, BeforeValidator(clean), Field(json_schema_extra=_no_nul)]
Name = Annotated[
    str,
    BeforeValidator(clean),
    StringConstraints(min_length=1, max_length=500),
    Field(json_schema_extra=_NOT_BLANK),
]
Description = Annotated[Text, StringConstraints(max_length=10_000)]
Identifier = Annotated[Text, StringConstraints(max_length=255)]
Url = Annotated[
    str,
    BeforeValidator(clean),
    StringConstraints(min_length=1, max_length=MAX_URL_LENGTH),
    Field(json_schema_extra={"format": "uri"}),
]
Timestamp = Annotated[dt.datetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]

if TYPE_CHECKING:
    ScheduleWord = str
else:
    ScheduleWord = Literal[tuple(name.value for name in ScheduleName)]
Schedules = Annotated[
    list[ScheduleWord],
    Field(min_length=1, max_length=len(ScheduleName), json_schema_extra={"uniqueItems": True}),
    AfterValidator(_distinct),
]


class ErrorDetail(Answer):
    """One violation."""

    field: str = Field(description="A path, such as `products[3].name`.")
    message: str


class ErrorContent(Answer):
    """What went wrong."""

    type: str = Field(description="The family of the error, such as `authentication_error`.")
    code: str = Field(description="A fixed word for programs, such as `NOT_FOUND`.")
    reason: str | None = Field(default=None, description="The exact reason, on 401 and 403, such as `revoked_api_key`.")
    message: str = Field(description="What went wrong, in a sentence.")
    request_id: str = Field(description="The same as in `X-Request-ID`.")
    details: list[ErrorDetail] = Field(description="Every field that is wrong, on 400.")


class ErrorBody(Answer):
    """The body of every error."""

    error: ErrorContent


def _date(value: object) -> object:
    return day(value) if isinstance(value, str) else value


Day = Annotated[dt.date, BeforeValidator(_date)]
"""A day as ISO 8601 writes it; a number of seconds is none."""
