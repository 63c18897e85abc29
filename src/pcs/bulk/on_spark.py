"""Catalogues on Spark: `pip install 'pcs[spark]'`, and a Java that Spark runs on. The trap: an engine that every task
opens; Spark keeps its Python processes, and each opens it once.

`spark-submit` names the cluster; without it Spark is started here, and ended with this process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark import SparkConf
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from pcs.bulk.batches import Classifier
from pcs.bulk.spread import Cluster, Unit


def cluster(jobs: int) -> Cluster:
    """A cluster of Spark; where it is started here, so many processes answer at once."""

    def do(units: Sequence[Unit]) -> None:
        spark = session(jobs)
        spark.sparkContext.parallelize(units, len(units)).map(lambda unit: unit()).collect()

    return do


def classified(products: DataFrame, classifier: Classifier) -> DataFrame:
    """A frame of products with our columns behind its own, answered as it is used."""

    def answered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield classifier(batch)

    schema = classifier.schema(to_arrow_schema(products.schema))
    return products.mapInArrow(answered, from_arrow_schema(schema))


def session(jobs: int) -> SparkSession:
    """The session that there is, or one that is started here."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("pcs")
    if not SparkConf().contains("spark.master"):
        builder = builder.master(f"local[{jobs}]").config("spark.ui.enabled", "false")
    return builder.getOrCreate()
