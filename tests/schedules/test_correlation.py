"""Where goods went between two editions of the Harmonized System is a table that the user loads, and is told then."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pcs.cli.schedules import app
from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.filed.comparing import compare
from pcs.engine.filed.comparison import Agreement
from pcs.schedules.library import Library
from pcs.schedules.service import Revisions
from pcs.schedules.store import write_pointer, write_revision
from pcs.tariff.code import Code
from pcs.tariff.correlation import read_correlation
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.problem import SourceError
from whole_schedule import edition

EU = ScheduleName.EU_CN
GONE = Code("61091000")


def load(data_dir: Path, table: str) -> str:
    file = data_dir / "hs.csv"
    file.write_text(table, encoding="utf-8")
    done = CliRunner().invoke(app, ["correlate", str(file), "--data-dir", str(data_dir)])
    return done.stdout if done.exit_code == 0 else str(done.exception or done.stderr)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An edition of HS 2022 and one of 2028 without one of its lines."""
    keys = [write_revision(tmp_path, each).key for each in (edition("2027"), edition("2028", dropped=GONE))]
    write_pointer(tmp_path, EU, keys[::-1])
    return tmp_path


def test_a_line_that_is_gone_names_those_that_have_its_goods_once_the_table_is_loaded(data_dir: Path) -> None:
    library = Library(data_dir)
    changes = library.changes(EU, "2027", "2028")
    assert changes is not None
    assert changes.outdated[GONE].successors == ()
    assert library.former_lines(EU)[GONE].successors == ()
    assert "2 subheadings" in load(
        data_dir, "HS2022;HS2028;note\n6109.10;ex 6203.42;x\n610910;4202.21;\n0101.21;0101.99;\n"
    )
    changes = library.changes(EU, "2027", "2028")
    assert changes is not None
    assert changes.outdated[GONE].successors == ("62034200", "42022100")
    assert Revisions(data_dir).changes(EU, "2027", "2028").outdated[GONE].successors == ("62034200", "42022100")


def test_a_filed_code_of_the_edition_before_is_superseded_by_what_has_its_goods(data_dir: Path) -> None:
    load(data_dir, "6109.10,6203.42\n")
    library = Library(data_dir)
    schedule = library.schedule(EU)
    nothing = Determination(schedule.revision, Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said."))
    compared = compare(GONE, nothing, schedule, library.former_lines(EU))
    assert compared.agreement is Agreement.SUPERSEDED
    assert compared.successors == ("62034200",)
    assert "its goods are, by the correlation of the editions, under 6203.42.00" in compared.reason


def test_within_one_edition_it_says_nothing(tmp_path: Path) -> None:
    for each in (edition("2025"), edition("2026", dropped=GONE)):
        write_revision(tmp_path, each)
    load(tmp_path, "6109.10,6203.42\n")
    assert Revisions(tmp_path).changes(EU, "2025", "2026").outdated[GONE].successors == ()


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("6109.10,6203.42\n6109.1,6203.42\n", "Row 2"),
        ("6109.10,6204\n", "Row 1: “6204” is not a subheading of six digits"),
        ("from,to\n", "no pairs of subheadings"),
    ],
)
def test_a_table_with_a_wrong_row_is_refused_whole_by_that_row(data_dir: Path, table: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        read_correlation(table.encode())
    assert told in load(data_dir, table)
    changes = Library(data_dir).changes(EU, "2027", "2028")
    assert changes is not None
    assert changes.outdated[GONE].successors == ()
