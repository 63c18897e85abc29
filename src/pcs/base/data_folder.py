"""Where an installation's data lies if nobody says: the same folder, wherever one stands.

The trap: a folder that is made in whatever directory a command was run from, and is not found again from the next."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).parents[3]

IN_WORDS = "`.pcs` in a clone, else the user's data folder"


def default_data_folder() -> Path:
    """`.pcs` in the clone that this code runs from; an installed package's is the user's (`~/.local/share/pcs`)."""
    if (_ROOT / "pyproject.toml").is_file():
        return _ROOT / ".pcs"
    from platformdirs import user_data_path  # noqa: PLC0415 (a clone's ports are checked before it is installed)

    return user_data_path("pcs", appauthor=False)
