"""Named arrays in a folder, each a `.npy` file that is mapped and not read, so that processes share one copy. The trap:
a file that was cut short or has lost a bit; each is held against its digest when the folder is opened."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]
"""Numbers by name, as files hold them."""

_Number = TypeVar("_Number", bound=np.generic)
_MAKING = ".making-"
_DIGESTS = "digests.json"


class BrokenArraysError(ValueError):
    """A folder that is not what was written, or none."""


def write_arrays(folder: Path, arrays: Arrays) -> None:
    """Write a folder in one step: it is there with all of them, or as it was. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=_MAKING, dir=folder.parent))
    try:
        digests = {}
        for name, array in arrays.items():
            np.save(making / f"{name}.npy", array)
            digests[name] = _digest(making / f"{name}.npy")
        (making / _DIGESTS).write_text(json.dumps(digests, indent=1))
        if folder.exists():
            folder.rename(making / "before")
        making.rename(folder)
        shutil.rmtree(folder / "before", ignore_errors=True)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise


def remove_unfinished(parent: Path) -> None:
    """Remove what was begun and never finished, as its process was ended; only who alone writes here may."""
    for making in parent.glob(f"{_MAKING}*"):
        shutil.rmtree(making, ignore_errors=True)


def open_arrays(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """Map every array of a folder. Raises BrokenArraysError where one is not what was written, or none is there."""
    try:
        digests: dict[str, str] = json.loads((folder / _DIGESTS).read_bytes())
        for name, digest in digests.items():
            if _digest(folder / f"{name}.npy") != digest:
                msg = f"{name}.npy is damaged"
                raise BrokenArraysError(msg)
        return {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in digests}
    except (OSError, ValueError, AttributeError) as error:
        raise BrokenArraysError(str(error)) from error


def packed(value: object) -> npt.NDArray[np.uint8]:
    """Strings, numbers, lists and dictionaries of them as an array, to be stored with others."""
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def unpacked(array: npt.NDArray[np.uint8]) -> Any:  # noqa: ANN401 (whatever was packed)
    """What `packed()` was given, tuples as lists."""
    return json.loads(array.tobytes())


def joined(
    array: npt.NDArray[_Number], starts: npt.NDArray[np.integer], stops: npt.NDArray[np.integer]
) -> npt.NDArray[_Number]:
    """The parts `array[starts[i]:stops[i]]` one after the other; places as an array take longer from a few hundred
    numbers on."""
    parts = map(slice, starts.tolist(), stops.tolist())
    return np.concatenate([array[:0], *map(array.__getitem__, parts)])


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
