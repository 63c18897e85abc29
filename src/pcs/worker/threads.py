"""Where analyses run: each in a thread of its own that nobody waits for at the end.

The trap: a pool's thread that never comes back; it keeps its place, so that later work times out before it has begun,
and it holds up the process's end. Here a hung thread costs a process that is ended and started again, nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class FreshThreads(Executor):
    """An executor whose threads are made for one call each and die with the process."""

    def __init__(self) -> None:
        self._begun: dict[int, float] = {}
        self._lock = threading.Lock()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin a call now."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def call() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 (whoever waits for the future is told)
                future.set_exception(error)
            finally:
                with self._lock:
                    del self._begun[id(future)]

        with self._lock:
            self._begun[id(future)] = time.monotonic()
        threading.Thread(target=call, name="analysis", daemon=True).start()
        return future

    def overdue(self, limit: float) -> int:
        """How many calls have run for more than `limit` seconds and run still."""
        before = time.monotonic() - limit
        with self._lock:
            return sum(begun < before for begun in self._begun.values())
