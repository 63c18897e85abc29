"""The engine's trained parts and their file. The trap: parts that were trained on another state of the knowledge pack
than the one installed; the file names the digest of its pack, and a mismatch is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pcs.engine.ranking.bayes import NaiveBayes
from pcs.engine.ranking.calibration import DOUBT, Calibration
from pcs.engine.ranking.choice import EVIDENCE, Choice
from pcs.engine.ranking.shared import SharedModel
from pcs.engine.retrieval.goods import TaughtGoods
from pcs.engine.retrieval.vectors import Arrays, Vectoriser
from pcs.tariff.revision import ScheduleName

SHIPPED = Path(__file__).with_name("trained.npz")


class TrainedMismatchError(ValueError):
    """Trained parts that do not belong to the installed pack, or a file without any; the message says what to do."""


@dataclass(frozen=True)
class Trained:
    """What `pcs train` makes: the vocabulary, naive Bayes of headings and of subheadings, a model that they share, the
    goods that were taught, and for each schedule naive Bayes of its lines, the weights that choose between them and the
    calibration of the whole. Headings and subheadings are the same, in the same order, wherever they are classes."""

    pack_digest: str
    vectoriser: Vectoriser
    headings: NaiveBayes
    subheadings: NaiveBayes
    shared: SharedModel
    goods: TaughtGoods
    lines: dict[ScheduleName, NaiveBayes]
    choices: dict[ScheduleName, Choice]
    calibrations: dict[ScheduleName, Calibration]

    def save(self, path: Path) -> None:
        """Write one compressed file; the same parts give the same bytes."""
        terms = "\n".join(self.vectoriser.vocabulary).encode()
        arrays: dict[str, np.ndarray] = {
            "pack": np.array([self.pack_digest.encode()]),
            "terms": np.frombuffer(terms, dtype=np.uint8),
            "idf": self.vectoriser.idf.astype(np.float16),
            **self.headings.arrays("headings"),
            **self.subheadings.arrays("subheadings"),
            **self.shared.arrays("shared"),
            **self.goods.arrays("goods"),
        }
        for name in ScheduleName:
            arrays |= self.lines[name].arrays(f"{name}.lines")
            arrays[f"{name}.choice"] = np.array(self.choices[name].weights)
            arrays[f"{name}.calibration"] = np.array(self.calibrations[name].weights)
        temporary = path.with_suffix(".part.npz")
        np.savez_compressed(temporary, **arrays)  # type: ignore[arg-type]  # numpy's stub takes allow_pickle for a name
        temporary.replace(path)

    @classmethod
    def open(cls, path: Path, *, pack_digest: str | None = None) -> Trained:
        """Read the file. Raises TrainedMismatchError where it is missing, broken or made for another pack."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                found = _from_arrays({key: stored[key] for key in stored.files})
        except (OSError, KeyError, ValueError) as error:
            msg = f"{path.name} holds no trained parts that can be read ({error}); run `pcs train` to make them"
            raise TrainedMismatchError(msg) from error
        if pack_digest not in {None, found.pack_digest}:
            msg = f"{path.name} was trained on another state of the knowledge pack; run `pcs train` to make it anew"
            raise TrainedMismatchError(msg)
        return found


def _from_arrays(arrays: Arrays) -> Trained:
    for name in ScheduleName:
        if arrays[f"{name}.choice"].size != len(EVIDENCE) or arrays[f"{name}.calibration"].size != len(DOUBT):
            msg = "its weights are for other evidence than this version weighs"
            raise ValueError(msg)
    terms = arrays["terms"].tobytes().decode().split("\n")
    vocabulary = {term: column for column, term in enumerate(terms)}
    vectoriser = Vectoriser(vocabulary, arrays["idf"].astype(np.float32))
    headings = NaiveBayes.from_arrays(arrays, "headings")
    return Trained(
        pack_digest=bytes(arrays["pack"][0]).decode(),
        vectoriser=vectoriser,
        headings=headings,
        subheadings=NaiveBayes.from_arrays(arrays, "subheadings"),
        shared=SharedModel.from_arrays(arrays, "shared"),
        goods=TaughtGoods.from_arrays(arrays, "goods", vectoriser.rarity, len(headings.classes)),
        lines={name: NaiveBayes.from_arrays(arrays, f"{name}.lines") for name in ScheduleName},
        choices={name: Choice(tuple(arrays[f"{name}.choice"].tolist())) for name in ScheduleName},
        calibrations={name: Calibration(tuple(arrays[f"{name}.calibration"].tolist())) for name in ScheduleName},
    )
