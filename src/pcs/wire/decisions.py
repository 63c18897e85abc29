"""Decisions on the wire. The trap: one shown as if it held; whether its line is still in force stands beside it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from pcs.decisions.model import DecisionSource, KeptDecision
from pcs.engine.decided import Standing
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Timestamp


class DecidedGoods(Answer):
    """The goods of a decision."""

    identifier: str | None = None
    name: str
    description: str | None = None


class DecisionOutput(Answer):
    """A code that was decided for goods: by a review, or in a file."""

    id: str
    schedule: ScheduleName
    code: str
    standing: Standing = Field(
        description="`gone` and `reworded` decide nothing: the loaded revision has no such line, or it says otherwise."
    )
    product: DecidedGoods
    source: DecisionSource
    decided_by: str = Field(description="The API key, the member, or the command line.")
    decided_at: Timestamp
    schedule_revision: str = Field(description="The revision under which it was decided.")
    classification_id: str | None = Field(default=None, description="The classification that was reviewed.")
    contradicted: bool = Field(description="Whether the same text was decided otherwise, too.")

    @classmethod
    def of(cls, one: KeptDecision, standing: Standing) -> DecisionOutput:
        """The wire shape of a decision with its standing under the loaded revision."""
        decided, goods = one.decided, one.decided.goods
        said = {"identifier": goods.identifier, "name": goods.name, "description": goods.description}
        optional: dict[str, Any] = {}
        if decided.classification_id is not None:
            optional["classification_id"] = decided.classification_id
        return cls(
            id=one.id,
            schedule=decided.schedule,
            code=decided.code,
            standing=standing,
            product=DecidedGoods(**{name: value for name, value in said.items() if value is not None}),
            source=decided.source,
            decided_by=decided.by,
            decided_at=one.decided_at,
            schedule_revision=decided.revision,
            contradicted=one.contradicted,
            **optional,
        )
