"""Every command: its help, its JSON where it prints data, and nothing that is cut on a terminal of 80 columns."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from cli.terminal import pcs
from pcs.base.settings import Settings
from pcs.cli.main import build
from pcs.cli.output import print_table
from pcs.schedules import store
from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow
from pcs.tariff.sources.levels import with_all_levels

# What these do is the answer, or is JSON anyway; every other command prints data and has --json.
WITHOUT_DATA = {
    "up",
    "serve",
    "work",
    "migrate",
    "prepare",
    "backup",
    "restore",
    "train",
    "admin revoke-key",
    "decisions remove",
    "admin change-secret-key",
    "admin promise withdraw",
    "audit",
    "schedules import",
    "schedules fetch",
    "schedules notes",
    "schedules correlate",
    "schedules format",
    "schedules promote",
    "schedules rollback",
    "rulings import",
    "rulings fetch",
    "rulings mend",
    "openapi",
}


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


ALL = dict(commands(typer.main.get_command(build(None))))


def words(text: str) -> str:
    """Help without its frames and line ends."""
    return " ".join(re.sub(r"[─│╭╮╰╯]", " ", text).split())


@pytest.mark.parametrize("name", ALL)
def test_every_command_says_what_it_does_and_what_each_argument_is_for(name: str) -> None:
    shown = CliRunner().invoke(build(None), [*name.split(), "--help"], env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "…" not in re.sub(r"`\w+…`", "", shown.stdout).replace("key_…", "")
    assert words(ALL[name].help.split("\n\n")[0]) in words(shown.stdout)
    silent = [one.name for one in ALL[name].params if not (one.help or "").strip()]
    assert silent == [], "say what each is for"


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_command_that_prints_data_prints_it_as_json_too(name: str) -> None:
    options = {option for one in ALL[name].params for option in one.opts}
    assert ("--json" in options) != (name in WITHOUT_DATA)


def test_the_version_is_said(tmp_path: Path) -> None:
    said = pcs(tmp_path, "--version")
    assert (said.returncode, said.stdout) == (0, f"pcs {importlib.metadata.version('pcs')}\n")


def asked(arguments: list[str], **variables: str) -> Any:
    done = CliRunner().invoke(build(None), [*arguments, "--json"], env={"COLUMNS": "80", **variables})
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_decisions_of_a_file_are_kept_listed_and_forgotten(settings: Settings, tmp_path: Path) -> None:
    ours = settings.as_environment()
    whose = ["--organization", asked(["admin", "create-organization", "Acme"], **ours)["id"]]
    file = tmp_path / "filed.csv"
    rows = ("A,Blue mug,99999999,EU-CN", "B,blue MUG,99999998,EU-CN", "C,Plate,12,EU-CN")
    file.write_text("\n".join(("identifier,name,code,schedule", *rows)), encoding="utf-8")
    kept = asked(["decisions", "import", str(file), *whose], **ours)
    assert (kept["added"], kept["changed"], kept["left_out"], kept["not_in_force"]) == (2, 0, 1, 2)
    assert kept["problems"] == ["row 4: the code must have 8 digits under EU-CN, dots allowed"]
    assert asked(["decisions", "import", str(file), *whose], **ours)["changed"] == 2
    listed = asked(["decisions", "list", "--contradicted", *whose], **ours)["data"]
    assert {(one["identifier"], one["standing"]) for one in listed} == {("A", "gone"), ("B", "gone")}
    assert asked(["decisions", "list", "--sandbox", *whose], **ours)["data"] == []
    done = CliRunner().invoke(build(None), ["decisions", "remove", listed[0]["id"], *whose], env=ours)
    assert done.exit_code == 0, done.output
    [left] = asked(["decisions", "list", *whose], **ours)["data"]
    assert (left["id"], left["contradicted"]) == (listed[1]["id"], "")


def test_the_json_of_organizations_keys_and_administrators_has_whole_ids(settings: Settings) -> None:
    ours = settings.as_environment()
    made = asked(["admin", "create-organization", "Acme [bold]"], **ours)
    assert made in asked(["admin", "list-organizations"], **ours)
    of = ["--organization", made["id"]]
    owner = asked(["admin", "create-administrator", f"{made['id']}@example.com", *of], **ours)
    assert re.fullmatch(r"member_\w{26}", owner["id"])
    assert "/welcome?token=" in asked(["admin", "password-link", owner["email"]], **ours)["link"]
    key = asked(["admin", "create-key", "Web shop", *of], **ours)
    assert key.pop("key")[-4:] == key["last_four"]
    assert asked(["admin", "list-keys", *of], **ours) == [key]
    assert asked(["admin", "redeliver", "--since", "2026-01-01T00:00:00Z", *of], **ours) == {"deliveries": 0}


def test_a_table_shows_whole_ids_on_a_narrow_terminal(settings: Settings) -> None:
    ours = {**settings.as_environment(), "COLUMNS": "40"}
    made = asked(["admin", "create-organization", "A name that is a good deal longer than others"], **ours)
    key = asked(["admin", "create-key", "A key for the shop [of] the north", "--organization", made["id"]], **ours)
    for arguments in (["list-organizations"], ["list-keys", "--organization", made["id"]]):
        listed = CliRunner().invoke(build(None), ["admin", *arguments], env=ours)
        assert (made["id"] if arguments == ["list-organizations"] else key["id"]) in listed.stdout
        assert "Created" in listed.stdout or "[of]" in listed.stdout


def test_a_key_is_made_with_its_id_and_revoked_by_it_alone(settings: Settings) -> None:
    ours = settings.as_environment()
    organizations = [asked(["admin", "create-organization", name], **ours)["id"] for name in ("One", "Two")]
    of = ["--organization", organizations[1]]
    made = CliRunner().invoke(build(None), ["admin", "create-key", "laptop", *of], env=ours)
    assert re.fullmatch(r"key_\w{26}  svc_live_\w{38}\n", made.stdout)
    key_id = made.stdout.split()[0]
    assert CliRunner().invoke(build(None), ["admin", "revoke-key", key_id], env=ours).exit_code == 0
    assert [one["state"] for one in asked(["admin", "list-keys", *of], **ours)] == ["revoked"]


def stage(data_dir: Path, edition: str) -> str:
    """A small revision of the European schedule, put there by hand as it is not whole; its key."""
    rows = [
        PublishedRow(Code("6109"), 0, "T-shirts"),
        PublishedRow(Code("61091000"), 1, f"Of cotton {edition}", declarable=True),
    ]
    return store.write_revision(data_dir, assemble(ScheduleName.EU_CN, edition, with_all_levels(rows))).key


def test_the_json_of_schedules_and_rulings_is_read_back(tmp_path: Path) -> None:
    at = ["--data-dir", str(tmp_path)]
    before, after = stage(tmp_path, "2025"), stage(tmp_path, "2026")
    listed = asked(["schedules", "list", *at])
    assert {one["edition"] for one in listed} == {"2025", "2026"}
    assert asked(["schedules", "diff", "EU-CN", before, after, *at])[0]["kind"] == "reworded"
    refused = CliRunner().invoke(build(None), ["schedules", "check", "EU-CN", before, "--json", *at])
    told = json.loads(refused.stdout)
    assert (refused.exit_code, told["whole"], bool(told["problems"])) == (1, False, True)
    file = tmp_path / "rulings.jsonl"
    file.write_text(json.dumps({"reference": "X/1", "subject": "Goods", "codes": ["95030075"], "date": "2024-01-02"}))
    assert CliRunner().invoke(build(None), ["rulings", "import", str(file), *at]).exit_code == 0
    assert asked(["rulings", "list", *at]) == [{"source": "other", "status": "unknown", "rulings": 1}]
    shown = asked(["rulings", "show", "X/1", *at])
    assert (shown["codes"], shown["date"]) == (["95030075"], "2024-01-02")
    assert asked(["rulings", "check", *at]) == []


def test_the_json_of_settings_names_each(tmp_path: Path) -> None:
    told = json.loads(pcs(tmp_path, "settings", "--json").stdout)
    assert {
        "variable": "PCS_LIVE_PORT",
        "default": "`8000`",
        "says": "The port of the live API and the dashboard.",
    } in told


def test_words_that_wrap_keep_their_letters_and_nothing_ends_in_an_ellipsis(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    long = "Woven fabrics of combed wool, weighing not more than 200 g/m2 " * 3
    print_table(
        ("Id", "Words", "Next"), [("clf_" + "0" * 26, long, "pcs schedules promote EU-CN 2026-01")], text=("Words",)
    )
    shown = capsys.readouterr().out
    assert "clf_" + "0" * 26 in shown
    assert "pcs schedules promote EU-CN 2026-01" in shown
    assert "…" not in shown
    assert len([line for line in shown.splitlines() if "Woven" in line]) == 3


def test_an_answer_on_a_narrow_terminal_has_its_whole_code_and_takes_no_markup(tmp_path: Path) -> None:
    told = pcs(tmp_path, "classify", "men's cotton [/red] t-shirt", "--schedule", "US-HTS", COLUMNS="30")
    assert told.returncode == 0, told.stderr
    assert re.search(r"^ *\d{4}\.\d\d\.\d\d\.\d\d  ", told.stdout, re.MULTILINE)
    assert "…" not in told.stdout


def test_a_file_of_the_pack_is_brought_into_its_form_once_and_a_wrong_one_is_left_as_it_is(tmp_path: Path) -> None:
    chapter, wrong = tmp_path / "61.txt", tmp_path / "62.txt"
    chapter.write_text("# 61 Knitted clothing\n@6109 T-shirts\nn: tee,tank top\n")
    wrong.write_text("# 62 Woven clothing\nn: shirt\n")
    run = partial(CliRunner().invoke, build(None))
    checked = run(["schedules", "format", "--check", str(chapter)])
    assert (checked.exit_code, checked.stdout) == (1, "61.txt has another form.\n")
    refused = run(["schedules", "format", str(chapter), str(wrong)])
    assert refused.exit_code == 1
    assert "62.txt, line 2" in refused.stderr
    assert "tee,tank top" in chapter.read_text()
    assert run(["schedules", "format", str(chapter)]).stdout == "61.txt is in its form now.\n"
    assert chapter.read_text() == "# 61 Knitted clothing\n@6109 T-shirts\nn: tee, tank top\n"
    assert run(["schedules", "format", "--check", str(chapter)]).stdout == "1 file in its form.\n"
