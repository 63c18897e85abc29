"""What senders attach to goods, in the dashboard. The trap: a page that shows it and an export that loses it."""

import csv
import io

from dashboard.visitor import Office


async def test_metadata_is_in_the_export_and_on_the_pages(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify(
        product={"name": "T-shirt", "metadata": {"order": "4711", "where": "Halle 3 / Süd"}}
    )
    await office.running.work()
    exported = await visitor.open("/dashboard/live/classifications.csv")
    [row] = csv.DictReader(io.StringIO(exported.text.removeprefix("\ufeff")))
    assert row["metadata"] == '{"order": "4711", "where": "Halle 3 / Süd"}'
    for address in (f"classifications/{accepted['classifications'][0]['id']}", f"products/{accepted['product_id']}"):
        assert "Halle 3 / Süd" in (await visitor.open(f"/dashboard/live/{address}")).text


async def test_the_pages_link_to_a_product_s_pictures_and_load_none(office: Office) -> None:
    visitor = await office.signed_in()
    picture = "https://shop.example.com/front.jpg?signature=hush"
    accepted = await office.running.classify(product={"name": "T-shirt", "image_urls": [picture]})
    for address in (f"classifications/{accepted['classifications'][0]['id']}", f"products/{accepted['product_id']}"):
        page = (await visitor.open(f"/dashboard/live/{address}")).text
        assert f'<a href="{picture}" rel="noreferrer">https://shop.example.com/front.jpg</a>' in page
        assert "<img" not in page
