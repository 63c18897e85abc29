"""The file that keeps what was learned: a zip of arrays whose comment is the digest of all before it. The trap: bytes
that depend on when or where it was written; entries have no date.

The units of the shared model are most of it. Huffman's code comes within two hundredths of their entropy, which no
general compressor does (docs/adr/0012)."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays
from pcs.engine.counting.lessons import Lesson, LessonKind
from pcs.engine.learned import Learned, MadeFrom, SharedWeights
from pcs.engine.ranking.choice import EVIDENCE, ChoiceWeights
from pcs.engine.ranking.shared import Outputs
from pcs.engine.trained_file import DIGEST, sealed, trained_damage, unsealed
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_UNITS = "shared.units"  # coded by ourselves


def save_learned(learned: Learned, path: Path) -> None:
    """Write the file in one step; the same parts give the same bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, array in _arrays(learned).items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # its date is always the same
            entry.compress_type = zipfile.ZIP_STORED if name == _UNITS else zipfile.ZIP_LZMA
            with archive.open(entry, "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        archive.comment = b"0" * DIGEST  # in its place comes the seal
    temporary = path.with_suffix(".part")
    temporary.write_bytes(sealed(written.getvalue()[:-DIGEST]))
    temporary.replace(path)


def open_learned(path: Path) -> Learned:
    """Read the file. Raises DamagedError where it is not what was written, or of another version."""
    whole = unsealed(path)
    try:
        with np.load(io.BytesIO(whole), allow_pickle=False) as stored:
            return _from_arrays({name: stored[name] for name in stored.files})
    except (KeyError, ValueError) as error:
        raise trained_damage(path) from error


def _arrays(learned: Learned) -> dict[str, npt.NDArray[Any]]:
    shared = learned.shared
    coder = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    arrays: dict[str, npt.NDArray[Any]] = {
        "made_from": _json(asdict(learned.made_from)),
        "rulings": _json([asdict(lesson) for lesson in learned.rulings]),
        "shared.terms": _text("\n".join(shared.terms)),
        _UNITS: np.frombuffer(coder.compress(shared.units.tobytes()) + coder.flush(), dtype=np.uint8),
        "shared.steps": shared.steps.astype(np.float16),
        "shared.bias": shared.bias.astype(np.float16),
        **_outputs(shared.headings, "shared.headings"),
        **_outputs(shared.subheadings, "shared.subheadings"),
    }
    for name in ScheduleName:
        arrays[f"{name}.choice"] = np.array(learned.choices[name].weights)
    return arrays


def _from_arrays(arrays: Arrays) -> Learned:
    for name in ScheduleName:
        if arrays[f"{name}.choice"].size != len(EVIDENCE):
            msg = "its weights are for other evidence than this version weighs"
            raise ValueError(msg)
    bias = arrays["shared.bias"].astype(np.float32)
    units = np.frombuffer(zlib.decompress(arrays[_UNITS].tobytes(), -zlib.MAX_WBITS), dtype=np.int8)
    return Learned(
        made_from=MadeFrom(**_said(arrays["made_from"])),
        shared=SharedWeights(
            terms=arrays["shared.terms"].tobytes().decode().split("\n"),
            units=units.reshape(-1, len(bias)),
            steps=arrays["shared.steps"].astype(np.float32),
            bias=bias,
            headings=_outputs_from(arrays, "shared.headings"),
            subheadings=_outputs_from(arrays, "shared.subheadings"),
        ),
        choices={name: ChoiceWeights(tuple(arrays[f"{name}.choice"].tolist())) for name in ScheduleName},
        rulings=tuple(_lesson(values) for values in _said(arrays["rulings"])),
    )


def _outputs(outputs: Outputs, name: str) -> dict[str, npt.NDArray[Any]]:
    return {
        f"{name}.classes": np.array(outputs.classes, dtype="S6"),
        f"{name}.weights": outputs.weights.astype(np.float16),
        f"{name}.bias": outputs.bias.astype(np.float16),
    }


def _outputs_from(arrays: Arrays, name: str) -> Outputs:
    classes = tuple(Code.shared(code.decode()) for code in arrays[f"{name}.classes"].tolist())
    return Outputs(classes, *(arrays[f"{name}.{part}"].astype(np.float32) for part in ("weights", "bias")))


def _lesson(values: Mapping[str, Any]) -> Lesson:
    codes = {key: values[key] and Code(values[key]) for key in ("heading", "subheading")}
    lines = tuple(code and Code(code) for code in values["lines"])
    return Lesson(**{**values, **codes, "lines": lines, "kind": LessonKind(values["kind"])})


def _text(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _json(value: object) -> npt.NDArray[np.uint8]:
    return _text(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _said(array: npt.NDArray[Any]) -> Any:  # noqa: ANN401 - JSON
    return json.loads(array.tobytes())
