"""The commands, settings, queries and log lines that documents name exist. The trap: a runbook that fails at night."""

import re
import shlex
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from typer.exceptions import TyperException

from pcs.base.settings import Settings
from pcs.classifications.model import DecidedBy
from pcs.classifications.result_columns import ResultCells
from pcs.cli.main import build
from pcs.webhooks.model import HISTORY, MAX_AT_ONCE, RETRY_DELAYS

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*(?:\S*/bin/)?pcs (.*)$", re.MULTILINE)

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Every `pcs …` line of the shell blocks, but of those that make `pcs` something else."""
    shell = [block for language, block in FENCED.findall(text) if language in {"", "sh", "bash"}]
    return [found for block in shell if "$PCS/" not in block for found in COMMAND.findall(block)]


def mentions(text: str) -> list[str]:
    """Every `pcs …` within a sentence; its arguments may be left out."""
    return re.findall(r"`pcs ([a-z][^`…]*)`", FENCED.sub("", text))


def parse(line: str) -> None:
    """Take a command line as `pcs` would, and run nothing. Raises TyperException."""
    command: Any = typer.main.get_command(build(None))
    context, name = None, "pcs"
    words = [word for word in shlex.split(line, comments=True) if word != "..."]
    while hasattr(command, "resolve_command"):
        context = command.make_context(name, words, parent=context)
        name, command, words = command.resolve_command(context, [*context._protected_args, *context.args])  # noqa: SLF001
    command.make_context(name, words, parent=context)


def everywhere(find: Callable[[str], list[str]]) -> list[tuple[str, str]]:
    return [(document.name, line) for document in DOCUMENTS for line in find(document.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("document", "line"), everywhere(commands), ids=lambda text: text[:60])
def test_a_command_in_a_document_is_one(
    document: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in shlex.split(line, comments=True):
        if re.fullmatch(r"[\w .-]+\.\w+", word):  # a file that the command reads is there
            Path(word).touch()
    try:
        parse(line)
    except TyperException as error:
        pytest.fail(f"{document}: pcs {line}: {error.format_message()}")


@pytest.mark.parametrize(("document", "line"), everywhere(mentions), ids=lambda text: text[:60])
def test_a_command_mentioned_in_a_document_is_one(document: str, line: str) -> None:
    said = ""
    try:
        parse(line)
    except TyperException as error:
        said = error.format_message()
    assert not said or said.startswith("Missing"), f"{document}: pcs {line}: {said}"


def test_commands_are_found_and_what_is_none_is_recognized() -> None:
    assert len(commands(OPERATIONS)) >= 18
    assert len(mentions(OPERATIONS)) >= 8
    for line in ("admin redeliver", "serve --harbour 8000", "sail", "admin create-cookie x"):
        with pytest.raises(TyperException):
            parse(line)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_setting_in_a_document_is_one(document: Path) -> None:
    known = {f"PCS_{field.name.upper()}" for field in fields(Settings)}
    theirs = {"PCS_KEY", "PCS_WEBHOOK_SECRET", "PCS_SCREENSHOTS"}  # of clients, and of our own tests
    theirs |= set(re.findall(r"\bPCS_\w+", (ROOT / "compose.yaml").read_text(encoding="utf-8")))
    named = set(re.findall(r"\bPCS_[A-Z_]+[A-Z]\b", document.read_text(encoding="utf-8")))
    assert {name.removesuffix("_FILE") for name in named} <= known | theirs


def test_the_defaults_that_the_runbook_names_are_the_code_s() -> None:
    defaults = Settings()
    for name, value in re.findall(r"`PCS_([A-Z_]+)` \((\d+)\)", OPERATIONS):
        assert float(value) == getattr(defaults, name.lower()), name
    assert defaults.stop_grace_seconds <= 25, "ends within 30 seconds"
    assert sum(delay.total_seconds() for delay in RETRY_DELAYS) / 60 == 36
    assert (HISTORY.days, MAX_AT_ONCE) == (30, 5)


def test_the_log_lines_that_the_runbook_names_are_written() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    table = OPERATIONS.partition("| `event` in the log")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    assert len(named) >= 6
    assert [event for event in named if f'"{event}"' not in source] == []


def test_the_metrics_and_alarms_that_the_runbook_names_are_there() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("metrics.py"))
    named = set(re.findall(r"`(pcs_\w+)`", OPERATIONS))
    assert len(named) >= 4
    assert [name for name in named if f'"{name.removesuffix("_total")}"' not in source] == []


def test_the_queries_of_the_runbook_run(database_url: str) -> None:
    [block] = re.findall(r"```sql\n(.*?)```", OPERATIONS, re.DOTALL)
    queries = [query for query in block.split(";") if query.strip()]
    assert len(queries) == 5
    with psycopg.connect(database_url) as connection:
        for query in queries:
            connection.execute(query.encode())


def test_the_files_that_the_runbook_names_exist() -> None:
    named = re.findall(r"`((?:tests|deploy|compose)[\w/.-]*)`", OPERATIONS)
    assert len(named) >= 9
    for path in named:
        assert (ROOT / path).exists(), path


def test_the_readme_says_where_a_newcomer_s_service_listens_and_where_its_data_lies() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for setting in ("PCS_LIVE_PORT", "PCS_SANDBOX_PORT", "PCS_DATA_DIR"):
        assert f"`{setting}`" in readme
    settings = Settings()
    assert f"listens on port {settings.live_port}, the sandbox on {settings.sandbox_port}" in readme


def test_the_columns_that_come_back_and_who_decided_are_told() -> None:
    told = (ROOT / "docs" / "files.md").read_text(encoding="utf-8").split("## What comes back")[1].split("\n## ")[0]
    columns = [column.name for column in fields(ResultCells)]
    assert [name for name in (*columns, *DecidedBy) if f"`{name}`" not in told] == []
