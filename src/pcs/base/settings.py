"""Everything an operator can set, read once from `PCS_…` variables and passed on.

The trap: a misspelt number that is quietly replaced by a default; here it is a sentence that names the variable."""

from __future__ import annotations

import dataclasses
import datetime as dt
import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcs.base.errors import OperatorError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off", ""})


def _default_workers() -> int:
    return max(1, min(4, (os.cpu_count() or 2) // 2))


@dataclass(frozen=True, slots=True)
class Settings:
    """One running installation. Each field `name` is the variable `PCS_NAME`; units are in the name."""

    data_dir: Path = Path(".pcs")
    database_url: str = ""
    secret_key: str = field(default="", repr=False)
    host: str = "127.0.0.1"
    live_port: int = 8000
    sandbox_port: int = 8001
    workers: int = field(default_factory=_default_workers)
    analysis_concurrency: int = 2
    delivery_concurrency: int = 20
    database_pool_size: int = 10
    log_level: str = "info"
    rate_limit_per_minute: int = 100
    idempotency_hours: int = 24
    worker_heartbeat_seconds: float = 5.0
    worker_stalled_seconds: float = 20.0
    sweep_seconds: float = 10.0
    queue_poll_seconds: float = 1.0
    stop_grace_seconds: float = 25.0
    analysis_limit_seconds: float = 120.0
    sandbox_delay_seconds: float = 1.0
    sandbox_slow_seconds: float = 15.0
    webhook_timeout_seconds: float = 10.0
    webhook_allow_http: bool = False
    webhook_allowed_private_cidrs: tuple[Network, ...] = ()

    @property
    def idempotency_retention(self) -> dt.timedelta:
        """How long a kept answer is replayed."""
        return dt.timedelta(hours=self.idempotency_hours)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Read every `PCS_…` variable that is set. Raises OperatorError for one that is unreadable."""
        values: dict[str, Any] = {
            entry.name: _read(entry, environ[f"PCS_{entry.name.upper()}"])
            for entry in dataclasses.fields(cls)
            if environ.get(f"PCS_{entry.name.upper()}", "").strip()
        }
        return cls(**values)

    def as_environment(self) -> dict[str, str]:
        """The variables that give these settings to a child process."""
        return {
            f"PCS_{entry.name.upper()}": _written(getattr(self, entry.name))
            for entry in dataclasses.fields(self)
            if getattr(self, entry.name) not in ("", ())
        }


def _written(value: object) -> str:
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
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        msg = "give a whole number, 0 or more"
        raise ValueError(msg)
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        msg = "give a number of seconds, 0 or more"
        raise ValueError(msg)
    return value


_READERS: dict[str, Callable[[str], object]] = {
    "Path": Path,
    "str": str,
    "int": _count,
    "float": _seconds,
    "bool": _flag,
    "tuple[Network, ...]": _networks,
}
