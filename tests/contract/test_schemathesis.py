"""Schemathesis against both processes, every check: what is answered is what the document says.

The phase that covers the schema's corners is the live API's alone, as it sends thousands and both have one document.

The trap: a seed under which all is well; PCS_SCHEMATHESIS_SEED and PCS_SCHEMATHESIS_EXAMPLES ask for others, and
more."""

import asyncio
import datetime as dt
import os
import re
import sys
from pathlib import Path

import pytest

from deployment import Customer, Deployment
from pcs.base.tenancy import Environment
from pcs.rulings.service import RulingCorpus
from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingSource

HERE = Path(__file__).parent
EXAMPLES = {Environment.LIVE: "3", Environment.TEST: "20"}  # for each endpoint
PHASES = {Environment.LIVE: "examples,coverage,fuzzing,stateful", Environment.TEST: "examples,fuzzing,stateful"}
FEWEST = 1000  # in each environment, so 2,000 in all
SEED = os.environ.get("PCS_SCHEMATHESIS_SEED", "4711")
MUG = Ruling(
    "N301234", RulingSource.CROSS, dt.date(2018, 11, 5), "A ceramic mug", "The mug is …", codes=(Code("691110"),)
)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("environment", list(Environment))
async def test_every_answer_is_one_that_the_document_names(
    customer: Customer,
    deployment: Deployment,
    environment: Environment,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = deployment.serve(environment, PCS_RATE_LIMIT_PER_MINUTE="1000000")  # many requests here have no key
    await deployment.until_ready(url)
    key = await deployment.key(customer.id, environment, rate_limit=1_000_000)
    corpus = RulingCorpus(deployment.service.settings.data_dir)
    corpus.add([MUG])
    corpus.close()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{url}/openapi.json", "--header", f"Authorization: Bearer {key}"),
        *("--max-examples", os.environ.get("PCS_SCHEMATHESIS_EXAMPLES", EXAMPLES[environment])),
        *("--phases", PHASES[environment], "--seed", SEED, "--no-color", "--continue-on-failure"),
        *("--generation-database", "none", "--request-timeout", "60", "--suppress-health-check", "all"),
        env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(HERE)},
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    generated = re.search(r"(\d+) generated", output)
    assert generated is not None
    assert int(generated[1]) >= FEWEST
    with capsys.disabled():
        print(f"\nSchemathesis, {environment}: {generated[0]}")  # noqa: T201 (what the run reports)
