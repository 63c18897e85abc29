"""The files that deploy the service name commands, settings and files that exist.

What these tests cannot do without a daemon, building the image and starting the compose project, no test does."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from pcs.base.settings import Settings
from pcs.cli.main import build

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def settings() -> set[str]:
    return {f"PCS_{name.upper()}" for name in Settings.__dataclass_fields__}


def parsed(arguments: list[str]) -> None:
    """Raise unless `pcs` understands the arguments, without running anything."""
    command = typer.main.get_command(build(arguments[0]))
    context = command.make_context("pcs", list(arguments), resilient_parsing=False)
    with context:
        name, subcommand, rest = command.resolve_command(context, arguments)  # type: ignore[attr-defined]
        subcommand.make_context(name, rest)


@pytest.mark.parametrize("name", [name for name, service in COMPOSE["services"].items() if "build" in service])
def test_a_container_of_ours_runs_a_command_with_known_settings(name: str) -> None:
    service = COMPOSE["services"][name]
    parsed(service["command"])
    ours = {variable.removesuffix("_FILE") for variable in service["environment"] if variable.startswith("PCS_")}
    assert ours <= settings()
    files = {value for variable, value in service["environment"].items() if variable.endswith("_FILE")}
    assert files == {f"/run/secrets/{secret}" for secret in service["secrets"]}
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]


def test_compose_names_only_what_it_defines() -> None:
    services, secrets, volumes = COMPOSE["services"], COMPOSE["secrets"], COMPOSE["volumes"]
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        assert set(service.get("secrets", ())) <= set(secrets)
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in volumes, volume
    assert {"live", "sandbox", "worker", "postgres", "proxy"} <= set(services)
    published = {name for name, service in services.items() if "ports" in service}
    assert published == {"proxy", "grafana"}, "only the proxy faces the world"


def test_the_secrets_that_compose_mounts_are_made_once_and_never_tracked(tmp_path: Path) -> None:
    script = tmp_path / "make-secrets"
    script.write_bytes((ROOT / "deploy" / "make-secrets").read_bytes())
    subprocess.run(["sh", script], check=True, capture_output=True)
    made = {file.name: file.read_text(encoding="ascii") for file in (tmp_path / "secrets").iterdir()}
    assert set(made) == {Path(secret["file"]).name for secret in COMPOSE["secrets"].values()}
    assert len(made["secret_key"]) == 64
    assert made["database_url"] == f"postgresql://pcs:{made['postgres_password']}@postgres:5432/pcs"
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    subprocess.run(["sh", script], check=True, capture_output=True)
    assert made == {file.name: file.read_text(encoding="ascii") for file in (tmp_path / "secrets").iterdir()}
    ignored = ["git", "check-ignore", "-q", "deploy/secrets/secret_key"]
    assert subprocess.run(ignored, cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_a_command_with_known_settings(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    [command] = re.findall(r"^ExecStart=/opt/pcs/bin/pcs (.+)$", text, re.MULTILINE)
    parsed(command.replace("%i", "live").split())
    variables = {name.removesuffix("_FILE") for name in re.findall(r"^Environment=(PCS_\w+)=", text, re.MULTILINE)}
    assert variables <= settings()
    assert "NoNewPrivileges=yes" in text
    loaded = set(re.findall(r"^LoadCredential=(\w+):", text, re.MULTILINE))
    assert loaded == set(re.findall(r"^Environment=PCS_\w+_FILE=%d/(\w+)$", text, re.MULTILINE))
    wanted = re.findall(r"(?:Wants|Requires|After|PartOf|Conflicts)=(.+)", text)
    named = {re.sub(r"@.*\.", "@.", name) for line in wanted for name in line.split() if name.startswith("pcs")}
    assert named <= {path.name for path in (ROOT / "deploy" / "systemd").iterdir()}


def test_the_image_holds_what_is_copied_and_does_not_run_as_root() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [
        line.split()[1:-1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ") and "--from" not in line
    ]
    locks = re.findall(r"requirements[a-z-]*\.lock", DOCKERFILE)
    for source in {*locks, *(name for names in copied for name in names if name != "${LOCK}")}:
        assert (ROOT / source).exists(), source
        assert f"!{source}" in ignored, f"{source} is kept out of the build by .dockerignore"
    assert set(re.findall(r"PCS_\w+", DOCKERFILE)) <= settings()
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER pcs$", last, re.MULTILINE)
    parsed(["up"])
