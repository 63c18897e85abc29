"""Everything an operator can set, read once from `PCS_…` variables and passed on.

The trap: a misspelt number that is quietly replaced by a default; here it is a sentence that names the variable."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pcs.base.data_folder import IN_WORDS as DATA_FOLDER_IN_WORDS
from pcs.base.data_folder import default_data_folder
from pcs.base.errors import OperatorError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Port = int
Several = int
Level = str

Words = tuple[str, ...]
Issuer = str
Origin = str
"""Scheme, host and maybe a port of a web address, nothing after them."""

_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})


_LEVELS = ("debug", "info", "warning", "error")


def _default_workers() -> int:
    return max(1, min(4, (os.cpu_count() or 2) // 2))


def _setting(default: Any, says: str, *, shown: str | None = None, secret: bool = False) -> Any:  # noqa: ANN401 (a field)
    """A field with what it is for; `shown` stands for its default where that depends on the machine."""
    about = {"says": says, "shown": shown}
    if callable(default):
        return field(default_factory=default, metadata=about)
    return field(default=default, repr=not secret, metadata=about)


@dataclass(frozen=True, slots=True)
class Settings:
    """One running installation. Each field `name` is the variable `PCS_NAME`; units are in the name."""

    data_dir: Path = _setting(
        default_data_folder,
        "Where the database, the schedules, the secret key and the logs are kept.",
        shown=DATA_FOLDER_IN_WORDS,
    )
    cache_dir: str = _setting(
        "", "Where what can be computed again is kept, 140 MB a version; empty: `cache` in the data folder."
    )
    database_url: str = _setting(
        "",
        "A PostgreSQL of your own, `postgresql://user:password@host:5432/name`; empty: the embedded one.",
        secret=True,
    )
    secret_key: str = _setting(
        "",
        "Hashes keys and encrypts webhook secrets, the same on every host; empty: `secret.key` in the "
        "data folder, made at the first start.",
        secret=True,
    )
    host: str = _setting("127.0.0.1", "The address to listen on.")
    live_port: Port = _setting(8000, "The port of the live API and the dashboard.")
    sandbox_port: Port = _setting(8001, "The port of the sandbox API.")
    public_url: Origin = _setting(
        "",
        "Where people reach the dashboard, such as `https://codes.example.com`: what the links begin with that invite "
        "members. Empty: `http://` and the address to listen on; never what a request says of itself.",
    )
    sandbox_public_url: Origin = _setting(
        "",
        "Where integrators reach the sandbox API, such as `https://sandbox.codes.example.com`: what the first calls of "
        "a new sandbox key go to. Empty: the address to listen on, unless `PCS_PUBLIC_URL` says that there is another.",
    )
    oidc_issuer: Issuer = _setting(
        "", "Your identity provider for the dashboard, such as `https://login.example.com/realms/acme`; empty: none."
    )
    oidc_client_id: str = _setting("", "What the provider calls this service.")
    oidc_client_secret: str = _setting("", "The provider's secret for this service; empty: none.", secret=True)
    oidc_domains: Words = _setting(
        (), "Whose addresses become members at their first sign-in, such as `example.com`; empty: only who was invited."
    )
    oidc_role: str = _setting("viewer", "What they may then do: `viewer`, `member` or `admin`.")
    oidc_organization: str = _setting("", "The id of the organization that they join; empty: the only one.")
    oidc_only: bool = _setting(default=False, says="Whether passwords let nobody in; one-time links still do.")
    workers: Several = _setting(
        _default_workers,
        "Worker processes that `pcs up` starts.",
        shown="half the cores, 1 to 4",
    )
    analysis_concurrency: Several = _setting(2, "Analyses at once in a worker.")
    delivery_concurrency: Several = _setting(20, "Webhook sends at once in a worker.")
    database_pool_size: Several = _setting(
        10, "Connections that a process may open for transactions, and as many for single statements."
    )
    log_level: Level = _setting("info", "`debug`, `info`, `warning` or `error`.")
    traces_endpoint: str = _setting(
        "",
        "Where OpenTelemetry traces go (OTLP over HTTP), such as `http://collector:4318/v1/traces`; empty: nowhere. "
        "Needs `pip install 'pcs[otel]'`.",
    )
    most_connections: int = _setting(1000, "Connections that an API process holds at once; more are answered with 503.")
    head_seconds: float = _setting(10.0, "How long a caller may take to send a request's head.")
    body_seconds: float = _setting(60.0, "How long a caller may take to send a body, or to take in an answer.")
    rate_limit_per_minute: int = _setting(100, "Requests a minute and key, for keys without a limit of their own.")
    request_log_days: int = _setting(7, "How long API requests stay in the request log; `0`: none are logged.")
    request_log_bodies: bool = _setting(
        default=True, says="Whether the request log keeps shortened bodies, without secrets."
    )
    idempotency_hours: int = _setting(24, "How long the answer to an Idempotency-Key is replayed.")
    worker_heartbeat_seconds: float = _setting(5.0, "How often a worker says that it lives.")
    worker_stalled_seconds: float = _setting(20.0, "After how long a silence a worker's jobs are given to others.")
    sweep_seconds: float = _setting(10.0, "How often workers look for lost jobs and for what is old enough to forget.")
    queue_poll_seconds: float = _setting(1.0, "How late a delayed job, such as a webhook's retry, may start.")
    stop_grace_seconds: float = _setting(25.0, "How long a stopping worker may finish what is in progress.")
    analysis_limit_seconds: float = _setting(120.0, "After how long an analysis fails with CLASSIFICATION_TIMEOUT.")
    sandbox_delay_seconds: float = _setting(1.0, "How long a simulated analysis takes.")
    sandbox_slow_seconds: float = _setting(15.0, "How long one of the scenario `sbx-slow` takes.")
    webhook_timeout_seconds: float = _setting(10.0, "How long a receiver may take, from connecting to its last byte.")
    webhook_allow_http: bool = _setting(default=False, says="Whether webhooks may go to `http://` addresses.")
    webhook_allowed_private_cidrs: tuple[Network, ...] = _setting(
        (), "Private networks that webhooks may reach, such as `10.1.0.0/16, 192.168.7.0/24`."
    )
    schedules_watch: bool = _setting(
        default=False, says="Whether a worker looks once a day whether USITC has a new revision, and stores it."
    )
    schedules_auto_promote: bool = _setting(
        default=False, says="Whether a new revision that passes the checks is then promoted at once."
    )
    schedules_address: str = _setting("", "Another address to look at than USITC's own.")
    reviewer_api: str = _setting(
        "off", "Who reviews answers: `off`, `openai` (any OpenAI-compatible server) or `anthropic`; docs/reviewer.md."
    )
    reviewer_model: str = _setting("", "The model that reviews, as its server names it.")
    reviewer_base_url: str = _setting(
        "", "The model's server, such as `http://localhost:11434/v1`; empty: the vendor's own."
    )
    reviewer_api_key: str = _setting("", "The key for the model's server; many local ones need none.", secret=True)
    reviewer_way: str = _setting(
        "pipeline",
        "`pipeline`: fixed steps, for small models; `tools`: a strong model's loop.",
    )
    reviewer_ask_below: float = _setting(0.6, "Review only where the engine's confidence is under this; `1` always.")
    reviewer_precedents: bool = _setting(
        default=False,
        says="Keep the codes that the model confirmed or changed as decisions; they weigh less than people's.",
    )
    reviewer_pictures: bool = _setting(
        default=False, says="Fetch the pictures of goods and show them to the model; only for one with vision."
    )
    reviewer_temperature: float | None = _setting(None, "Sent to the model; empty: the server's own.")
    reviewer_request_seconds: float = _setting(60.0, "How long one request may take before it is tried again.")
    reviewer_limit_seconds: float = _setting(300.0, "How long a review may take in all.")
    reviewer_retries: int = _setting(2, "How often a failed request is tried again, after a growing pause.")
    reviewer_most_tokens: int = _setting(100_000, "Tokens after which a review asks nothing more.")
    reviewer_answer_tokens: int = _setting(4_096, "Tokens of one reply at most; models that think need more.")
    reviewer_concurrency: int = _setting(8, "Analyses at once in a worker, where there is a reviewer.")
    reviewer_input_price: float = _setting(0.0, "What a million tokens sent cost.")
    reviewer_output_price: float = _setting(0.0, "What a million tokens replied cost.")
    reviewer_currency: str = _setting("USD", "The currency of prices and budgets.")
    reviewer_daily_budget: float | None = _setting(None, "What reviews may cost in a day (UTC); empty: no limit.")
    reviewer_organization_daily_budget: float | None = _setting(None, "The same for each organization.")

    @property
    def dashboard_url(self) -> str:
        """Where the dashboard is: at the public address, or without one as seen from this machine."""
        return f"{self.public_url or self._listening(self.live_port)}/dashboard"

    @property
    def sandbox_url(self) -> str | None:
        """Where the sandbox API is, in the same way; None behind a public address, where nobody has said it."""
        return self.sandbox_public_url or (None if self.public_url else self._listening(self.sandbox_port))

    def _listening(self, port: int) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 (read, not bound)
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def cache_folder(self) -> Path:
        """Where what can be made anew is kept."""
        return Path(self.cache_dir) if self.cache_dir else self.data_dir / "cache"

    @property
    def idempotency_retention(self) -> dt.timedelta:
        """How long a kept answer is replayed."""
        return dt.timedelta(hours=self.idempotency_hours)

    @property
    def analyses_at_once(self) -> int:
        """How many analyses a worker has under way: with a reviewer most of them only wait for its replies."""
        return self.analysis_concurrency if self.reviewer_api == "off" else self.reviewer_concurrency

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Read every `PCS_…` variable that is set, or the file that its `PCS_…_FILE` names.

        Raises OperatorError for one that is unreadable, and where both are set.
        """
        texts = {entry: _text(environ, f"PCS_{entry.name.upper()}") for entry in dataclasses.fields(cls)}
        values: dict[str, Any] = {entry.name: _read(entry, text) for entry, text in texts.items() if text}
        return cls(**values)

    def as_environment(self) -> dict[str, str]:
        """The variables that give these settings to a child process."""
        return {
            f"PCS_{entry.name.upper()}": _written(getattr(self, entry.name))
            for entry in dataclasses.fields(self)
            if getattr(self, entry.name) not in ("", (), None)
        }


@dataclass(frozen=True, slots=True)
class Described:
    """A setting for people: its variable, its default (empty: none) and what it is for."""

    variable: str
    default: str
    says: str


def described() -> list[Described]:
    """Every setting."""
    return [
        Described(f"PCS_{entry.name.upper()}", _default_of(entry), entry.metadata["says"])
        for entry in dataclasses.fields(Settings)
    ]


def reference() -> str:
    """Every setting with its default and what it is for: docs/settings.md."""
    rows = [f"| `{one.variable}` | {one.default} | {one.says} |" for one in described()]
    return "\n".join([_REFERENCE_HEAD, "| variable | default | what it is for |", "|---|---|---|", *rows]) + "\n"


_REFERENCE_HEAD = """# Settings

Written by `pcs settings`; a test holds it against the code.

Each setting is a variable of the environment. Any of them can come from a file instead, as secrets do:
`PCS_SECRET_KEY_FILE=/run/secrets/key` stands for what that file says, without the line's end. What cannot be read ends
the start with a sentence that names the variable. Seconds may have fractions; `true` and `false` may be `1`, `0`,
`yes`, `no`, `on`, `off`.
"""


def _default_of(entry: dataclasses.Field[Any]) -> str:
    shown: str | None = entry.metadata["shown"]
    return shown or (f"`{_written(entry.default)}`" if _written(entry.default) else "")


def _text(environ: Mapping[str, str], variable: str) -> str:
    """What a variable says, or the file that it names; empty where neither is set."""
    said, path = environ.get(variable, "").strip(), environ.get(f"{variable}_FILE", "").strip()
    if not path:
        return said
    if said:
        msg = f"{variable} and {variable}_FILE are both set: leave one of them out."
        raise OperatorError(msg)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        msg = f"{variable}_FILE={path} cannot be read ({reason}): name a file with the value in it."
        raise OperatorError(msg) from None


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return ""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _read(entry: dataclasses.Field[Any], text: str) -> object:
    try:
        return _READERS[str(entry.type)](text.strip())
    except ValueError as error:
        msg = f"PCS_{entry.name.upper()}={text!r} is not usable: {error}."
        raise OperatorError(msg) from None


def _flag(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    msg = "give true or false"
    raise ValueError(msg)


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        msg = "give networks such as 10.1.0.0/16, 192.168.7.0/24"
        raise ValueError(msg) from None


def _origin(text: str) -> str:
    """A web address without its trailing slash."""
    plain, parts = text.rstrip("/"), urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or plain != f"{parts.scheme}://{parts.netloc}":
        msg = "give https:// and a host, and nothing after it"
        raise ValueError(msg)
    return plain


def _issuer(text: str) -> str:
    """A provider's address, as it writes it itself; without TLS only on this machine."""
    parts = urlsplit(text)
    near = parts.scheme == "http" and parts.hostname in {"127.0.0.1", "::1", "localhost"}
    if not parts.hostname or not (parts.scheme == "https" or near) or parts.query or parts.fragment:
        msg = "give https:// and the issuer's address as the provider writes it"
        raise ValueError(msg)
    return text


def _words(text: str) -> Words:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        msg = "give a whole number, 0 or more"
        raise ValueError(msg)
    return int(text)


def _several(text: str) -> int:
    if _count(text) < 1:
        msg = "give a whole number, 1 or more"
        raise ValueError(msg)
    return int(text)


def _port(text: str) -> int:
    if not 1 <= _count(text) <= 65535:
        msg = "give a port, 1 to 65535"
        raise ValueError(msg)
    return int(text)


def _level(text: str) -> str:
    if text.lower() not in _LEVELS:
        msg = f"give {', '.join(_LEVELS[:-1])} or {_LEVELS[-1]}"
        raise ValueError(msg)
    return text.lower()


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) < float("inf"):
            return value
    msg = "give a number, 0 or more"
    raise ValueError(msg)


_READERS: dict[str, Callable[[str], object]] = {
    "Path": Path,
    "str": str,
    "Origin": _origin,
    "Issuer": _issuer,
    "Words": _words,
    "int": _count,
    "Several": _several,
    "Port": _port,
    "Level": _level,
    "float": _seconds,
    "float | None": _seconds,
    "bool": _flag,
    "tuple[Network, ...]": _networks,
}
