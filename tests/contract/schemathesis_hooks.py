"""What Schemathesis cannot know from the document: which addresses webhooks may go to, and that the longest text is
measured after trimming and normalisation, which a schema cannot say. Loaded by its command."""

from typing import Any

import schemathesis
from hypothesis import strategies as st

from pcs.wire.base import clean

HOSTS = ["example.com", "hooks.example.org:8443", "a-b.example.net", "93.184.215.14"]
PATHS = ["", "/", "/hooks/pcs", "/a/b?c=d"]
SHORT = 200  # no limit on a text is lower

schemathesis.openapi.format("uri", st.builds("https://{}{}".format, st.sampled_from(HOSTS), st.sampled_from(PATHS)))


def measured_as_sent(value: Any) -> bool:
    """Whether every long text has the same length before and after cleaning."""
    if isinstance(value, dict):
        return all(map(measured_as_sent, value.values()))
    if isinstance(value, list):
        return all(map(measured_as_sent, value))
    return not isinstance(value, str) or len(value) < SHORT or _keeps_its_length(value)


def _keeps_its_length(text: str) -> bool:
    try:
        return len(str(clean(text))) == len(text)
    except ValueError:
        return True  # refused for another reason


@schemathesis.hook
def filter_body(_: Any, body: Any) -> bool:
    return measured_as_sent(body)


@schemathesis.hook
def filter_query(_: Any, query: Any) -> bool:
    return measured_as_sent(query)
