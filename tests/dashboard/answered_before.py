"""Answers of an earlier revision: an engine that gives the code and the revision that it is asked for."""

from __future__ import annotations

import dataclasses
from typing import Any

from builders import ServiceUnderTest
from determinations import determine, with_result
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

GONE = "61099999"
"""A line of `whole_schedule.edition` that a later edition may lack."""


def answer(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that answers with the code and under the revision that the description asks for."""
    code, revision = product.description.split()
    found = with_result(determine(product, schedule), code=Code(code), schedule_revision=revision)
    return dataclasses.replace(found, revision=Revision(schedule, revision, "digest"))


async def classified(service: ServiceUnderTest, *codes: str, schedule: str, revision: str) -> list[Any]:
    """Completed classifications with these codes, answered under a revision."""
    found = []
    for code in codes:
        product = {"name": f"Goods of {code}", "description": f"{code} {revision}"}
        found.append(await service.classify(product=product, schedules=(schedule,)))
    await service.work(answer)
    return found
