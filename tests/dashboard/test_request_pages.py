"""The request log in the dashboard: from an error's request_id to its line, with what was sent and answered."""

import re

from dashboard.visitor import Office
from pcs.organizations.model import Role

REQUESTS = "/dashboard/live/settings/requests"


async def test_the_request_id_of_an_error_leads_to_its_line_and_its_bodies(office: Office) -> None:
    refused = await office.running.live.put("/api/v1/webhooks", json={"url": "ftp://x.example", "secret": "hush-hush"})
    assert refused.status_code == 400
    await office.running.service.recorder.flush()
    visitor = await office.signed_in(Role.VIEWER)
    request_id = refused.json()["error"]["request_id"]
    await visitor.open(f"/dashboard/live/classifications?q={request_id}")
    page = await visitor.follow()
    assert page.url.path == f"{REQUESTS}/{request_id}"
    assert "PUT /api/v1/webhooks" in visitor.text
    assert '"INVALID_REQUEST"' in visitor.text
    assert "ftp://x.example" in visitor.text
    assert "hush-hush" not in page.text
    assert "[redacted]" in visitor.text


async def test_the_log_is_filtered_and_each_key_leads_to_its_own_requests(office: Office) -> None:
    await office.running.live.get("/api/v1/me")
    await office.running.live.delete("/api/v1/webhooks")
    await office.running.service.recorder.flush()
    visitor = await office.signed_in()
    await visitor.open(f"{REQUESTS}?status=4xx")
    assert "DELETE /api/v1/webhooks" in visitor.text
    assert "GET /api/v1/me" not in visitor.text
    await visitor.open(f"{REQUESTS}?path=/api/v1/m&method=GET&period=hour")
    assert "GET /api/v1/me" in visitor.text
    assert "DELETE /api/v1/webhooks" not in visitor.text
    await visitor.open(f"{REQUESTS}?status=5xx")
    assert "Nothing found." in visitor.text
    keys = (await visitor.open("/dashboard/live/settings/api")).text
    [own] = re.findall(r'href="(/dashboard/live/settings/requests\?key=key_\w+)"', keys)
    await visitor.open(own)
    assert "GET /api/v1/me" in visitor.text
    await visitor.open(f"{REQUESTS}?key=key_01jx0000000000000000000000")
    assert "Nothing found." in visitor.text
    await visitor.open("/dashboard/test/settings/requests")
    assert "No API requests in the last 7 days." in visitor.text
