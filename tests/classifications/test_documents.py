"""A stored result is read back into its type, whichever version of the service stored it."""

import datetime as dt
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ServiceUnderTest
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.documents import VERSION, document_of, result_from, steps_document, steps_from
from pcs.engine.determination import Step
from pcs.engine.reading.understood import MadeOf, Measure, Understood
from pcs.engine.result import Alternative, CitedRuling, Level, OpenQuestion, Result
from pcs.lists import service as lists
from pcs.lists.model import Wanted
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Duty
from pcs.wire.results import SHAPES, ResultOutput

TEXT = st.text(max_size=20)
SHARE = st.none() | st.floats(0, 1)
CODE = st.sampled_from([Code("6109"), Code("61091000"), Code("6109100012")])
RESULTS = st.builds(
    Result,
    code=CODE,
    description=TEXT,
    reasoning=TEXT,
    schedule_revision=TEXT,
    hierarchy=st.lists(st.builds(Level, code=st.none() | CODE, description=TEXT, confidence=SHARE)).map(tuple),
    confidence=SHARE,
    confident_digits=st.none() | st.integers(0, 10),
    questions=st.lists(
        st.builds(OpenQuestion, TEXT, TEXT, st.lists(TEXT, max_size=2).map(tuple), TEXT, TEXT), max_size=1
    ).map(tuple),
    likely_headings=st.lists(CODE).map(tuple),
    likely_subheadings=st.lists(CODE).map(tuple),
    alternatives=st.lists(st.builds(Alternative, CODE, TEXT, SHARE, TEXT)).map(tuple),
    gri_applied=st.lists(TEXT).map(tuple),
    rulings=st.lists(
        st.builds(
            CitedRuling,
            TEXT,
            st.none() | st.dates(),
            TEXT,
            st.lists(CODE).map(tuple),
            TEXT,
            st.none() | TEXT,
            st.none() | TEXT,
        )
    ).map(tuple),
    missing_information=st.lists(TEXT).map(tuple),
    needs_review=st.booleans(),
    duty=st.builds(Duty, TEXT, TEXT, TEXT),
    units=st.lists(TEXT).map(tuple),
    reading=st.builds(
        Understood,
        TEXT,
        st.lists(st.builds(MadeOf, TEXT, TEXT, SHARE)).map(tuple),
        st.lists(st.builds(Measure, TEXT, TEXT)).map(tuple),
        st.lists(TEXT).map(tuple),
        st.lists(TEXT).map(tuple),
    ),
)


def fields(schema: dict[str, Any], names: dict[str, str]) -> set[str]:
    return {names.get(name, name) for name in schema["properties"]}


def through_storage(document: Any) -> Any:
    return json.loads(json.dumps(document))


@given(result=RESULTS)
def test_a_result_comes_back_as_it_was_stored(result: Result) -> None:
    stored = through_storage(document_of(result))
    assert stored["version"] == VERSION
    assert result_from(stored) == result


@given(steps=st.lists(st.builds(Step, TEXT, TEXT, st.floats(0, 1e6))).map(tuple))
def test_steps_come_back_as_they_were_stored(steps: tuple[Step, ...]) -> None:
    assert steps_from(through_storage(steps_document(steps))) == steps


@pytest.mark.parametrize(
    ("shape", "prefix"), [(SHAPES[ScheduleName.US_HTS], "hts"), (SHAPES[ScheduleName.EU_CN], "cn")]
)
def test_the_wire_shows_every_field_of_a_result_and_gives_only_code_and_description_other_names(
    shape: type[ResultOutput], prefix: str
) -> None:
    names = {f"{prefix}_code": "code", f"{prefix}_description": "description"}
    sent = fields(shape.model_json_schema(mode="serialization"), names)
    assert sent == {
        *Result.__dataclass_fields__,
        "supporting_rulings",
        "language",
        "description_language",
        "hs_edition",
    }


def old_document(code: str, description: str) -> dict[str, Any]:
    """What the version before the first one with a number stored."""
    return {
        code: "6109100012",
        description: "T-shirts > Of cotton",
        "supporting_rulings": ["N1"],
        "reasoning": "It is a T-shirt.",
        "confidence": 0.5,
        "confident_digits": 6,
        "alternatives": [],
        "hierarchy": [{"code": "6109", "description": "T-shirts", "confidence": 0.9}],
        "gri_applied": ["1"],
        "rulings": [
            {
                "id": "N1",
                "date": "2024-05-06",
                "url": None,
                "subject": "A shirt",
                "status": "in_force",
                "codes": ["6109"],
            }
        ],
        "duty": {"general": None, "special": None, "other": None},
        "units": ["doz."],
        "schedule_revision": "2026-rev-9",
        "missing_information": [],
        "needs_review": True,
    }


@pytest.mark.parametrize("names", [("hts_code", "hts_description"), ("cn_code", "cn_description")])
def test_a_document_from_before_versions_is_read(names: tuple[str, str]) -> None:
    ruling = CitedRuling("N1", dt.date(2024, 5, 6), "A shirt", (Code("6109"),), "in_force", None, None)
    assert result_from(old_document(*names)) == Result(
        code=Code("6109100012"),
        description="T-shirts > Of cotton",
        reasoning="It is a T-shirt.",
        schedule_revision="2026-rev-9",
        hierarchy=(Level(Code("6109"), "T-shirts", 0.9),),
        confidence=0.5,
        confident_digits=6,
        gri_applied=("1",),
        rulings=(ruling,),
        needs_review=True,
        units=("doz.",),
    )


LATER = ("likely_headings", "likely_subheadings", "reading")  # fields that version 1 did not have at first


@given(result=RESULTS)
def test_a_document_from_before_the_reading_is_read_as_one_without_it(result: Result) -> None:
    stored = {name: value for name, value in through_storage(document_of(result)).items() if name not in LATER}
    assert result_from(stored) == replace(result, likely_headings=(), likely_subheadings=(), reading=Understood())


@pytest.mark.parametrize(
    ("schedule", "names"), [("US-HTS", ("hts_code", "hts_description")), ("EU-CN", ("cn_code", "cn_description"))]
)
async def test_polls_and_lists_read_a_document_from_before_versions(
    running: ServiceUnderTest, schedule: str, names: tuple[str, str]
) -> None:
    accepted = await running.classify(schedules=(schedule,))
    await running.work()
    old = old_document(*names) | {names[0]: "61091000"}
    await running.run(
        "UPDATE classifications SET result = CAST(:old AS jsonb), final_code = NULL, final_description = NULL, "
        "final_revision = NULL, decided_by = NULL, decided_at = NULL WHERE id = :id",
        old=json.dumps(old),
        id=accepted["classifications"][0]["id"],
    )
    polled = (await running.poll(accepted))["result"]
    assert (polled[names[0]], polled[names[1]]) == ("61091000", "T-shirts > Of cotton")
    assert polled["supporting_rulings"] == ["N1"]
    assert polled["duty"] == {"general": None, "special": None, "other": None}
    async with running.service.database.begin() as transaction:
        tenant = Tenant(running.organization_id, Environment.LIVE)
        found = await lists.page(transaction, tenant, Wanted(search="61091000"))
    assert [(line.code, line.description) for line in found.items] == [("61091000", "T-shirts > Of cotton")]
