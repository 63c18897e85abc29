"""Where the trained parts lie, and whether they are what was written; it imports nothing that counts. The trap: a file
that was cut short or has lost a bit; it ends with the digest of all before, and is never read as far as it goes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from pcs.base.errors import DamagedError

DIGEST = 64  # hexadecimal digits at the end
SHIPPED = Path(__file__).with_name("trained.npz")


def trained_here(data_dir: Path) -> Path:
    """Where `pcs train` writes; what lies there goes before what ships."""
    return data_dir / SHIPPED.name


def trained_path(data_dir: Path) -> Path:
    """The file that is used."""
    here = trained_here(data_dir)
    return here if here.exists() else SHIPPED


def sealed(content: bytes) -> bytes:
    """The content with its digest."""
    return content + hashlib.sha256(content).hexdigest().encode()


def unsealed(path: Path) -> bytes:
    """All of the file, its digest included. Raises DamagedError where it is not what was sealed."""
    try:
        whole = path.read_bytes()
    except OSError as error:
        raise trained_damage(path) from error
    if sealed(whole[:-DIGEST]) != whole:
        raise trained_damage(path)
    return whole


def trained_damage(path: Path) -> DamagedError:
    """The sentence for a file that cannot be used."""
    if path == SHIPPED:
        return DamagedError("The trained model that ships", path, "install pcs again, or run `pcs train`")
    mend = "run `pcs train` to make it again, or remove it to use the one that ships"
    return DamagedError("The trained model, or one of an older version,", path, mend)


def damage_of_trained(data_dir: Path) -> str | None:
    """What is wrong with the file that is used; None where nothing is."""
    path = trained_path(data_dir)
    try:
        _check(path, path.stat().st_mtime_ns if path.exists() else 0)
    except DamagedError as error:
        return str(error)
    return None


@lru_cache(maxsize=4)
def _check(path: Path, _changed: int) -> None:
    unsealed(path)
