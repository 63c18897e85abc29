"""What people see of a language model's reviews."""

import json

from builders import ServiceUnderTest
from dashboard.visitor import Office

RECORD = {
    "model": "test-model",
    "ending": "changed",
    "input_tokens": 700,
    "output_tokens": 70,
    "cost": "0.00315",
    "currency": "EUR",
}


async def test_a_review_s_ending_and_cost_are_shown_on_its_page_its_report_and_under_usage(
    running: ServiceUnderTest, office: Office
) -> None:
    accepted = await running.classify()
    await running.work()
    subject = accepted["classifications"][0]["id"]
    visitor = await office.signed_in()
    address = f"/dashboard/live/classifications/{subject}"
    await visitor.open(address)
    assert "Language model" not in visitor.text
    await visitor.open("/dashboard/live/usage")
    assert "Reviews by a language model" not in visitor.text
    await running.run(
        "UPDATE classifications SET reviewer = CAST(:record AS jsonb) WHERE id = :id",
        record=json.dumps(RECORD),
        id=subject,
    )
    await running.run(
        "INSERT INTO reviewer_days (organization_id, environment, day, requests, input_tokens, output_tokens, cost, "
        "changed) VALUES (:organization, 'live', :day, 7, 700, 70, 0.00315, 1)",
        organization=running.organization_id,
        day=running.clock().date(),
    )
    for page in (address, f"{address}/report"):
        await visitor.open(page)
        assert "Language model changed the code, test-model; 770 tokens, 0.0032 EUR" in visitor.text
    await visitor.open("/dashboard/live/usage")
    assert "Changed 1" in visitor.text
    assert "Tokens in and out 700 and 70" in visitor.text
    assert "Cost 0.0032 USD" in visitor.text
