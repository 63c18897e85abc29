"""`/metrics`, the dashboard and the alerts made of it."""

import asyncio
import contextlib
import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import yaml
from prometheus_client.parser import text_string_to_metric_families

from builders import ServiceUnderTest
from deployment import database_beside, deployed
from pcs.base.metrics import metrics_folder
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from receiver import Receiver

DEPLOY = Path(__file__).parents[2] / "deploy"


def samples(text: str) -> dict[str, float]:
    """Every sample by its name and labels."""
    return {
        f"{sample.name}{{{','.join(f'{name}={value}' for name, value in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(api: httpx2.AsyncClient) -> dict[str, float]:
    response = await api.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    return samples(response.text)


async def test_what_waits_and_what_was_done_is_shown(running: ServiceUnderTest, receiver: Receiver) -> None:
    await running.classify(options={"webhook_url": receiver.url})
    before = await scraped(running.live)
    assert before["pcs_database_up{}"] == 1
    assert before["pcs_classifications_open{environment=live,status=pending}"] >= 1
    assert before["pcs_classifications_oldest_seconds{environment=live,status=pending}"] >= 0
    assert before["pcs_jobs{queue=analysis,status=todo}"] >= 1
    route = "/api/v1/products/classify"
    assert before[f"pcs_http_requests_total{{environment=live,method=POST,route={route},status=202}}"] == 1
    await running.work()
    after = await scraped(running.live)
    assert after["pcs_classifications_finished_total{environment=live,schedule=US-HTS,status=completed}"] >= 1
    assert after["pcs_analysis_seconds_count{environment=live,schedule=US-HTS}"] >= 1
    assert after["pcs_classification_waiting_seconds_count{environment=live}"] >= 1
    assert after["pcs_webhook_sends_total{outcome=succeeded}"] >= 1


async def test_an_address_that_nobody_serves_does_not_become_a_label(running: ServiceUnderTest) -> None:
    for number in range(3):
        await running.live.get(f"/api/v1/nowhere/{number}")
    found = await scraped(running.live)
    assert found["pcs_http_requests_total{environment=live,method=GET,route=unmatched,status=404}"] == 3


async def test_processes_count_together(database_url: str, settings: Settings, tmp_path: Path) -> None:
    """Two APIs and a worker process: each listener tells what all of them did."""
    with database_beside(database_url, "metrics") as url:
        ours = dataclasses.replace(settings, database_url=url, data_dir=tmp_path)  # where nobody else counts
        async with deployed(ours) as deployment:
            organization = await deployment.organization()
            for environment, address in (
                (Environment.LIVE, deployment.live_url),
                (Environment.TEST, deployment.sandbox_url),
            ):
                key = await deployment.key(organization, environment)
                headers = {"Authorization": f"Bearer {key}"}
                async with httpx2.AsyncClient(base_url=address, headers=headers, trust_env=False) as api:
                    for _ in range(3):
                        body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
                        assert (await api.post("/api/v1/products/classify", json=body)).status_code == 202
            clients = [
                httpx2.AsyncClient(base_url=one, trust_env=False)
                for one in (deployment.live_url, deployment.sandbox_url)
            ]
            async with contextlib.AsyncExitStack() as stack:
                for client in clients:
                    await stack.enter_async_context(client)
                async with asyncio.timeout(30):
                    while True:
                        seen = [await scraped(client) for client in clients]
                        done = [_finished(one) for one in seen]
                        if done == [6.0, 6.0]:
                            break
                        await asyncio.sleep(0.2)
        posted = "pcs_http_requests_total{environment=%s,method=POST,route=/api/v1/products/classify,status=202}"
        for one in seen:
            assert one[posted % "live"] == one[posted % "test"] == 3
            assert one["pcs_queue_workers{}"] == 3
        assert len(list(metrics_folder(ours.data_dir).glob("counter_*.db"))) == 3


def _finished(found: dict[str, float]) -> float:
    return sum(value for name, value in found.items() if name.startswith("pcs_classifications_finished_total"))


_WITHOUT_DATABASE = """
import asyncio, dataclasses, sys
import httpx2
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.base.telemetry import configure_logging
from pcs.bootstrap import build_service
from pcs.http.app import create_app

async def main():
    configure_logging("warning")
    service = build_service(Settings(database_url="postgresql://127.0.0.1:1/x", secret_key="s"))
    transport = httpx2.ASGITransport(create_app(service, Environment.LIVE))
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as api:
        await api.get("/health")
        sys.stdout.write((await api.get("/metrics")).text)

asyncio.run(main())
"""


def test_without_a_database_the_counters_are_shown_still() -> None:
    said = subprocess.run([sys.executable, "-c", _WITHOUT_DATABASE], capture_output=True, text=True, check=True)
    found = samples(said.stdout)
    assert found["pcs_database_up{}"] == 0
    assert found["pcs_http_requests_total{environment=live,method=GET,route=/health,status=200}"] == 1


async def test_the_dashboard_and_the_alerts_name_metrics_that_exist(running: ServiceUnderTest) -> None:
    await running.live.get("/health")
    text = (await running.live.get("/metrics")).text
    exist = {family.name for family in text_string_to_metric_families(text)}
    named = {name for expression in (*_grafana(), *_alerts()) for name in re.findall(r"\bpcs_\w+", expression)}
    assert len(named) > 10
    assert {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in named} - exist == set()
    assert exist - {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in named} == set(), "show these too"


def _grafana() -> list[str]:
    dashboard: dict[str, Any] = json.loads((DEPLOY / "grafana" / "pcs.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def _alerts() -> list[str]:
    document = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))
    return [rule["expr"] for group in document["groups"] for rule in group["rules"]]
