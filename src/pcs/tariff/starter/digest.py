"""The digest of the knowledge pack: what says that trained parts and pack belong together."""

from __future__ import annotations

import hashlib
from importlib import resources


def pack_digest() -> str:
    """SHA-256 over the pack's files in the order of their names, as hexadecimal digits."""
    digest = hashlib.sha256()
    folder = resources.files(__package__)
    for file in sorted((file for file in folder.iterdir() if file.name.endswith(".txt")), key=lambda file: file.name):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
