"""What the pages do: uploads, lists, reviews, schedules, keys."""

import html
import re
from pathlib import Path

from standardwebhooks import Webhook

import pcs.dashboard
from builders import ServiceUnderTest
from dashboard.visitor import Office
from determinations import OUTER, ask
from pcs.dashboard.tree import path_picture
from pcs.engine.result import Alternative, Level, Result
from pcs.lists.service import search_words
from pcs.organizations.model import Role
from pcs.schedules.service import Revisions
from pcs.tariff.changes import ChangeKind
from pcs.tariff.code import Code
from receiver import Receiver
from whole_schedule import edition

BASE = "/dashboard/live"


async def credits_of(running: ServiceUnderTest) -> int:
    query = "SELECT count(*) AS spent FROM credit_entries WHERE organization_id = :id"
    return int((await running.rows(query, id=running.organization_id))[0]["spent"])


async def test_a_list_is_searched_filtered_sorted_and_paged(office: Office) -> None:
    visitor = await office.signed_in()
    for number in range(30):
        await office.running.classify(product={"name": f"Blue mug no {number}", "identifier": f"MUG-{number}"})
    await office.running.classify(product={"name": "thing", "identifier": "LAMP/7"})
    await office.running.work()

    async def found(query: str) -> list[str]:
        page = await visitor.open(f"{BASE}/classifications?{query}")
        assert page.status_code == 200
        return re.findall(r'class="row-link" href="[^"]+">([^<]+)<', page.text)

    first = await found("")
    assert len(first) == 25
    assert first[0] == "thing"
    following = re.search(r'rel="next" href="\?([^"]+)"', (await visitor.open(f"{BASE}/classifications")).text)
    assert following
    assert len(await found(following[1].replace("&amp;", "&"))) == 6
    assert await found("q=lamp-7") == ["thing"]
    assert await found("q=lam") == ["thing"]
    assert await found("q=mug+29") == ["Blue mug no 29"]
    assert await found("q=nowhere") == []
    assert await found("q=%27%3A*+%26+!%00%29") == first
    assert await found("status=failed") == ["thing"]
    assert len(await found("q=6109.10")) == 25
    assert (await found("sort=oldest"))[0] == "Blue mug no 0"
    doubtful = await visitor.open(f"{BASE}/classifications?sort=doubtful")
    following = re.search(r'rel="next" href="\?([^"]+)"', doubtful.text)
    assert following
    assert len(await found(following[1].replace("&amp;", "&"))) == 5
    assert await found("status=nonsense&sort=nonsense&after=clf_") in ([], first)
    assert len((await visitor.open(f"{BASE}/classifications.csv")).text.splitlines()) == 32


def test_words_are_taken_apart_as_they_are_stored() -> None:
    assert search_words("MUG-29 / blue") == ["mug", "29", "blue"]
    assert search_words("' | ! ( : *") == []


async def test_a_review_stands_beside_the_result(office: Office) -> None:
    visitor = await office.signed_in(Role.MEMBER)
    accepted = await office.running.classify()
    address = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    await visitor.open(address)
    assert (await visitor.send(f"{address}/review", decision="accepted")).status_code == 409
    await office.running.work()
    await visitor.open(address)
    for fields in ({}, {"decision": "splendid"}, {"decision": "corrected", "code": "61"}, {"decision": "corrected"}):
        assert (await visitor.send(f"{address}/review", **fields)).status_code == 422, fields
    fields = {"decision": "corrected", "code": "6109.10.00.40", "note": "For women."}
    answer = await visitor.send(f"{address}/review", **fields)
    assert answer.status_code == 303, visitor.text
    await visitor.follow()
    assert "6109.10.00.40" in visitor.text
    assert "For women." in visitor.text
    assert (await office.running.poll(accepted))["result"]["hts_code"] == "6109100012"
    assert "reviewed a classification" not in visitor.text
    assert "thing" not in (await visitor.open(f"{BASE}/classifications?review=reviewed")).text


async def test_a_question_is_answered_by_its_options_and_what_that_changed_is_shown(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work(ask)
    address = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    page = (await visitor.open(address)).text
    assert page.count(f'name="option:{OUTER.id}"') == len(OUTER.options)
    assert (await visitor.send(f"{address}/answers")).status_code == 422
    sent = await visitor.send(f"{address}/answers", **{f"option:{OUTER.id}": "leather"})
    assert sent.status_code == 303
    await visitor.follow()
    await office.running.work(ask)
    await visitor.open(sent.headers["Location"])
    assert "28% → 76% , 6109.10.00.12 → 6109.10.00.12" in visitor.text
    assert "took its place" in (await visitor.open(address)).text
    assert visitor.page is not None
    assert f'name="option:{OUTER.id}"' not in visitor.page.text


async def test_what_nobody_has_begun_can_be_cancelled(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    address = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    await visitor.open(address)
    assert (await visitor.send(f"{address}/cancel")).status_code == 303
    await visitor.follow()
    assert "CANCELLED" in visitor.text
    assert (await visitor.send(f"{address}/cancel")).status_code == 409


async def test_the_changes_between_two_revisions_are_shown(office: Office) -> None:
    revisions = Revisions(office.running.service.settings.data_dir)
    before = revisions.stage(edition("2025"))
    after = revisions.stage(edition("2026", heading_words="Wares of"))
    visitor = await office.signed_in()
    address = f"{BASE}/schedules/EU-CN/changes?from={before.key}&to={after.key}"
    page = await visitor.open(address)
    assert page.status_code == 200
    assert "Reworded" in visitor.text
    template = (Path(pcs.dashboard.__file__).parent / "templates" / "changes.html").read_text("utf-8")
    assert all(f'"{kind}": "' in template for kind in ChangeKind), "each kind in a broker's words"
    assert '"rerated": "Duty changed"' in template
    assert "None of your completed classifications uses" in visitor.text
    assert "more are not shown" in visitor.text
    assert (await visitor.open(f"{BASE}/schedules/EU-CN/changes?from=none&to={after.key}")).status_code == 404
    page = await visitor.open(f"{BASE}/schedules/EU-CN?revision={before.key}&q=6109")
    assert "6109" in visitor.text
    assert (await visitor.open(f"{BASE}/schedules/EU-CN/codes/6109?revision={after.key}")).status_code == 200
    assert "Wares of 6109" in visitor.text
    assert (await visitor.open(f"{BASE}/schedules/XX")).status_code == 404
    assert (await visitor.open(f"{BASE}/schedules/EU-CN/codes/nonsense")).status_code == 404


async def test_a_delivery_that_failed_for_good_says_so_and_what_to_do(office: Office) -> None:
    running, visitor = office.running, await office.signed_in()
    endpoint = {"url": "https://example.com/hook", "event_types": ["classification.completed"], "enabled": True}
    (await running.live.put("/api/v1/webhooks", json=endpoint)).raise_for_status()
    (await running.live.post("/api/v1/webhooks/test")).raise_for_status()
    await running.run(
        "UPDATE deliveries SET status = 'failed', finished_at = now() WHERE organization_id = :id",
        id=running.organization_id,
    )
    query = "SELECT id FROM deliveries WHERE organization_id = :id"
    [delivery] = await running.rows(query, id=running.organization_id)
    await visitor.open(f"{BASE}/settings/webhooks/deliveries/{delivery['id']}")
    assert "it is not tried again by itself" in visitor.text


async def test_answers_that_a_new_revision_makes_outdated_stand_beside_its_changes(office: Office) -> None:
    revisions = Revisions(office.running.service.settings.data_dir)
    before, after = revisions.stage(edition("2025")), revisions.stage(edition("2026", heading_words="Wares of"))
    products = [{"name": f"Shirt {number}"} for number in range(21)]
    body = {"products": products, "schedules": ["EU-CN"]}
    batch = (await office.running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await office.running.work()
    visitor = await office.signed_in()
    address = f"{BASE}/schedules/EU-CN/changes?from={before.key}&to={after.key}"
    page = await visitor.open(address)
    assert "21 of your completed classifications use codes that were removed or changed" in visitor.text
    first, *others = [f"/classifications/{one['id']}" for one in batch["classifications"]]
    assert all(other in page.text for other in others)
    assert first not in page.text
    page = await visitor.open(f"{address}&cursor={batch['classifications'][1]['id']}")
    assert first in page.text
    assert others[0] not in page.text


def test_the_picture_escapes_and_hangs_alternatives_where_they_leave_the_path() -> None:
    result = Result(
        code=Code("61091000"),
        description="",
        reasoning="",
        schedule_revision="2026",
        hierarchy=(
            Level(Code("61"), "<b>Knitted"),
            Level(Code("6109"), "T-shirts " * 60, 0.9),
            Level(Code("61091000"), "Of cotton", 0.8),
        ),
        alternatives=(Alternative(Code("61099020"), "a > Of wool", 0.1, "wool"),),
    )
    for width in (560, 330):
        drawn = path_picture(result, width=width)
        assert "&lt;b&gt;Knitted" in drawn
        assert "<b>" not in drawn
        assert drawn.count("<rect") == 4
        assert drawn.count('class="tree-branch') == 3
        assert "6109.90.20" in drawn
        assert drawn.partition("<g")[2].count("T-shirts") == 60  # no title is cut, however long


async def test_a_key_that_is_limited_may_do_no_more(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/settings/api")
    assert (await visitor.send(f"{BASE}/settings/api", name="x", access="custom")).status_code == 422
    fields = {
        "name": "reader",
        "access": "custom",
        "scopes": ["usage:read"],
        "expires": "30",
        "key_environment": "test",
    }
    await visitor.send(f"{BASE}/settings/api", **fields)
    page = await visitor.follow()
    [token] = set(re.findall(r"svc_test_\w{38}", page.text))
    headers = {"Authorization": f"Bearer {token}"}
    assert (await office.running.sandbox.get("/api/v1/classifications", headers=headers)).status_code == 403
    assert (await office.running.sandbox.get("/api/v1/usage", headers=headers)).status_code == 200
    office.running.clock.turn(days=31)
    assert (await office.running.sandbox.get("/api/v1/usage", headers=headers)).status_code == 401


async def test_a_secret_made_here_is_one_that_receivers_libraries_take(office: Office, receiver: Receiver) -> None:
    visitor = await office.signed_in()
    address = f"{BASE}/settings/webhooks"
    await visitor.open(address)
    endpoint = {"url": receiver.url, "event_types": "classification.completed", "enabled": "yes"}
    await visitor.send(address, **endpoint, secret_choice="make")
    shown = await visitor.follow()
    [secret] = set(re.findall(r"whsec_[\w+/=-]+", html.unescape(shown.text)))
    await office.running.classify()
    await office.running.work()
    [sent] = receiver.received
    assert Webhook(secret).verify(sent.body, sent.headers)["event"] == "classification.completed"
    await visitor.open(address)
    answer = await visitor.send(address, **endpoint, secret_choice="own", secret="whsec_no-base64!")
    assert answer.status_code == 303, "any string may be a secret"


async def test_the_page_of_a_new_key_shows_the_first_call_to_the_api_that_takes_it(office: Office) -> None:
    visitor = await office.signed_in()
    settings = office.running.service.settings
    for environment, port in (("live", settings.live_port), ("test", settings.sandbox_port)):
        await visitor.open(f"{BASE}/settings/api")
        await visitor.send(f"{BASE}/settings/api", name="first", access="full", key_environment=environment)
        page = html.unescape((await visitor.follow()).text)
        [token] = set(re.findall(r"svc_\w{4}_\w{38}", page))
        shown = re.findall(r'<pre[^>]* aria-label="Quick start: (\w+)">(.*?)</pre>', page, re.DOTALL)
        assert [language for language, _ in shown] == ["curl", "Python", "TypeScript", "Excel"]
        assert all(f":{port}" in text and token in text for _, text in shown)
        assert "YOUR_" not in page
        assert "Quick start" not in (await visitor.open(f"{BASE}/settings/api")).text
