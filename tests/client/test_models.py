"""The Python client's shapes are written by hand; each is held against what the service's document says. The trap: a
field that the service renames, or a value it adds, which the client finds out in somebody's program."""

from typing import Any, NamedTuple

import pytest

from pcs.http.app import described
from pcs_client import models

ANSWERS = {
    models.Product: ("FullProduct", "ProductWithClassifications"),
    models.Result: ("UsResult", "EuResult"),
    models.ClassificationError: ("FailureOutput",),
    models.Classification: ("ClassificationOutput", "BatchItem", "BatchStub", "Stub", "FinishedStub"),
    models.Submitted: ("Accepted",),
    models.Reanalysed: ("AnswersAccepted",),
    models.Summary: ("SummaryOutput",),
    models.Batch: ("FullBatch", "SubmittedBatch", "BatchOutput"),
    models.RowProblem: ("RowProblem",),
    models.Upload: ("UploadOutput",),
    models.Webhook: ("EndpointOutput",),
}
"""The components of the document that each shape of the client is read from."""
NO_FILTERS = {"limit", "cursor", "language"}
"""What a list is asked for besides which classifications it has: its pages, and the language of its words."""
SHAPES = [(model, name) for model, names in ANSWERS.items() for name in names]


class Taken(NamedTuple):
    """What a field may hold: JSON types and, where they are counted, values."""

    types: frozenset[str]
    values: frozenset[str]


def taken(schema: dict[str, Any], components: dict[str, Any]) -> Taken:
    """What a schema takes, through references and choices."""
    if "$ref" in schema:
        return taken(components[schema["$ref"].rsplit("/", 1)[1]], components)
    parts = [taken(one, components) for one in schema.get("anyOf", schema.get("oneOf", ()))]
    own = frozenset({schema["type"]} if "type" in schema else ())
    values = frozenset(schema.get("enum", [schema["const"]] if "const" in schema else []))
    return Taken(own.union(*(one.types for one in parts)), values.union(*(one.values for one in parts)))


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return described().openapi()


def fits(model: type[models.Model], told: dict[str, Any], components: dict[str, Any]) -> list[str]:
    """What of a component a shape would refuse to read."""
    schema = model.model_json_schema(mode="validation")
    faults = [f"{name} is needed and may be absent" for name in set(schema.get("required", ())) - set(told["required"])]
    for name, field in schema["properties"].items():
        if name in told["properties"]:
            sent = taken(told["properties"][name], components)
            read = taken(field, schema.get("$defs", {}))
            unread = (sent.types - read.types if read.types else set()) | (
                sent.values - read.values if read.values else set()
            )
            faults += [f"{name}: {one} is sent and not read" for one in sorted(unread)]
    return faults


@pytest.mark.parametrize(("model", "name"), SHAPES, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_what_the_service_sends_can_be_read(model: type[models.Model], name: str, document: dict[str, Any]) -> None:
    components = document["components"]["schemas"]
    assert fits(model, components[name], components) == []


@pytest.mark.parametrize("model", ANSWERS, ids=lambda model: model.__name__)
def test_no_field_is_one_that_the_service_never_sends(model: type[models.Model], document: dict[str, Any]) -> None:
    sent = {field for name in ANSWERS[model] for field in document["components"]["schemas"][name]["properties"]}
    assert set(model.model_fields) - sent == set()


def test_every_shape_of_the_client_is_held_here() -> None:
    shapes = {one for one in vars(models).values() if isinstance(one, type) and issubclass(one, models.Model)}
    assert shapes - {models.Model, models.ProductFields, models.Filters} == set(ANSWERS)


def test_goods_are_submitted_with_every_field_that_the_service_takes(document: dict[str, Any]) -> None:
    told = document["components"]["schemas"]["ProductInput"]
    assert set(models.ProductFields.model_fields) == set(told["properties"])
    needed = {name for name, field in models.ProductFields.model_fields.items() if field.is_required()}
    assert needed == set(told["required"])


def test_lists_are_filtered_by_everything_that_the_service_filters_by(document: dict[str, Any]) -> None:
    asked = {one["name"] for one in document["paths"]["/api/v1/classifications"]["get"]["parameters"]}
    assert set(models.Filters.model_fields) == asked - NO_FILTERS


def test_a_component_that_drifted_is_found(document: dict[str, Any]) -> None:
    components = document["components"]["schemas"]
    told = components["SummaryOutput"]
    drifted = {
        "required": ["total", "completed", "failed"],
        "properties": told["properties"] | {"total": {"type": "string"}},
    }
    assert fits(models.Summary, drifted, components) == [
        "pending is needed and may be absent",
        "total: string is sent and not read",
    ]
    later = {"required": told["required"], "properties": {"status": {"enum": ["paused"], "type": "string"}}}
    assert "status: paused is sent and not read" in fits(models.Batch, later, components)
