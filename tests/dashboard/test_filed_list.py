"""Filed codes in the dashboard: said with goods or in a file, compared, and listed by what is at stake."""

import re

from dashboard.visitor import Office

BASE = "/dashboard/live"


async def test_a_form_s_filed_code_is_compared_and_comes_back_when_the_goods_are_classified_again(
    office: Office,
) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/classify")
    goods = {"name": "Mug", "schedules": ["US-HTS"], "declared_codes.US-HTS": "6912.00.44.00"}
    done = await visitor.send(f"{BASE}/classify", **goods)
    await office.running.work()
    product = await visitor.open(done.headers["location"])
    [link] = set(re.findall(rf'href="({BASE}/classifications/clf_[^"#/]+)', product.text))
    page = await visitor.open(link)
    assert "<h2>Filed code</h2>" in page.text
    assert "6912.00.44.00 is for" in page.text
    [again] = re.findall(r'href="([^"]+)">Classify again', page.text)
    form = await visitor.open(again)
    assert 'value="6912004400"' in form.text


async def test_a_wrong_filed_code_is_refused_beside_its_field(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/classify")
    goods = {"name": "Mug", "schedules": ["US-HTS"], "declared_codes.US-HTS": "691200440"}
    refused = await visitor.send(f"{BASE}/classify", **goods)
    assert refused.status_code == 422
    assert 'id="declared_codes.US-HTS-problem"' in refused.text
    assert "put back the 0 in front" in refused.text


async def test_the_list_begins_with_what_differs_and_counts_every_finding(office: Office) -> None:
    visitor = await office.signed_in()
    assert "No filed code was compared yet" in (await visitor.open(f"{BASE}/filed")).text
    for name, code in (("Agreed", "6109100012"), ("Wrong", "4202219000"), ("thing", "6109100012")):
        await office.running.classify(product={"name": name, "declared_codes": {"US-HTS": code}})
    await office.running.classify(product={"name": "Undeclared"})
    await office.running.work()
    for asked in ("", "?page=0", "?page=nonsense"):
        page = (await visitor.open(f"{BASE}/filed{asked}")).text
        assert re.findall(r'class="row-link" href="[^"]+">([^<]+)<', page) == ["Wrong", "thing", "Agreed"]
    figures = dict(re.findall(r"<dt>([^<]+)</dt><dd>(\d+)</dd>", page))
    assert (figures["Agree"], figures["Differ"], figures["Not compared"]) == ("1", "1", "1")
    assert "Wrong" not in (await visitor.open("/dashboard/test/filed")).text
