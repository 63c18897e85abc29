"""Catalogues on Ray: `pip install 'pcs[ray]'`. The trap: an engine that every task opens; an actor opens it once, and
those of one machine share its arrays.

`RAY_ADDRESS` names the cluster; without it Ray is started here, and ended with this process.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from pcs.bulk.batches import Classifier
from pcs.bulk.catalogue import BLOCK
from pcs.bulk.spread import Cluster, Unit

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would tell its makers; it reads this as it is imported

import ray
import ray.data


def cluster(jobs: int) -> Cluster:
    """A cluster of Ray on which so many processes answer at once."""

    def do(units: Sequence[Unit]) -> None:
        begin(jobs)
        work = ray.data.from_items([{"unit": unit} for unit in units], override_num_blocks=len(units))
        done = work.map(_Units, compute=_actors(jobs))
        done.materialize()

    return do


def classified(products: Any, classifier: Classifier, jobs: int) -> Any:  # noqa: ANN401 (ray.data.Dataset has no types)
    """A dataset of products with our columns behind its own, answered by so many processes as it is used."""
    begin(jobs)
    return products.map_batches(
        _Batches,
        fn_constructor_args=(classifier,),
        batch_size=BLOCK,
        batch_format="pyarrow",
        compute=_actors(jobs),
    )


class _Units:
    """Does a unit; the engine stays open in its process."""

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        row["unit"]()
        return {"done": True}


class _Batches:
    """Answers batches; the engine stays open in its process."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    def __call__(self, products: pa.Table) -> pa.Table:
        [batch] = products.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=products.schema)]
        return pa.Table.from_batches([self._classifier(batch)])


def begin(jobs: int) -> None:
    """Connect to the cluster, or start one here, unless that was done."""
    if not ray.is_initialized():
        processes = None if os.environ.get("RAY_ADDRESS") else jobs + 1  # one for those that read and write
        ray.init(num_cpus=processes, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)  # who asked has a progress bar


def _actors(jobs: int) -> ray.data.ActorPoolStrategy:
    return ray.data.ActorPoolStrategy(size=jobs)
