"""What lives as long as the process is no work for Python's collector of cycles, which would walk millions of objects
again and again and find nothing. The trap: a frozen cycle is never freed, so what is made inside must have none."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def long_lived() -> Iterator[None]:
    """The collector rests while what is made inside is made, and does not look at it again; it is freed when nobody
    holds it, as all else is. What making it took goes back to the system, where its C library (glibc) can."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)
