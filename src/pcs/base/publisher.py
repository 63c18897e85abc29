"""Asking a publisher for its data, politely. The traps: a publisher that is asked too fast bars everybody, one that is
busy answers with a page instead of data, and a download of 400 MB breaks off near its end: so pause, try again, go
on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeVar

import httpx2

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_TOO_LONG = 300.0  # seconds: no publisher's Retry-After is followed further
_CHUNK = 1 << 18

_Answered = TypeVar("_Answered")

Report = Callable[[int, int | None], None]


class PublisherError(Exception):
    """A publisher that could not be reached or refused; the message says which and why."""


class PublisherResponse(NamedTuple):
    """What a publisher said to one request."""

    status: int
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8-sig", errors="replace")


class Publisher(Protocol):
    """Whoever answers requests for published data."""

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> PublisherResponse:
        """One answer; a 404 is an answer. Raises PublisherError."""


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How long to wait: seconds between two requests, seconds for an answer, how often and how long to try again."""

    pause: float = 1.0
    timeout: float = 60.0
    attempts: int = 6
    first_wait: float = 2.0


@dataclass(slots=True)
class HttpPublisher:
    """A publisher behind HTTP, one request at a time."""

    base_url: str
    policy: RequestPolicy = field(default_factory=RequestPolicy)
    sleep: Callable[[float], None] = time.sleep
    _client: httpx2.Client = field(init=False)
    _last: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._client = httpx2.Client(
            base_url=self.base_url.rstrip("/"),
            timeout=self.policy.timeout,
            follow_redirects=True,
            headers={"User-Agent": "pcs (tariff data client)", "Accept": "application/json, */*;q=0.5"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> PublisherResponse:
        """One answer, tried again while the publisher is busy or out of reach. Raises PublisherError."""

        def ask() -> PublisherResponse:
            response = self._client.get(path, params=dict(params or {}))
            _raise_if_busy(response)
            return PublisherResponse(response.status_code, response.content)

        answer = self._patiently(path, ask)
        if answer.status >= 400 and answer.status != 404:
            msg = f"{self.base_url} refuses {path}: HTTP {answer.status}."
            raise PublisherError(msg)
        return answer

    def download(self, path: str, target: Path, report: Report = lambda _done, _total: None) -> Path:
        """A file, going on where an earlier attempt broke off. `report` hears bytes so far and in all, where known.

        The target appears only when it is whole. Raises PublisherError.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + ".part")
        self._patiently(path, lambda: self._download_rest(path, part, report))
        return part.replace(target)

    def _download_rest(self, path: str, part: Path, report: Report) -> None:
        done = part.stat().st_size if part.exists() else 0
        headers = {"Range": f"bytes={done}-"} if done else {}
        with self._client.stream("GET", path, headers=headers) as response:
            if response.status_code == 416:  # what we have is all, or not of this file: start again
                part.unlink()
                raise _BusyError(0.0)
            _raise_if_busy(response)
            if response.status_code not in {200, 206}:
                msg = f"{self.base_url} refuses {path}: HTTP {response.status_code}."
                raise PublisherError(msg)
            done = done if response.status_code == 206 else 0
            length = response.headers.get("content-length")
            total = done + int(length) if length else None
            with part.open("r+b" if done else "wb") as file:
                file.seek(done)
                for chunk in response.iter_bytes(_CHUNK):
                    file.write(chunk)
                    done += len(chunk)
                    report(done, total)
        if total is not None and done != total:
            raise _BusyError(0.0)

    def _patiently(self, path: str, ask: Callable[[], _Answered]) -> _Answered:
        """Ask, and ask again with growing pauses. Raises PublisherError when its attempts are used up."""
        fault: Exception | None = None
        for attempt in range(self.policy.attempts):
            self._keep_pause()
            try:
                return ask()
            except (httpx2.TransportError, _BusyError) as error:
                fault = error
                wait = error.wait if isinstance(error, _BusyError) else 0.0
                if attempt + 1 < self.policy.attempts:
                    self.sleep(max(wait, self.policy.first_wait * 2**attempt))
        msg = f"{self.base_url} does not answer {path} after {self.policy.attempts} attempts: {fault}."
        raise PublisherError(msg) from fault

    def _keep_pause(self) -> None:
        since = time.monotonic() - self._last
        if since < self.policy.pause:
            self.sleep(self.policy.pause - since)
        self._last = time.monotonic()


class _BusyError(Exception):
    """Try again after so many seconds."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        super().__init__(f"busy for {wait} s")


def _raise_if_busy(response: httpx2.Response) -> None:
    if response.status_code in _RETRIED:
        asked = response.headers.get("retry-after", "")
        raise _BusyError(min(float(asked), _TOO_LONG) if asked.isdigit() else 0.0)
