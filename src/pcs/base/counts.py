"""A process's counts, in memory and in a file of the form that prometheus_client adds up.

The trap: its own files are mapped into memory, and on a full disk the kernel ends a process that touches a page of
theirs without room (SIGBUS). These are written: without room the count goes on in memory, and the file when there is
some again. Reserving the room beforehand would not do: file systems that copy on write need new room to change.

The file follows memory by a tenth of a second: a write to it for each count costs more than the counting."""

from __future__ import annotations

import atexit
import contextlib
import os
import struct
import threading
from pathlib import Path
from typing import Any

from prometheus_client.mmap_dict import mmap_key

_HEAD = 8  # bytes: how many are used, as an int, and four to fill up
_PAIR = struct.Struct("dd")  # value and time
_LAG = 0.1  # seconds


class CountsFile:
    """The counts of one kind of metric; the form is that of `prometheus_client.mmap_dict`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes = bytearray(struct.pack("i4x", _HEAD))
        self._file = -1
        self._changed = set[int]()
        self._behind = True  # whether the file lacks more than what has changed

    def add(self, key: str) -> int:
        """The place of a new count."""
        encoded = key.encode()
        padded = encoded + b" " * (8 - (len(encoded) + 4) % 8)
        self._bytes += struct.pack(f"i{len(padded)}sdd", len(encoded), padded, 0.0, 0.0)
        self._bytes[:4] = struct.pack("i", len(self._bytes))
        self._behind = True
        return len(self._bytes) - _PAIR.size

    def put(self, place: int, value: float) -> None:
        """Keep a value."""
        _PAIR.pack_into(self._bytes, place, value, 0.0)
        self._changed.add(place)

    def follow(self) -> None:
        """Write what has changed into the file, where there is room; otherwise all of it the next time."""
        changed, behind = self._changed, self._behind
        self._changed, self._behind = set(), True
        with contextlib.suppress(OSError):
            if self._file < 0:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            if behind:
                _write(self._file, self._bytes[_HEAD:], _HEAD)
                _write(self._file, self._bytes[:_HEAD], 0)  # last: a reader takes what is used by then
            for place in changed:
                _write(self._file, self._bytes[place : place + _PAIR.size], place)
            self._behind = False


def _write(file: int, content: bytes | bytearray, place: int) -> None:
    done = 0
    while done < len(content):
        done += os.pwrite(file, content[done:], place + done)


class CountsFiles:
    """The files of one process; what is counted is in them a tenth of a second later, and at its end."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._files: dict[str, CountsFile] = {}
        self._lock = threading.Lock()
        self._due = False
        atexit.register(self.follow)

    def add(self, kind: str, key: str) -> tuple[CountsFile, int]:
        """The file and the place of a new count."""
        with self._lock:
            file = self._files.setdefault(kind, CountsFile(self._folder / f"{kind}_{self._name}.db"))
            return file, file.add(key)

    def put(self, file: CountsFile, place: int, value: float) -> None:
        """Keep a value."""
        with self._lock:
            file.put(place, value)
            if self._due:
                return
            self._due = True
        later = threading.Timer(_LAG, self.follow)
        later.daemon = True
        later.start()

    def follow(self) -> None:
        """Have the files say what memory does."""
        with self._lock:
            self._due = False
            for file in self._files.values():
                file.follow()


def written_values(files: CountsFiles) -> type:
    """The class of prometheus_client's values that are kept in these files."""

    class WrittenValue:
        _multiprocess = True

        def __init__(  # noqa: PLR0917 (the library calls it so)
            self,
            typ: str,
            metric_name: str,
            name_: str,
            labelnames: Any,  # noqa: ANN401
            labelvalues: Any,  # noqa: ANN401
            help_text: str,
            **_: Any,  # noqa: ANN401
        ) -> None:
            self._place = files.add(typ, mmap_key(metric_name, name_, labelnames, labelvalues, help_text))
            self._lock = threading.Lock()
            self._value = 0.0
            files.put(*self._place, self._value)

        def inc(self, amount: float) -> None:
            with self._lock:
                self._value += amount
                files.put(*self._place, self._value)

        def set(self, value: float, _timestamp: float | None = None) -> None:
            with self._lock:
                self._value = value
                files.put(*self._place, value)

        def get(self) -> float:
            return self._value

        def set_exemplar(self, _exemplar: object) -> None:
            """Not kept, as in the library's own files."""

        def get_exemplar(self) -> None:
            return None

    return WrittenValue
