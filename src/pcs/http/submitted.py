"""Products and their terms as they are submitted. The trap: an empty text is a field that was not supplied, not a
value."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pcs.base.countries import COUNTRY_CODES, country_code
from pcs.base.languages import language_names, told
from pcs.base.tenancy import Environment
from pcs.classifications.model import ClassificationOptions
from pcs.engine.filed.comparison import filed_code
from pcs.http.access import Access
from pcs.http.errors import RateLimitExceededError
from pcs.http.urls import check_webhook_url
from pcs.products import metadata
from pcs.products.attributes import LONGEST_NAME, LONGEST_VALUE, MOST, checked
from pcs.products.languages import language
from pcs.products.model import MOST_PICTURES, ProductFields
from pcs.sandbox.simulation import Scenario, scenario_of
from pcs.schedules.entry_days import require_in_force
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.lexicon.rows import READ
from pcs.wire.base import Day, Description, Identifier, Name, ScheduleWord, Text, Url, Wire, clean

_COUNTRIES = {"enum": ["", *sorted(COUNTRY_CODES)]}
_LANGUAGES = {"enum": ["", *sorted(language_names())]}
_SIMULATED_WAIT = 1  # seconds that the sandbox's simulated refusal asks for


def _country(text: str) -> str:
    return country_code(text) if text else ""


def _language(text: str) -> str:
    return language(text) if text else ""


Country = Annotated[str, BeforeValidator(clean), AfterValidator(_country), Field(json_schema_extra=_COUNTRIES)]
Language = Annotated[str, BeforeValidator(clean), AfterValidator(_language), Field(json_schema_extra=_LANGUAGES)]


_CODES = {"pattern": r"^[0-9]{4}\.?[0-9]{2}(\.?[0-9]{2}){0,2}$"}
DeclaredCode = Annotated[str, BeforeValidator(clean), AfterValidator(filed_code), Field(json_schema_extra=_CODES)]
DeclaredCodes = dict[ScheduleWord, DeclaredCode]


def _attributes(given: dict[str, str]) -> dict[str, str]:
    return checked((str(clean(name)), value) for name, value in given.items())


_NAMED: dict[str, Any] = {
    "maxProperties": MOST,
    "propertyNames": {"maxLength": LONGEST_NAME, "pattern": r"^[^\u0000\s]+( [^\u0000\s]+)*$"},
    "additionalProperties": {"type": "string", "maxLength": LONGEST_VALUE, "pattern": r"^[^\u0000]*$"},
}
Attributes = Annotated[dict[str, Text], AfterValidator(_attributes), Field(json_schema_extra=_NAMED)]


def _metadata(given: dict[str, str]) -> dict[str, str]:
    return metadata.checked((str(clean(key)), value) for key, value in given.items())


_TAGGED = {
    "maxProperties": metadata.MOST,
    "propertyNames": {"maxLength": metadata.LONGEST_KEY, "pattern": _NAMED["propertyNames"]["pattern"]},
    "additionalProperties": {"type": "string", "maxLength": metadata.LONGEST_VALUE, "pattern": r"^[^\u0000]*$"},
}
Metadata = Annotated[dict[str, Text], AfterValidator(_metadata), Field(json_schema_extra=_TAGGED)]


ImageUrls = Annotated[list[Url], Field(max_length=MOST_PICTURES)]


class ProductInput(Wire):
    """A product as submitted."""

    name: Name
    description: Description | None = Field(
        default=None, description="Materials, dimensions, use, technical specification: the more, the better."
    )
    identifier: Identifier | None = Field(default=None, description="Your own SKU or part number.")
    country_of_origin: Country | None = Field(
        default=None, description="ISO 3166-1 alpha-2; lower case is accepted too."
    )
    language: Language | None = Field(
        default=None,
        description="The language of name and description, ISO 639-1. Found sentence by sentence where it is not given;"
        f" {told(READ)} are read.",
    )
    declared_codes: DeclaredCodes | None = Field(
        default=None,
        description="The code that the goods are filed under today, by schedule; the classification says in `filed` how"
        " it stands beside the code found.",
        examples=[{"US-HTS": "6109.10.00.12"}],
    )
    entry_date: Day | None = Field(
        default=None,
        description="The day of customs entry, today if left out: the revision in force then answers, with its duties.",
        examples=["2026-11-23"],
    )
    attributes: Attributes | None = Field(
        default=None,
        description="What is known of the goods, one thing each: `material`, `outer_material`, `lining`, `gender`,"
        " `value` and the names of the questions of a result are read as said facts; all are kept and returned.",
        examples=[{"outer_material": "leather", "lining": "cotton"}],
    )

    metadata: Metadata | None = Field(
        default=None,
        description="Your own words for your own use, such as an order's number: returned with the product and its"
        " classifications, found by lists, and never read by the analysis.",
        examples=[{"order": "4711"}],
    )
    image_urls: ImageUrls | None = Field(
        default=None,
        description="Where pictures of the goods are: public https URLs without a user name. They are fetched only for"
        " a reviewer with vision, and nothing keeps them.",
        examples=[["https://shop.example.com/4711/front.jpg"]],
    )

    def fields(self) -> ProductFields:
        """The product as the service knows it."""
        return ProductFields(
            name=self.name,
            description=self.description or None,
            identifier=self.identifier or None,
            country_of_origin=self.country_of_origin or None,
            language=self.language or None,
            declared_codes={ScheduleName(name): Code(code) for name, code in (self.declared_codes or {}).items()},
            attributes=self.attributes or {},
            entry_date=self.entry_date,
            metadata=self.metadata or {},
            image_urls=tuple(self.image_urls or ()),
        )


class ProductEnvelope(Wire):
    """A product, its fields flat or wrapped in `product`; violations are named as if wrapped."""

    product: ProductInput

    @model_validator(mode="before")
    @classmethod
    def _wrapped(cls, body: Any) -> Any:  # noqa: ANN401 (any JSON)
        return {"product": body} if isinstance(body, dict) and "product" not in body else body

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        wrapped = handler.resolve_ref_schema(handler(schema))
        flat = {**wrapped["properties"]["product"], "not": {"properties": {"product": {}}, "required": ["product"]}}
        return {"title": wrapped["title"], "description": wrapped["description"], "anyOf": [flat, _without(wrapped)]}


def _without(schema: JsonSchemaValue) -> JsonSchemaValue:
    return {name: value for name, value in schema.items() if name not in {"title", "description"}}


class Options(Wire):
    """What may be said of a request as a whole."""

    webhook_url: Url | None = Field(
        default=None,
        description="An https URL with a public address; it receives an event when each classification ends.",
    )


CarriedMetadata = Annotated[
    Metadata | None,
    Field(description="What the classifications carry; without it they carry their product's `metadata`."),
]


def terms_of(
    access: Access, schedules: Sequence[str], options: Options | None, carried: Mapping[str, str] | None = None
) -> ClassificationOptions:
    """How to classify. Raises InvalidRequestError for a URL that webhooks may not go to."""
    url = options.webhook_url if options else None
    if url is not None:
        check_webhook_url(access.service, "options.webhook_url", url)
    return ClassificationOptions(tuple(map(ScheduleName, schedules)), url, metadata=carried or {})


async def require_law(
    access: Access, submitted: Sequence[ProductFields], schedules: Sequence[ScheduleName], path: str = "products[{}]"
) -> None:
    """Raise InvalidRequestError where no loaded revision was in force on a product's day of entry."""
    days = {
        f"{path.format(place)}.entry_date": fields.entry_date
        for place, fields in enumerate(submitted)
        if fields.entry_date
    }
    if days:
        today = access.now.date()
        await asyncio.to_thread(require_in_force, access.service.library, days, schedules, today)


def refuse_on_request(access: Access, submitted: list[ProductFields]) -> None:
    """In the sandbox, refuse as a scenario asks. Raises RateLimitExceededError."""
    if access.tenant.environment is Environment.TEST:
        asked_for = {scenario_of(fields.identifier) for fields in submitted}
        if Scenario.RATE_LIMIT in asked_for:
            raise RateLimitExceededError(_SIMULATED_WAIT)
