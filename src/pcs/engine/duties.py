"""The duties of a result. The trap: a second line chosen after the engine's (by an assessment) that keeps the duties of
the first; whoever chooses a line says its duties by this."""

from __future__ import annotations

from dataclasses import replace

from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.tariff.duties import duties_of
from pcs.tariff.provisions import Entry
from pcs.tariff.schedule import Node, Schedule


def with_duties(result: Result, schedule: Schedule, line: Node, product: Product) -> Result:
    """The same with what the revision says of the line's duties, for the country and the day that the goods name."""
    found = duties_of(schedule, line, Entry(product.country_of_origin, product.entry_date))
    return replace(
        result,
        duty=found.duty,
        duty_column=found.column,
        special_rates=found.special,
        additional_duties=found.additional,
    )
