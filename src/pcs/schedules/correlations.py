"""The correlation between editions of the Harmonized System that a user loaded: one file of the data folder.

The trap: a file that another process stores meanwhile; whoever keeps what was read asks for the state first."""

from __future__ import annotations

import json
from pathlib import Path

from pcs.base.stored_files import read_stored, write_stored
from pcs.tariff.code import Code
from pcs.tariff.correlation import Correlation


def store_correlation(data_dir: Path, correlation: Correlation) -> None:
    """Keep it in the place of the one before."""
    write_stored(_file(data_dir), json.dumps(correlation).encode())


def stored_correlation(data_dir: Path) -> Correlation:
    """The one that was loaded; empty where none was. Raises DamagedError."""
    mend = "load the table again with `pcs schedules correlate FILE`"
    try:
        return read_stored(_file(data_dir), _read, what="The correlation of editions", mend=mend)
    except FileNotFoundError:
        return {}


def correlation_state(data_dir: Path) -> int:
    """Changes whenever another one is loaded."""
    file = _file(data_dir)
    return file.stat().st_mtime_ns if file.exists() else 0


def _read(content: bytes) -> Correlation:
    return {Code(code): tuple(map(Code, heirs)) for code, heirs in json.loads(content).items()}


def _file(data_dir: Path) -> Path:
    return data_dir / "schedules" / "correlation.json"
