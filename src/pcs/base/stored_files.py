"""Files of the data folder that carry their own digest in their first line, and are checked whenever they are read.

The trap: a disk that flips a bit or a copy that was cut off looks like an answer; what is not what was stored is named,
with the command that mends it. A file stored before this line was written is taken as it is."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pcs.base.errors import DamagedError

T = TypeVar("T")

_MARK = b"sha256 "
_UNREADABLE = (ValueError, KeyError, TypeError, IndexError, AttributeError)


def write_stored(path: Path, content: bytes) -> None:
    """Put a file with its digest in place, in one step and on the disk before anybody sees it."""
    digest = hashlib.sha256(content).hexdigest().encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, stage = tempfile.mkstemp(prefix=".stage-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MARK + digest + b"\n" + content)
            file.flush()
            os.fsync(file.fileno())
        Path(stage).chmod(0o644)
        Path(stage).replace(path)
    finally:
        Path(stage).unlink(missing_ok=True)


def read_stored(path: Path, read: Callable[[bytes], T], *, what: str, mend: str) -> T:
    """What `read` makes of a file's content. `what` is the file in words, `mend` what to do where it is damaged.

    Raises FileNotFoundError, and DamagedError where the content is not what was stored.
    """
    try:
        return read(_checked(path.read_bytes()))
    except FileNotFoundError:
        raise
    except (OSError, *_UNREADABLE) as error:
        raise DamagedError(what, path, mend) from error


def _checked(content: bytes) -> bytes:
    if not content.startswith(_MARK):
        return content
    first, _, rest = content.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != first.removeprefix(_MARK):
        msg = "its digest is another"
        raise ValueError(msg)
    return rest
