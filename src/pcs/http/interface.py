"""What the document says of the interface as a whole: its text, its addresses, its sections and how a key is sent.

The trap: names that people like and generators refuse; what becomes an identifier in a client has letters alone."""

from __future__ import annotations

from typing import Any

DESCRIPTION = """\
Classifies products under the tariff schedules of the US (`US-HTS`) and the EU (`EU-CN`).

Classification is asynchronous: a request returns at once with HTTP 202 and one classification for each schedule; poll
its `poll_url`, or receive a webhook. Every request carries `Authorization: Bearer <API_KEY>`. A live key works on the
live address, a test key on the sandbox's, which has the same paths and simulates results.
"""
LICENSE = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
KEY_SCHEME = "ApiKey"
KEY_DESCRIPTION = "An API key, `svc_live_…` or `svc_test_…`, made in the dashboard under Settings, API."
TAGS = {
    "products": "Goods as you know them, stored to be classified.",
    "classifications": "One product under one schedule: submit, poll, cancel, answer, review, and the papers about it.",
    "batches": "Up to 100 products in one request, or a file of up to 100,000 rows, and how far they are.",
    "audits": "Codes that you declare today, compared with those found.",
    "decisions": "What your organization has decided about goods, used for the same goods and as evidence for others.",
    "promise": "How precise the codes are that need no person, as promised and as measured.",
    "webhooks": "Where events are sent, and every delivery with its attempts.",
    "schedules": "The loaded schedules: their revisions, their codes, and goods that a new revision concerns.",
    "rulings": "The loaded rulings of customs.",
    "account": "Whose key it is, what was spent, and the last seven days of requests.",
    "sandbox": "What the sandbox can be made to do.",
}
"""Each section of the reference, in its order."""

SERVERS = [{"url": "/", "description": "The address that serves this document: live, or the sandbox."}]
"""Relative to where the document was read from (OpenAPI 3.1, 4.8.5), so that it is the same in both environments."""


def tags() -> list[dict[str, Any]]:
    """The sections, each with what it is about."""
    return [{"name": name, "description": said} for name, said in TAGS.items()]
