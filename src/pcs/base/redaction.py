"""Takes secrets out of log entries. The trap: a secret inside a longer text, such as an exception's; so texts are
searched for what looks like one, beside the fields whose very name says that they hold one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import structlog

REDACTED = "[redacted]"
WITHOUT_QUERY = frozenset({"image_urls"})
"""Fields of addresses whose query may be a signature that opens them."""

_OURS = frozenset({"level", "logger", "timestamp"})  # set by the processors before, whatever was logged
_TELLING_NAME = re.compile(r"(?i)authorization|cookie|passw(or)?d|secret|token|api_?key|credential|signature|digest")
_LOOKS_SECRET = re.compile(
    r"((?i:\b(?:bearer|basic)\s+)(?=[0-9A-Za-z._~+/=-]{8})"  # Authorization headers
    r"|\bsvc_(?:live|test)_(?=[0-9A-Za-z])"  # API keys
    r"|\bwhsec_(?=[0-9A-Za-z+/=])"  # Standard Webhooks' secrets
    r"|(?i:(?:token|secret|password|passwd|api_?key)[\"']?\s*[=:]\s*[\"']?)(?=[^\s\"'&,;]{4}))"  # what=it is
    r"[^\s\"'&,;]+"
    r"|((?<![a-z0-9+.-])[a-z0-9+.-]++://[^/\s:@]*:)[^/\s@]+(?=@)"  # passwords in addresses
)
_SCHEME = re.compile(r"(?i:bearer|basic)\s")  # with those, what every text has in which something looks like a secret


def redact(_logger: object, _method: str, entry: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """A log entry without secrets: structlog's processor, the last before the entry is written."""
    return {name: value if name in _OURS else cleaned(name, value) for name, value in entry.items()}


def cleaned(name: str, value: Any) -> Any:  # noqa: ANN401 (whatever was logged)
    """A value of this name without the secrets in it, however deep they are."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if _is_telling(name):
        return REDACTED
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {str(key): cleaned(str(key), inner) for key, inner in value.items()}
    if name in WITHOUT_QUERY and isinstance(value, (list, tuple)):
        value = [address.partition("?")[0] if isinstance(address, str) else address for address in value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [cleaned("", inner) for inner in value]
    return without_secrets(str(value))


@lru_cache(maxsize=1_000)
def _is_telling(name: str) -> bool:
    return _TELLING_NAME.search(name) is not None


def without_secrets(text: str) -> str:
    """A text with whatever looks like a secret in it replaced.

    >>> without_secrets("GET /?token=abcdef with Bearer svc_live_0123456789")
    'GET /?token=[redacted] with Bearer [redacted]'
    """
    if ":" not in text and "=" not in text and "svc_" not in text and "whsec_" not in text and not _SCHEME.search(text):
        return text  # most lines of a log: two thirds of the time that a line took went into looking closely
    return _LOOKS_SECRET.sub(lambda found: f"{found[1] or found[2]}{REDACTED}", text)
