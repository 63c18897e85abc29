"""The way through the tariff, drawn."""

from __future__ import annotations

import re

import pytest

from pcs.dashboard.tree import path_picture

TITLE = " ".join(["ARTICLES OF LEATHER; SADDLERY AND HARNESS; TRAVEL GOODS, HANDBAGS AND SIMILAR CONTAINERS"] * 4)


@pytest.mark.parametrize("width", [320, 700])
def test_a_title_is_never_cut_however_long_it_is(width: int) -> None:
    levels = [
        {"code": "42", "description": TITLE, "confidence": None},
        {"code": "4202", "description": "Trunks", "confidence": 0.5},
    ]
    drawn = str(path_picture({"hierarchy": levels}, width=width))
    words = " ".join(re.findall(r">([^<>]+)<", drawn))
    assert "…" not in words
    assert re.findall(r"\w+", words).count("HARNESS") == 4
