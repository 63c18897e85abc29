"""What every answer carries, and what none does."""

import httpx2
import pytest

from builders import ServiceUnderTest, client
from pcs.base.tenancy import Environment
from pcs.dashboard.app import create_dashboard

PATHS = ("/api/v1/me", "/api/v1/nowhere", "/nowhere", "/health", "/ready", "/metrics", "/docs", "/openapi.json")


@pytest.mark.parametrize("path", PATHS)
async def test_no_browser_runs_frames_or_guesses_at_an_answer(running: ServiceUnderTest, path: str) -> None:
    for api in (running.live, running.sandbox):
        headers = (await api.get(path)).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Request-ID"].startswith("req_")
        assert "Set-Cookie" not in headers
        assert "Access-Control-Allow-Origin" not in headers, "keys do not belong into browsers"


async def test_refusals_and_faults_carry_them_too(running: ServiceUnderTest) -> None:
    async with client(running.service, Environment.LIVE, None) as stranger:
        refused = await stranger.get("/api/v1/me")
    wrong = await running.live.post("/api/v1/products", content=b"{", headers={"Content-Type": "application/json"})
    large = await running.live.post(
        "/api/v1/products", content=b" " * 300_000, headers={"Content-Type": "application/json"}
    )
    assert [one.status_code for one in (refused, wrong, large)] == [401, 400, 413]
    for response in (refused, wrong, large):
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cache-Control"] == "no-store"


async def test_the_dashboard_is_neither_framed_nor_cached_nor_sent_in_the_clear(running: ServiceUnderTest) -> None:
    transport = httpx2.ASGITransport(create_dashboard(running.service))
    async with httpx2.AsyncClient(transport=transport, base_url="https://test") as visitor:
        headers = (await visitor.get("/dashboard/sign-in")).headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
