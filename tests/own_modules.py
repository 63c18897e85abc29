"""The product's modules, imported. The trap: one that imports what only an extra brings, and fails here."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pcs

OF_EXTRAS = {"pcs.bulk.on_ray", "pcs.bulk.on_spark"}  # `make catalogues` imports them, with their extras beside them


def own_modules() -> Iterator[ModuleType]:
    """Every module of ours that imports without an extra, but for the migrations."""
    for found in pkgutil.walk_packages(pcs.__path__, "pcs."):
        if ".migrations" not in found.name and found.name not in OF_EXTRAS:
            yield importlib.import_module(found.name)
