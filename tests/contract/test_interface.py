"""One test for each testable sentence of the interface, named after it, over HTTP against a live and a sandbox process.

The trap: a test of what the code does; each of these was written from the sentence. docs/api.md maps sections to
them."""

import asyncio
import re
import time
from typing import Any

import httpx2
import pytest

from deployment import Customer, Deployment, NewCustomer, client_of
from pcs.base.tenancy import Environment
from pcs.organizations import service as organizations
from pcs.organizations.model import READ_ONLY
from receiver import Receiver

CLASSIFY = "/api/v1/products/classify"
PRODUCTS = "/api/v1/products"
CLASSIFICATIONS = "/api/v1/classifications"
BULK = "/api/v1/classifications/bulk"
WEBHOOKS = "/api/v1/webhooks"
UNKNOWN = f"{CLASSIFICATIONS}/clf_01jx0000000000000000000000"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
GOOD = {"product": {"name": "Cotton T-shirt"}, "schedules": ["US-HTS"]}


def fields_of(response: httpx2.Response) -> list[str]:
    assert response.status_code == 400, response.text
    return [detail["field"] for detail in response.json()["error"]["details"]]


async def credits_of(customer: Customer) -> int:
    return int((await customer.live.get("/api/v1/usage")).json()["credits_consumed_in_all"])


async def arrivals(receiver: Receiver, count: int) -> list[Any]:
    """What the receiver was sent, once there are so many and no more follow."""
    async with asyncio.timeout(60):
        while len(receiver.received) < count:
            receiver.arrived.clear()
            await receiver.arrived.wait()
    await asyncio.sleep(0.3)
    assert len(receiver.received) == count
    return receiver.received


class TestWhatTheServiceDoes:
    async def test_a_request_returns_at_once_with_202_and_one_stub_per_requested_schedule(
        self, customer: Customer
    ) -> None:
        response = await customer.live.post(CLASSIFY, json={**GOOD, "schedules": ["US-HTS", "EU-CN"]})
        assert response.status_code == 202
        assert response.elapsed.total_seconds() < 2
        assert [stub["schedule"] for stub in response.json()["classifications"]] == ["US-HTS", "EU-CN"]

    async def test_the_result_is_retrieved_later_by_polling(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify())
        assert polled["status"] == "completed"
        assert polled["result"]["hts_code"] == "6109100012"

    async def test_the_result_is_retrieved_later_by_webhook(self, customer: Customer, receiver: Receiver) -> None:
        accepted = await customer.classify(options={"webhook_url": receiver.url})
        [sent] = await arrivals(receiver, 1)
        assert sent.json["data"]["id"] == accepted["classifications"][0]["id"]

    async def test_a_product_can_be_created_first_and_classified_later(self, customer: Customer) -> None:
        product = (await customer.live.post(PRODUCTS, json={"name": "Cotton T-shirt"})).json()
        body = {"product_id": product["id"], "schedules": ["EU-CN"]}
        accepted = (await customer.live.post(CLASSIFICATIONS, json=body)).json()
        [polled] = await customer.until_final(accepted)
        assert polled["result"]["cn_code"] == "61091000"

    async def test_each_product_and_schedule_is_one_classification_polled_and_billed_independently(
        self, customer: Customer
    ) -> None:
        accepted = await customer.classify(schedules=["US-HTS", "EU-CN"])
        american, european = await customer.until_final(accepted)
        assert american["id"] != european["id"]
        assert american["usage"]["credits_consumed"] == european["usage"]["credits_consumed"] == 1
        assert await credits_of(customer) == 2

    @pytest.mark.parametrize(
        "schedule", ["UK Global Tariff", "EU TARIC", "Schedule B", "ECCN", "EU Dual-Use", "us-hts", ""]
    )
    async def test_other_schedules_are_unavailable(self, customer: Customer, schedule: str) -> None:
        assert fields_of(await customer.live.post(CLASSIFY, json={**GOOD, "schedules": [schedule]})) == ["schedules[0]"]

    async def test_responses_carry_estimated_completion_seconds(self, customer: Customer) -> None:
        assert (await customer.classify())["estimated_completion_seconds"] >= 1

    async def test_up_to_100_products_can_be_submitted_in_one_bulk_request(self, customer: Customer) -> None:
        body = {"products": [{"name": f"T-shirt {number}"} for number in range(100)], "schedules": ["US-HTS"]}
        response = await customer.live.post(BULK, json=body)
        assert response.status_code == 202
        assert len(response.json()["classifications"]) == 100

    async def test_results_can_be_pushed_to_an_organization_wide_endpoint_a_per_request_url_or_both(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        base = receiver.url.removesuffix("/hook")
        await customer.live.put(WEBHOOKS, json={"url": f"{base}/wide"})
        await customer.classify(options={"webhook_url": f"{base}/own"})
        sent = await arrivals(receiver, 2)
        assert len({one.headers["x-service-delivery-id"] for one in sent}) == 2
        assert len({one.json["data"]["id"] for one in sent}) == 1


class TestProduct:
    async def test_the_id_is_server_assigned(self, customer: Customer) -> None:
        created = (await customer.live.post(PRODUCTS, json={"name": "T-shirt", "id": "mine"})).json()
        assert created["id"].startswith("product_")

    @pytest.mark.parametrize("product", [{}, {"name": ""}, {"name": "   "}, {"name": None}, {"description": "x"}])
    async def test_a_missing_name_is_a_validation_error_on_field_product_name(
        self, customer: Customer, product: dict[str, Any]
    ) -> None:
        assert fields_of(await customer.live.post(CLASSIFY, json={**GOOD, "product": product})) == ["product.name"]
        assert fields_of(await customer.live.post(PRODUCTS, json={"product": product})) == ["product.name"]
        assert fields_of(await customer.live.post(PRODUCTS, json=product)) == ["product.name"]

    async def test_the_description_is_optional(self, customer: Customer) -> None:
        created = await customer.live.post(PRODUCTS, json={"name": "T-shirt", "description": "Of cotton"})
        assert created.json()["description"] == "Of cotton"
        assert "description" not in (await customer.live.post(PRODUCTS, json={"name": "T-shirt"})).json()

    async def test_the_identifier_is_returned_in_status_responses_and_webhook_payloads(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        accepted = await customer.classify(options={"webhook_url": receiver.url})
        [polled] = await customer.until_final(accepted)
        assert polled["product"]["identifier"] == "SKU-1"
        [sent] = await arrivals(receiver, 1)
        assert sent.json["data"]["product"] == {"name": "Cotton T-shirt", "identifier": "SKU-1"}

    async def test_the_country_of_origin_is_a_two_letter_code_and_null_when_not_supplied(
        self, customer: Customer
    ) -> None:
        created = await customer.live.post(PRODUCTS, json={"name": "T-shirt", "country_of_origin": "BD"})
        assert created.json()["country_of_origin"] == "BD"
        assert (await customer.live.post(PRODUCTS, json={"name": "T-shirt"})).json()["country_of_origin"] is None
        refused = await customer.live.post(PRODUCTS, json={"name": "T-shirt", "country_of_origin": "Bangladesh"})
        assert fields_of(refused) == ["product.country_of_origin"]

    async def test_created_at_is_an_iso_8601_utc_timestamp(self, customer: Customer) -> None:
        created = (await customer.live.post(PRODUCTS, json={"name": "T-shirt"})).json()
        assert TIME.fullmatch(created["created_at"])


class TestClassification:
    async def test_the_status_is_pending_on_a_stub_and_poll_url_is_its_relative_path(self, customer: Customer) -> None:
        [stub] = (await customer.classify())["classifications"]
        assert stub["status"] == "pending"
        assert stub["poll_url"] == f"/api/v1/classifications/{stub['id']}"

    async def test_poll_url_is_on_creation_stubs_only(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify())
        assert "poll_url" not in polled

    async def test_product_identifier_is_present_on_creation_stubs_and_batch_items(self, customer: Customer) -> None:
        [stub] = (await customer.classify())["classifications"]
        assert stub["product_identifier"] == "SKU-1"
        body = {"products": [{"name": "T-shirt", "identifier": "SKU-2"}], "schedules": ["US-HTS"]}
        batch = (await customer.live.post(BULK, json=body)).json()
        read = (await customer.live.get(f"{BULK}/{batch['batch_id']}")).json()
        assert batch["classifications"][0]["product_identifier"] == "SKU-2"
        assert read["classifications"][0]["product_identifier"] == "SKU-2"

    async def test_completed_at_result_and_usage_are_present_when_completed(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify())
        assert set(polled) >= {"id", "status", "schedule", "created_at", "completed_at", "product", "result", "usage"}
        assert "error" not in polled
        assert TIME.fullmatch(polled["created_at"])
        assert TIME.fullmatch(polled["completed_at"])
        assert polled["completed_at"] >= polled["created_at"]
        assert isinstance(polled["usage"]["credits_consumed"], int)
        assert isinstance(polled["usage"]["processing_time_ms"], int)

    async def test_error_is_present_when_failed(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify(product={"name": "thing"}))
        assert polled["status"] == "failed"
        assert set(polled) >= {"id", "status", "schedule", "created_at", "product", "error"}
        assert not {"result", "usage", "completed_at"} & set(polled)
        assert set(polled["error"]) == {"code", "message"}

    async def test_product_fields_the_caller_did_not_supply_are_absent(self, customer: Customer) -> None:
        accepted = (await customer.live.post(CLASSIFY, json=GOOD)).json()
        [polled] = await customer.until_final(accepted)
        assert polled["product"] == {"name": "Cotton T-shirt"}

    async def test_the_result_for_us_hts_has_its_four_fields(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify())
        result = polled["result"]
        assert re.fullmatch(r"\d{10}|\d{8}", result["hts_code"])
        assert isinstance(result["hts_description"], str)
        assert all(isinstance(ruling, str) for ruling in result["supporting_rulings"])
        assert isinstance(result["reasoning"], str)

    async def test_the_result_for_eu_cn_goes_by_analogy(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify(schedules=["EU-CN"]))
        result = polled["result"]
        assert re.fullmatch(r"\d{8}", result["cn_code"])
        assert {"cn_description", "supporting_rulings", "reasoning"} <= set(result)
        assert not {"hts_code", "hts_description"} & set(result)


class TestStates:
    async def test_a_classification_is_pending_until_the_analysis_picks_it_up(self, customer: Customer) -> None:
        accepted = await customer.classify(customer.sandbox, product={"name": "Slow", "identifier": "sbx-slow"})
        seen = [accepted["classifications"][0]["status"]]
        while seen[-1] not in {"completed", "failed"}:
            await asyncio.sleep(0.05)
            polled = (await customer.sandbox.get(accepted["classifications"][0]["poll_url"])).json()
            seen += [polled["status"]] if polled["status"] != seen[-1] else []
        assert seen == ["pending", "processing", "completed"]

    async def test_failed_classifications_consume_credits(self, customer: Customer) -> None:
        await customer.until_final(await customer.classify(product={"name": "thing"}))
        assert await credits_of(customer) == 1

    async def test_completed_is_final(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify())
        path = f"{CLASSIFICATIONS}/{polled['id']}"
        assert (await customer.live.post(f"{path}/cancel")).status_code == 409
        assert (await customer.live.get(path)).json() == polled

    async def test_failed_is_final(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify(product={"name": "thing"}))
        path = f"{CLASSIFICATIONS}/{polled['id']}"
        assert (await customer.live.post(f"{path}/cancel")).status_code == 409
        assert (await customer.live.get(path)).json() == polled


class TestProductsClassify:
    async def test_a_retried_request_with_an_idempotency_key_does_not_create_duplicates(
        self, customer: Customer
    ) -> None:
        headers = {"Idempotency-Key": "order 1"}
        first = await customer.live.post(CLASSIFY, json=GOOD, headers=headers)
        again = await customer.live.post(CLASSIFY, json=GOOD, headers=headers)
        assert first.content == again.content
        assert await customer.deployment.count("classifications", customer.id) == 1

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"schedules": ["US-HTS"]}, "product"),
            ({"product": {"name": "x"}}, "schedules"),
            ({**GOOD, "schedules": []}, "schedules"),
            ({**GOOD, "schedules": "US-HTS"}, "schedules"),
            ({**GOOD, "options": {"webhook_url": "not a url"}}, "options.webhook_url"),
            ({**GOOD, "product": "a T-shirt"}, "product"),
        ],
    )
    async def test_product_and_schedules_are_required_and_options_are_checked(
        self, customer: Customer, body: dict[str, Any], field: str
    ) -> None:
        assert fields_of(await customer.live.post(CLASSIFY, json=body)) == [field]

    async def test_the_answer_has_product_id_product_stubs_and_estimate(self, customer: Customer) -> None:
        accepted = await customer.classify(product={"name": "T-shirt", "identifier": "SKU-1"})
        assert set(accepted) == {"product_id", "product", "classifications", "estimated_completion_seconds"}
        assert set(accepted["product"]) == {"id", "name", "identifier", "country_of_origin", "created_at"}
        [stub] = accepted["classifications"]
        assert set(stub) == {"id", "status", "schedule", "product_identifier", "poll_url"}
        assert isinstance(accepted["estimated_completion_seconds"], int)

    async def test_identifier_and_product_identifier_are_left_out_when_not_supplied(self, customer: Customer) -> None:
        accepted = (await customer.live.post(CLASSIFY, json=GOOD)).json()
        assert "identifier" not in accepted["product"]
        assert accepted["product"]["country_of_origin"] is None
        assert "product_identifier" not in accepted["classifications"][0]


class TestPostClassifications:
    async def test_one_classification_is_queued_per_schedule_for_the_existing_product(self, customer: Customer) -> None:
        product_id = (await customer.live.post(PRODUCTS, json={"name": "T-shirt"})).json()["id"]
        body = {"product_id": product_id, "schedules": ["US-HTS", "EU-CN"]}
        response = await customer.live.post(CLASSIFICATIONS, json=body)
        assert response.status_code == 202
        assert [stub["schedule"] for stub in response.json()["classifications"]] == ["US-HTS", "EU-CN"]
        assert response.json()["product_id"] == product_id

    async def test_product_id_and_schedules_are_required(self, customer: Customer) -> None:
        assert fields_of(await customer.live.post(CLASSIFICATIONS, json={})) == ["product_id", "schedules"]

    async def test_an_unknown_product_is_not_found(self, customer: Customer) -> None:
        body = {"product_id": "product_01jx0000000000000000000000", "schedules": ["US-HTS"]}
        assert (await customer.live.post(CLASSIFICATIONS, json=body)).status_code == 404


class TestPostProducts:
    async def test_a_product_is_created_without_classifying_it_and_no_credits_are_consumed(
        self, customer: Customer
    ) -> None:
        response = await customer.live.post(PRODUCTS, json={"product": {"name": "T-shirt", "identifier": "SKU-1"}})
        assert response.status_code == 201
        assert set(response.json()) == {"id", "name", "identifier", "country_of_origin", "created_at"}
        read = (await customer.live.get(f"{PRODUCTS}/{response.json()['id']}")).json()
        assert read["classifications"] == []
        assert await credits_of(customer) == 0


class TestGetClassification:
    async def test_the_record_is_available_after_creation(self, customer: Customer) -> None:
        accepted = await customer.classify()
        assert (await customer.live.get(accepted["classifications"][0]["poll_url"])).status_code == 200

    async def test_the_record_is_available_after_webhook_delivery(self, customer: Customer, receiver: Receiver) -> None:
        accepted = await customer.classify(options={"webhook_url": receiver.url})
        [sent] = await arrivals(receiver, 1)
        polled = (await customer.live.get(accepted["classifications"][0]["poll_url"])).json()
        assert polled["result"] == sent.json["data"]["result"]

    async def test_an_unknown_id_gives_404_not_found(self, customer: Customer) -> None:
        response = await customer.live.get(UNKNOWN)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"


class TestGetProduct:
    async def test_it_returns_the_product_plus_every_classification_under_it(self, customer: Customer) -> None:
        accepted = await customer.classify(schedules=["US-HTS", "EU-CN"])
        await customer.until_final(accepted)
        again = {"product_id": accepted["product_id"], "schedules": ["US-HTS"]}
        await customer.until_final((await customer.live.post(CLASSIFICATIONS, json=again)).json())
        read = (await customer.live.get(f"{PRODUCTS}/{accepted['product_id']}")).json()
        assert read["id"] == accepted["product_id"]
        assert [one["schedule"] for one in read["classifications"]] == ["US-HTS", "US-HTS", "EU-CN"]
        assert all(one["result"] for one in read["classifications"])


class TestBulk:
    async def test_the_number_of_classifications_equals_products_times_schedules_and_so_do_the_credits(
        self, customer: Customer
    ) -> None:
        products = [{"name": f"T-shirt {number}", "identifier": f"SKU-{number}"} for number in range(3)]
        response = await customer.live.post(BULK, json={"products": products, "schedules": ["US-HTS", "EU-CN"]})
        assert response.status_code == 202
        assert len(response.json()["classifications"]) == 6
        assert await credits_of(customer) == 6

    async def test_products_and_schedules_are_required(self, customer: Customer) -> None:
        assert fields_of(await customer.live.post(BULK, json={})) == ["products", "schedules"]
        assert fields_of(await customer.live.post(BULK, json={"products": [], "schedules": []})) == [
            "products",
            "schedules",
        ]

    async def test_the_schedules_are_applied_to_every_product(self, customer: Customer) -> None:
        body = {"products": [{"name": "A"}, {"name": "B"}], "schedules": ["EU-CN", "US-HTS"]}
        items = (await customer.live.post(BULK, json=body)).json()["classifications"]
        assert [one["schedule"] for one in items] == ["EU-CN", "US-HTS"] * 2
        assert len({one["product_id"] for one in items}) == 2

    async def test_more_than_100_products_are_refused(self, customer: Customer) -> None:
        body = {"products": [{"name": "T-shirt"}] * 101, "schedules": ["US-HTS"]}
        assert fields_of(await customer.live.post(BULK, json=body)) == ["products"]
        assert await credits_of(customer) == 0

    async def test_one_invalid_product_rejects_the_whole_batch(self, customer: Customer) -> None:
        body = {"products": [{"name": "T-shirt"}, {"identifier": "SKU-2"}], "schedules": ["US-HTS"]}
        assert fields_of(await customer.live.post(BULK, json=body)) == ["products[1].name"]
        assert await customer.deployment.count("products", customer.id) == 0

    async def test_batch_progress_has_status_summary_and_one_item_per_product_and_schedule(
        self, customer: Customer
    ) -> None:
        products = [{"name": "T-shirt", "identifier": "A"}, {"name": "thing", "identifier": "B"}]
        submitted = (
            await customer.live.post(BULK, json={"products": products, "schedules": ["US-HTS", "EU-CN"]})
        ).json()
        assert submitted["status"] == "processing"
        assert submitted["summary"] == {"total": 4, "completed": 0, "failed": 0, "pending": 4}
        await customer.until_final(submitted)
        batch = (await customer.live.get(f"{BULK}/{submitted['batch_id']}")).json()
        assert batch["batch_id"] == submitted["batch_id"]
        assert batch["status"] == "completed"
        assert batch["summary"] == {"total": 4, "completed": 2, "failed": 2, "pending": 0}
        items = [(one["product_identifier"], one["schedule"], one["status"]) for one in batch["classifications"]]
        assert items == [
            ("A", "US-HTS", "completed"),
            ("A", "EU-CN", "completed"),
            ("B", "US-HTS", "failed"),
            ("B", "EU-CN", "failed"),
        ]
        assert batch["classifications"][0]["result"]["hts_code"] == "6109100012"
        assert "result" not in batch["classifications"][2]

    async def test_an_unknown_batch_is_not_found(self, customer: Customer) -> None:
        assert (await customer.live.get(f"{BULK}/batch_01jx0000000000000000000000")).status_code == 404


class TestPutWebhooks:
    async def test_the_organization_wide_webhook_is_set_with_url_secret_event_types_and_enabled(
        self, customer: Customer
    ) -> None:
        body = {
            "url": "https://hooks.example.com/pcs",
            "secret": "sesame",
            "event_types": ["classification.completed", "batch.completed"],
            "enabled": True,
        }
        response = await customer.live.put(WEBHOOKS, json=body)
        assert response.status_code == 200
        shown = response.json()
        assert (shown["url"], shown["event_types"], shown["enabled"]) == (body["url"], body["event_types"], True)
        assert "sesame" not in response.text

    async def test_the_organization_wide_endpoint_receives_events_for_all_classifications(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        await customer.live.put(WEBHOOKS, json={"url": receiver.url})
        first, second = await customer.classify(), await customer.classify(schedules=["EU-CN"])
        sent = await arrivals(receiver, 2)
        expected = {one["classifications"][0]["id"] for one in (first, second)}
        assert {one.json["data"]["id"] for one in sent} == expected

    async def test_it_receives_those_of_batches_too(self, customer: Customer, receiver: Receiver) -> None:
        await customer.live.put(WEBHOOKS, json={"url": receiver.url})
        body = {"products": [{"name": "T-shirt"}, {"name": "Jersey"}], "schedules": ["US-HTS"]}
        batch = (await customer.live.post(BULK, json=body)).json()
        sent = await arrivals(receiver, 2)
        assert {one.json["data"]["id"] for one in sent} == {one["id"] for one in batch["classifications"]}

    async def test_the_url_is_required_and_must_be_one_that_deliveries_may_go_to(self, customer: Customer) -> None:
        assert fields_of(await customer.live.put(WEBHOOKS, json={"secret": "sesame"})) == ["url"]
        for url in ("ftp://hooks.example.com", "https://10.0.0.1/", "hooks.example.com", ""):
            assert fields_of(await customer.live.put(WEBHOOKS, json={"url": url})) == ["url"]

    async def test_a_disabled_endpoint_receives_nothing(self, customer: Customer, receiver: Receiver) -> None:
        await customer.live.put(WEBHOOKS, json={"url": receiver.url, "enabled": False})
        await customer.until_final(await customer.classify())
        await arrivals(receiver, 0)


class TestAuthentication:
    async def test_every_request_carries_a_bearer_key_and_a_missing_one_gives_401(self, deployment: Deployment) -> None:
        async with client_of(deployment, Environment.LIVE, None) as nobody:
            for path in (UNKNOWN, PRODUCTS, WEBHOOKS):
                assert (await nobody.get(path)).status_code == 401

    async def test_an_invalid_key_gives_401(self, deployment: Deployment) -> None:
        async with client_of(deployment, Environment.LIVE, "svc_live_nonsense") as stranger:
            response = await stranger.get(UNKNOWN)
        assert response.status_code == 401
        assert response.json()["error"]["reason"] == "invalid_api_key"

    async def test_keys_are_scoped_to_an_organization(self, new_customer: NewCustomer) -> None:
        one, other = await new_customer(), await new_customer()
        accepted = await one.classify()
        assert (await other.live.get(accepted["classifications"][0]["poll_url"])).status_code == 404
        assert (await one.live.get(accepted["classifications"][0]["poll_url"])).status_code == 200

    async def test_a_test_key_does_not_work_against_production_nor_a_live_key_against_the_sandbox(
        self, customer: Customer, deployment: Deployment
    ) -> None:
        live_key = await deployment.key(customer.id, Environment.LIVE)
        test_key = await deployment.key(customer.id, Environment.TEST)
        assert live_key.startswith("svc_live_")
        assert test_key.startswith("svc_test_")
        for environment, key in ((Environment.LIVE, test_key), (Environment.TEST, live_key)):
            async with client_of(deployment, environment, key) as misplaced:
                response = await misplaced.get(UNKNOWN)
            assert response.status_code == 403
            assert response.json()["error"]["reason"] == "wrong_environment"

    async def test_keys_are_not_created_nor_revoked_through_the_api(self, customer: Customer) -> None:
        paths = (await customer.live.get("/openapi.json")).json()["paths"]
        assert not [path for path in paths if "key" in path]

    async def test_a_key_has_a_descriptive_name_and_cannot_be_retrieved_later(self, customer: Customer) -> None:
        shown = (await customer.live.get("/api/v1/me")).json()["api_key"]
        assert shown["name"]
        token = customer.live.headers["Authorization"].removeprefix("Bearer ")
        assert token.endswith(shown["last_four"])
        assert token not in str(shown)

    async def test_several_keys_can_be_active_at_once(self, customer: Customer) -> None:
        async with await customer.client() as second:
            accepted = await customer.classify(second)
        assert (await customer.live.get(accepted["classifications"][0]["poll_url"])).status_code == 200

    async def test_a_revoked_key_is_rejected_immediately(self, customer: Customer, deployment: Deployment) -> None:
        assert (await customer.live.get(UNKNOWN)).status_code == 404
        await revoke_all(deployment, customer.id)
        response = await customer.live.get(UNKNOWN)
        assert response.status_code == 401
        assert response.json()["error"]["reason"] == "revoked_api_key"

    async def test_requests_in_flight_with_a_revoked_key_fail_with_401_and_leave_nothing(
        self, customer: Customer, deployment: Deployment
    ) -> None:
        key_id = (await customer.live.get("/api/v1/me")).json()["api_key"]["id"]
        headers = {"Idempotency-Key": "in flight"}
        async with deployment.service.database.begin() as revoking:
            await organizations.revoke_key(revoking, key_id, customer.id, now=deployment.service.clock())
            request = asyncio.create_task(customer.live.post(CLASSIFY, json=GOOD, headers=headers))
            await asyncio.sleep(0.3)
            assert not request.done()
        assert (await request).status_code == 401
        for table in ("products", "classifications", "credit_entries", "kept_answers"):
            assert await deployment.count(table, customer.id) == 0

    async def test_a_valid_key_with_insufficient_permissions_gives_403(self, customer: Customer) -> None:
        async with await customer.client(scopes=READ_ONLY) as reader:
            response = await reader.post(CLASSIFY, json=GOOD)
            assert (await reader.get(UNKNOWN)).status_code == 404
        assert response.status_code == 403
        assert response.json()["error"]["code"] == "FORBIDDEN"

    async def test_every_response_carries_a_unique_request_id(self, customer: Customer) -> None:
        responses = [
            await customer.live.get(UNKNOWN),
            await customer.live.post(CLASSIFY, json=GOOD),
            await customer.live.post(CLASSIFY, json={}),
            await customer.live.get("/api/v1/nowhere"),
            await customer.live.patch(PRODUCTS, json={}),
            await customer.live.get(UNKNOWN, headers={"Authorization": "Bearer x"}),
            await customer.live.get("/health"),
        ]
        assert len({response.headers["X-Request-ID"] for response in responses}) == len(responses)


async def revoke_all(deployment: Deployment, organization_id: str) -> None:
    async with deployment.service.database.begin() as transaction:
        now = deployment.service.clock()
        for key in await organizations.list_keys(transaction, organization_id):
            await organizations.revoke_key(transaction, key.id, organization_id, now=now)


class TestSandbox:
    async def test_the_sandbox_simulates_results_with_the_same_paths(self, customer: Customer) -> None:
        accepted = await customer.classify(customer.sandbox, schedules=["US-HTS", "EU-CN"])
        american, european = await customer.until_final(accepted, customer.sandbox)
        assert re.fullmatch(r"\d{10}", american["result"]["hts_code"])
        assert re.fullmatch(r"\d{8}", european["result"]["cn_code"])
        assert "sandbox" in american["result"]["reasoning"]

    async def test_every_scenario_does_what_it_promises(self, customer: Customer) -> None:
        listed = (await customer.sandbox.get("/api/v1/sandbox/scenarios")).json()["data"]
        ended = {one["identifier"]: await self._end(customer, one["identifier"]) for one in listed}
        assert ended == {
            "sbx-fail": "CLASSIFICATION_ERROR",
            "sbx-fail-insufficient": "INSUFFICIENT_INFORMATION",
            "sbx-slow": "completed",
            "sbx-timeout": "CLASSIFICATION_TIMEOUT",
            "sbx-low-confidence": "doubtful",
            "sbx-rate-limit": "429",
        }

    async def _end(self, customer: Customer, identifier: str) -> str:
        body = {"product": {"name": "Anything", "identifier": identifier}, "schedules": ["US-HTS"]}
        response = await customer.sandbox.post(CLASSIFY, json=body)
        if response.status_code != 202:
            assert int(response.headers["Retry-After"]) >= 1
            return str(response.status_code)
        [polled] = await customer.until_final(response.json(), customer.sandbox)
        if polled["status"] == "failed":
            return str(polled["error"]["code"])
        return "doubtful" if polled["result"]["needs_review"] else "completed"

    async def test_a_scenario_means_nothing_in_the_live_environment(self, customer: Customer) -> None:
        [polled] = await customer.until_final(await customer.classify(product={"name": "x", "identifier": "sbx-fail"}))
        assert polled["status"] == "completed"


class TestEvents:
    async def test_classification_completed_is_sent_once_per_product_and_schedule(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        accepted = await customer.classify(schedules=["US-HTS", "EU-CN"], options={"webhook_url": receiver.url})
        sent = await arrivals(receiver, 2)
        assert {one.json["data"]["id"] for one in sent} == {one["id"] for one in accepted["classifications"]}
        assert {one.json["data"]["schedule"] for one in sent} == {"US-HTS", "EU-CN"}

    async def test_a_delivery_is_a_post_with_the_four_headers(self, customer: Customer, receiver: Receiver) -> None:
        await customer.live.put(WEBHOOKS, json={"url": receiver.url, "secret": "sesame"})
        await customer.classify()
        [sent] = await arrivals(receiver, 1)
        assert sent.headers["content-type"] == "application/json"
        assert sent.headers["x-service-event"] == "classification.completed"
        assert sent.headers["x-service-delivery-id"].startswith("dlv_")
        assert sent.headers["x-webhook-secret"] == "sesame"

    async def test_the_secret_is_absent_when_none_is_configured(self, customer: Customer, receiver: Receiver) -> None:
        await customer.live.put(WEBHOOKS, json={"url": receiver.url})
        await customer.classify()
        [sent] = await arrivals(receiver, 1)
        assert "x-webhook-secret" not in sent.headers

    async def test_the_delivery_id_is_unique_per_delivery(self, customer: Customer, receiver: Receiver) -> None:
        await customer.classify(schedules=["US-HTS", "EU-CN"], options={"webhook_url": receiver.url})
        sent = await arrivals(receiver, 2)
        assert len({one.headers["x-service-delivery-id"] for one in sent}) == 2

    async def test_the_body_of_classification_completed_has_event_timestamp_and_data(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        await customer.classify(options={"webhook_url": receiver.url})
        [sent] = await arrivals(receiver, 1)
        assert set(sent.json) == {"event", "timestamp", "data"}
        assert sent.json["event"] == "classification.completed"
        assert TIME.fullmatch(sent.json["timestamp"])
        data = sent.json["data"]
        assert set(data) >= {"id", "status", "schedule", "product", "result"}
        assert data["status"] == "completed"
        assert set(data["result"]) >= {"hts_code", "hts_description", "supporting_rulings", "reasoning"}

    async def test_batch_completed_is_sent_once_to_the_bulk_request_s_url_and_each_item_carries_its_schedule(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        body = {
            "products": [{"name": "T-shirt", "identifier": "A"}, {"name": "thing"}],
            "schedules": ["US-HTS", "EU-CN"],
            "options": {"webhook_url": receiver.url},
        }
        batch = (await customer.live.post(BULK, json=body)).json()
        sent = await arrivals(receiver, 5)
        [ended] = [one for one in sent if one.headers["x-service-event"] == "batch.completed"]
        assert ended.json["data"]["batch_id"] == batch["batch_id"]
        assert ended.json["data"]["summary"] == {"total": 4, "completed": 2, "failed": 2, "pending": 0}
        assert [item["schedule"] for item in ended.json["data"]["classifications"]] == ["US-HTS", "EU-CN"] * 2

    async def test_a_2xx_answer_ends_the_delivery_and_any_other_triggers_a_retry(
        self, customer: Customer, receiver: Receiver
    ) -> None:
        receiver.statuses = [500]
        await customer.classify(options={"webhook_url": receiver.url})
        await arrivals(receiver, 1)
        due = "UPDATE deliveries SET next_attempt_at = now() WHERE organization_id = :id AND status = 'pending'"
        await customer.deployment.run(due, id=customer.id)
        query = (
            "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo' AND task_name LIKE 'webhooks%'"
        )
        await customer.deployment.run(query)
        first, second = await arrivals(receiver, 2)
        assert first.headers["x-service-delivery-id"] == second.headers["x-service-delivery-id"]
        assert first.body == second.body


class TestErrors:
    async def test_the_general_body_has_code_message_request_id_and_details(self, customer: Customer) -> None:
        response = await customer.live.post(CLASSIFY, json={})
        error = response.json()["error"]
        assert set(error) >= {"code", "message", "request_id", "details"}
        assert error["request_id"] == response.headers["X-Request-ID"]
        assert all(set(detail) == {"field", "message"} for detail in error["details"])

    async def test_invalid_request_is_400_for_a_malformed_body(self, customer: Customer) -> None:
        response = await customer.live.post(CLASSIFY, content=b"{", headers={"Content-Type": "application/json"})
        assert (response.status_code, response.json()["error"]["code"]) == (400, "INVALID_REQUEST")

    async def test_unauthorized_is_401(self, deployment: Deployment) -> None:
        async with client_of(deployment, Environment.LIVE, None) as nobody:
            response = await nobody.get(UNKNOWN)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")

    async def test_internal_error_is_500_and_safe_to_retry(self, customer: Customer, deployment: Deployment) -> None:
        headers = {"Idempotency-Key": "after a fault"}
        await deployment.run("ALTER TABLE products RENAME TO hidden")
        try:
            response = await customer.live.post(PRODUCTS, json={"name": "T-shirt"}, headers=headers)
        finally:
            await deployment.run("ALTER TABLE hidden RENAME TO products")
        assert (response.status_code, response.json()["error"]["code"]) == (500, "INTERNAL_ERROR")
        assert (await customer.live.post(PRODUCTS, json={"name": "T-shirt"}, headers=headers)).status_code == 201

    async def test_authentication_errors_serve_the_second_shape_in_the_same_body(self, deployment: Deployment) -> None:
        async with client_of(deployment, Environment.LIVE, None) as nobody:
            error = (await nobody.get(UNKNOWN)).json()["error"]
        assert error["type"] == "authentication_error"
        assert error["message"]
        assert error["code"]

    async def test_a_failure_is_not_an_http_error_and_its_code_is_in_the_record(self, customer: Customer) -> None:
        body = {"product": {"name": "x", "identifier": "sbx-fail"}, "schedules": ["US-HTS"]}
        accepted = (await customer.sandbox.post(CLASSIFY, json=body)).json()
        [polled] = await customer.until_final(accepted, customer.sandbox)
        response = await customer.sandbox.get(f"{CLASSIFICATIONS}/{polled['id']}")
        assert response.status_code == 200
        assert response.json()["error"]["code"] == "CLASSIFICATION_ERROR"


class TestLimits:
    async def test_the_rate_limit_is_100_requests_per_minute_by_default_and_per_key(self, customer: Customer) -> None:
        async with await customer.client(rate_limit=None) as limited, await customer.client(rate_limit=None) as other:
            assert (await limited.get(UNKNOWN)).headers["X-RateLimit-Limit"] == "100"
            assert (await limited.get(UNKNOWN)).headers["X-RateLimit-Remaining"] == "98"
            assert (await other.get(UNKNOWN)).headers["X-RateLimit-Remaining"] == "99"

    async def test_beyond_the_limit_the_answer_is_429_with_retry_after(self, customer: Customer) -> None:
        async with await customer.client(rate_limit=2) as limited:
            answers = [await limited.get(UNKNOWN) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [404, 404, 429]
        assert answers[2].json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
        reset = int(answers[2].headers["X-RateLimit-Reset"])
        assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
        assert abs(reset - time.time() - int(answers[2].headers["Retry-After"])) <= 2

    async def test_the_three_headers_are_on_every_response(self, customer: Customer, deployment: Deployment) -> None:
        async with client_of(deployment, Environment.LIVE, None) as nobody:
            responses = [
                await customer.live.get(UNKNOWN),
                await customer.live.post(CLASSIFY, json=GOOD),
                await customer.live.post(CLASSIFY, json={}),
                await customer.live.get("/api/v1/nowhere"),
                await customer.live.patch(PRODUCTS, json={}),
                await customer.live.post(CLASSIFY, content=b"x", headers={"Content-Type": "text/plain"}),
                await customer.live.post(CLASSIFY, json={"filler": "x" * 300_000}),
                await nobody.get(UNKNOWN),
            ]
        async with await customer.client(scopes=READ_ONLY, rate_limit=1) as limited:
            responses += [await limited.post(CLASSIFY, json=GOOD), await limited.get(UNKNOWN)]
        statuses = [response.status_code for response in responses]
        assert statuses == [404, 202, 400, 404, 405, 415, 413, 401, 403, 429]
        assert len({response.headers["X-Request-ID"] for response in responses}) == len(responses)
        for response in responses:
            for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"):
                assert int(response.headers[name]) >= 0


class TestRequests:
    async def test_bodies_are_json(self, customer: Customer) -> None:
        content = b'{"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}'
        for kind, status in (("application/json", 202), ("application/json; charset=utf-8", 202), ("text/json", 415)):
            response = await customer.live.post(CLASSIFY, content=content, headers={"Content-Type": kind})
            assert response.status_code == status
            assert response.headers["Content-Type"] == "application/json"

    async def test_what_can_be_read_can_be_asked_for_with_head(
        self, customer: Customer, deployment: Deployment
    ) -> None:
        accepted = await customer.classify()
        for path in (accepted["classifications"][0]["poll_url"], PRODUCTS, "/health", "/docs"):
            whole, head = await customer.live.get(path), await customer.live.head(path)
            assert (head.status_code, head.content) == (whole.status_code, b"")
            assert head.headers["Content-Type"] == whole.headers["Content-Type"]
        assert (await customer.live.head(f"{WEBHOOKS}/test")).status_code == 405
        async with client_of(deployment, Environment.LIVE, None) as nobody:
            assert (await nobody.head(PRODUCTS)).status_code == 401


class TestVersioning:
    async def test_the_version_is_in_the_path_of_all_endpoints_and_the_sandbox_has_the_same_paths(
        self, customer: Customer
    ) -> None:
        live = (await customer.live.get("/openapi.json")).json()
        sandbox = (await customer.sandbox.get("/openapi.json")).json()
        assert live == sandbox
        assert all(path.startswith("/api/v1/") for path in live["paths"])

    async def test_all_eight_endpoints_are_there(self, customer: Customer) -> None:
        paths = (await customer.live.get("/openapi.json")).json()["paths"]
        endpoints = {(method, path) for path, operations in paths.items() for method in operations}
        assert endpoints >= {
            ("post", CLASSIFY),
            ("post", PRODUCTS),
            ("post", CLASSIFICATIONS),
            ("get", f"{CLASSIFICATIONS}/{{classification_id}}"),
            ("get", f"{PRODUCTS}/{{product_id}}"),
            ("post", BULK),
            ("get", f"{BULK}/{{batch_id}}"),
            ("put", WEBHOOKS),
        }
