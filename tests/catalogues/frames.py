"""Answers a Parquet file as whoever has it in a dataset of Ray or a frame of Spark does: `frames.py CLUSTER SOURCE
DATA_DIR OUTPUT`; run as a program, since both libraries leave threads behind."""

import os
import pickle
import sys
from pathlib import Path
from typing import Any

from pcs.bulk.batches import Classifier
from pcs.tariff.revision import ScheduleName


def of_ray(source: str, classifier: Classifier) -> list[dict[str, Any]]:
    import ray.data  # noqa: PLC0415 (one of the two may be missing)

    from pcs.bulk import on_ray  # noqa: PLC0415

    on_ray.begin(2)
    found: list[dict[str, Any]] = on_ray.classified(ray.data.read_parquet(source), classifier, 2).take_all()
    return found


def of_spark(source: str, classifier: Classifier) -> list[dict[str, Any]]:
    from pcs.bulk import on_spark  # noqa: PLC0415

    frame = on_spark.classified(on_spark.session(2).read.parquet(source), classifier)
    return [row.asDict(recursive=True) for row in frame.collect()]


if __name__ == "__main__":
    cluster, products, data_dir, output = sys.argv[1:]
    ask = Classifier(Path(data_dir), ScheduleName.EU_CN, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    rows = {"ray": of_ray, "spark": of_spark}[cluster](products, ask)
    Path(output).write_bytes(pickle.dumps(sorted(rows, key=lambda row: row["sku"])))
