"""Templates and what they may use. The trap: a page built by joining strings; everything is escaped unless it is SVG
that our own code drew from escaped parts."""

from __future__ import annotations

import datetime as dt
import hashlib
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from pcs.base.clock import rfc3339
from pcs.base.countries import country_name
from pcs.base.languages import language_names
from pcs.base.plurals import counted
from pcs.base.text import shortened
from pcs.dashboard.reader import in_language
from pcs.engine import result
from pcs.tariff.code import Code

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class Pages:
    """The templates, compiled once a process."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("pcs.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters |= {
            "ago": ago,
            "moment": moment,
            "dotted": dotted,
            "reliable": reliable,
            "percent": percent,
            "milliseconds": milliseconds,
            "browser": browser,
            "country": country,
            "language": language_names().__getitem__,
            "title": title,
            "shortened": shortened,
            "counted": counted,
            "number": lambda value: f"{value:,}",
        }
        self._environment.globals |= {"asset": _assets().__getitem__, "standing": standing, "in_language": in_language}

    def respond(self, template: str, status: int, **context: object) -> Response:
        """A page as a response."""
        return HTMLResponse(self._environment.get_template(template).render(**context), status)


def _assets() -> dict[str, str]:
    """The address of each static file; it changes with the content, so that browsers may keep it for ever."""
    folder = resources.files("pcs.dashboard") / "static"
    digests = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:12] for file in folder.iterdir()}
    return {name: f"/dashboard/static/{name}?v={digest}" for name, digest in digests.items()}


def ago(value: dt.datetime | None, now: dt.datetime) -> Markup:
    """How long ago, with the exact time behind it."""
    if value is None:
        return Markup("never")
    seconds = (now - value).total_seconds()
    return _time(value, _distance(seconds) if seconds >= 0 else _until(-seconds))


def _until(seconds: float) -> str:
    """Words for a time to come.

    >>> _until(12), _until(299), _until(3599), _until(7 * 86400 - 1)
    ('in less than a minute', 'in 5 min', 'in 1 h', 'in 7 d')
    """
    if seconds < _MINUTE:
        return "in less than a minute"
    half = next((size / 2 for size in (_MINUTE, _HOUR) if seconds < size * (60 if size == _MINUTE else 24)), _DAY / 2)
    return f"in {_distance(seconds + half).removesuffix(' ago')}"


def _distance(seconds: float) -> str:
    """Words for a time in the past.

    >>> _distance(12), _distance(200), _distance(8000), _distance(200000)
    ('just now', '3 min ago', '2 h ago', '2 d ago')
    """
    if seconds < _MINUTE:
        return "just now"
    for unit, size, until in (("min", _MINUTE, _HOUR), ("h", _HOUR, _DAY), ("d", _DAY, 60 * _DAY)):
        if seconds < until:
            return f"{int(seconds // size)} {unit} ago"
    return f"{int(seconds // (30 * _DAY))} months ago"


def moment(value: dt.datetime | None) -> Markup:
    """An exact time, in UTC."""
    if value is None:
        return Markup("never")
    return _time(value, value.astimezone(dt.UTC).strftime("%d %b %Y, %H:%M:%S UTC"))


def _time(value: dt.datetime, words: str) -> Markup:
    exact = value.astimezone(dt.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(rfc3339(value), exact, escape(words))


def dotted(code: str | None) -> str:
    """A code as people write it."""
    return Code(code).dotted if code else ""


def reliable(code: str, digits: int) -> tuple[str, str]:
    """A code as people write it, cut behind the digits that are reliable.

    >>> reliable("6109100012", 6), reliable("6109100012", 0), reliable("61091000", 8)
    (('6109.10', '.00.12'), ('', '6109.10.00.12'), ('6109.10.00', ''))
    """
    written = Code(code).dotted
    cut = len(Code(code[:digits]).dotted) if digits else 0
    return written[:cut], written[cut:]


def title(text: str) -> str:
    """A line's words as a title: schedules end those with lines below them in a colon.

    >>> title("Of cotton:")
    'Of cotton'
    """
    return text.rstrip(": ")


def percent(value: float | None) -> str:
    """A share in words.

    >>> percent(0.873), percent(None), percent(0.999), percent(0.002)
    ('87%', 'not scored', '99%', '<1%')
    """
    return "not scored" if value is None else result.percent(value)


def standing(status: str, confidence: float | None, *, needs_review: bool) -> str:
    """How a classification stands: its status, or for a completed one whether its answer may be used as it is.

    >>> standing("completed", 0.01, needs_review=True), standing("completed", 0.4, needs_review=True)
    ('insufficient', 'review')
    >>> standing("completed", 0.9, needs_review=False), standing("failed", None, needs_review=False)
    ('completed', 'failed')
    """
    if status != "completed":
        return status
    if confidence is not None and confidence < result.TOO_LITTLE:
        return "insufficient"
    return "review" if needs_review else "completed"


def milliseconds(value: float | None) -> str:
    """A duration.

    >>> milliseconds(0.42), milliseconds(87.2), milliseconds(1234), milliseconds(90000)
    ('0.4 ms', '87 ms', '1.2 s', '90 s')
    """
    if value is None:
        return "-"
    if value < 0.1:
        return "<0.1 ms"
    if value < 10:
        return f"{value:.1f} ms"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 10_000 else f"{value / 1000:.0f} s"


def country(code: str) -> str:
    """A country of origin as people read it.

    >>> country("CN")
    'China (CN)'
    """
    return f"{country_name(code)} ({code})"


_BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


def browser(agent: str) -> str:
    """A browser in words that its owner recognises.

    >>> browser("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36")
    'Chrome on Linux'
    >>> browser("curl/8.0"), browser("")
    ('curl/8.0', 'unknown')
    """
    name = next((words for mark, words in _BROWSERS if mark in agent), None)
    system = next((words for mark, words in _SYSTEMS if mark in agent), None)
    return f"{name} on {system}" if name and system else shortened(agent, 60) or "unknown"
