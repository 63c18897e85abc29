"""Catalogues on Ray and on Spark, each with two processes of this machine: 20,000 products get the answers that they
get without either, and a run that was killed loses nothing and repeats nothing."""

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pcs.bulk.batches import Classifier
from pcs.bulk.catalogue import Run, RunTally, run
from pcs.tariff.revision import ScheduleName

pytestmark = [pytest.mark.catalogues, pytest.mark.timeout(900)]

NO_JAVA = pytest.mark.skipif(shutil.which("java") is None, reason="Java is missing, and Spark runs on it")
CLUSTERS = ["ray", pytest.param("spark", marks=NO_JAVA)]
PRODUCTS = 20_000
GOODS = ["cotton t-shirt", "leather handbag", "stainless steel kettle", "table en bois", "Kinderfahrrad", "thing", ""]
ADDED = ["for women", "black", "with zip", "set of 3", "in a box", "size M", "used", "100 g", "made in Italy", "cheap"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A catalogue as shops have it: the same words again and again, some rows without a name."""
    folder = tmp_path_factory.mktemp("catalogue")
    names = [f"{one} {ADDED[place // 7 % 10]}" if (one := GOODS[place % 7]) else "" for place in range(PRODUCTS)]
    table = pa.table({"sku": list(range(PRODUCTS)), "name": names})
    pq.write_table(table, folder / "products.parquet", row_group_size=3_333)
    classifier = Classifier(folder / "data", ScheduleName.EU_CN, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    return Run(folder / "products.parquet", folder / "local.parquet", classifier)


@pytest.fixture(scope="module")
def here(asked: Run) -> tuple[RunTally, pa.Table]:
    """What this machine's processes answer."""
    tally = run(asked, 2, lambda _done, _total: None)
    return tally, pq.read_table(asked.output)


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_run_that_was_killed_goes_on_and_ends_as_it_does_here(
    asked: Run, here: tuple[RunTally, pa.Table], cluster: str
) -> None:
    ended = Run(asked.source, asked.output.with_name(f"{cluster}.parquet"), asked.classifier)
    with _begun(ended, cluster, killed=True) as first:
        while len(_parts(ended)) < 3:
            assert first.poll() is None, "it ended before it was killed"
            time.sleep(0.01)
    kept = _parts(ended)
    assert 3 <= len(kept) < 20
    assert not ended.output.exists()
    with _begun(ended, cluster, killed=False) as second:
        while second.poll() is None:
            now = _parts(ended)
            assert all(now.get(name, written) == written for name, written in kept.items())
            time.sleep(0.01)
    assert second.returncode == 0
    tally, answers = here
    assert pq.read_table(ended.output).equals(answers)
    assert tally == RunTally(len(answers), len(pq.read_table(ended.rejected)))
    assert len(answers) + len(pq.read_table(ended.rejected)) == PRODUCTS
    assert not ended.parts.exists()


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_frame_of_products_is_answered_as_a_batch_is(asked: Run, cluster: str, tmp_path: Path) -> None:
    source, output = tmp_path / "few.parquet", tmp_path / "answers"
    few = pa.table({"sku": list(range(40)), "name": [f"{GOODS[place % 6]} {place}" for place in range(40)]})
    pq.write_table(few, source)
    program = [str(Path(__file__).with_name("frames.py")), cluster, str(source)]
    subprocess.run([sys.executable, *program, str(asked.classifier.data_dir), str(output)], check=True, timeout=500)
    [batch] = few.to_batches()
    assert pickle.loads(output.read_bytes()) == asked.classifier(batch).to_pylist()


@contextmanager
def _begun(asked: Run, cluster: str, *, killed: bool) -> Iterator[subprocess.Popen[bytes]]:
    """The command that answers a catalogue on a cluster, by itself; killed with all that it has started, at the end."""
    command = [sys.executable, "-m", "pcs.cli.main", "classify", "--on", cluster, "--jobs", "2", "--schedule", "EU-CN"]
    files = ["--input", asked.source, "--output", asked.output, "--data-dir", asked.classifier.data_dir]
    child = subprocess.Popen([*command, *map(str, files)], start_new_session=True)
    try:
        yield child
    finally:
        if killed or child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _parts(asked: Run) -> dict[str, int]:
    """The parts that are there, and when each was written."""
    with contextlib.suppress(FileNotFoundError):  # they are one file by now
        return {path.name: path.stat().st_mtime_ns for path in asked.parts.glob("0*.parquet")}
    return {}
