"""The floor: identifiers, settings, secrets, addresses of databases."""

import datetime as dt
import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.base import ids
from pcs.base.clock import rfc3339
from pcs.base.database import conninfo, parse_url
from pcs.base.errors import OperatorError
from pcs.base.secrets import Secrets, kept_secret
from pcs.base.settings import Settings

MILLISECONDS = st.integers(0, 2**48 - 1)
RANDOMNESS = st.integers(0, 2**74 - 1)


@given(MILLISECONDS, RANDOMNESS, MILLISECONDS, RANDOMNESS)
def test_identifiers_sort_by_time(first: int, noise: int, second: int, other_noise: int) -> None:
    earlier, later = ids.encode(ids.uuid7(first, noise)), ids.encode(ids.uuid7(second, other_noise))
    assert len(earlier) == 26
    assert ids.is_id(ids.PRODUCT, f"product_{earlier}")
    if first != second:
        assert (earlier < later) == (first < second)


@given(MILLISECONDS, RANDOMNESS)
def test_an_identifier_is_a_uuid_of_version_7(milliseconds: int, noise: int) -> None:
    number = ids.uuid7(milliseconds, noise)
    assert number >> 80 == milliseconds
    assert number >> 76 & 15 == 7
    assert number >> 62 & 3 == 2


@pytest.mark.parametrize(
    "text", ["", "clf_", "clf_" + "0" * 25, "clf_" + "i" * 26, "clf_8" + "0" * 25, "CLF_" + "0" * 26]
)
def test_what_is_not_an_identifier_is_told(text: str) -> None:
    assert not ids.is_id(ids.CLASSIFICATION, text)


def test_a_moment_is_written_in_utc_with_z() -> None:
    east = dt.timezone(dt.timedelta(hours=2))
    assert rfc3339(dt.datetime(2026, 7, 1, 14, 0, tzinfo=east)) == "2026-07-01T12:00:00.000Z"


def test_settings_survive_the_way_to_a_child_process() -> None:
    environ = {
        "PCS_WORKERS": "3",
        "PCS_WEBHOOK_ALLOW_HTTP": "yes",
        "PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS": "10.0.0.0/8, ::1/128",
        "PCS_SWEEP_SECONDS": "2.5",
        "PCS_SECRET_KEY": "s",
        "UNRELATED": "x",
    }
    settings = Settings.from_environment(environ)
    assert settings.workers == 3
    assert settings.webhook_allow_http
    assert Settings.from_environment(settings.as_environment()) == settings
    assert "'s'" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PCS_WORKERS", "many"),
        ("PCS_WORKERS", "-1"),
        ("PCS_SWEEP_SECONDS", "nan"),
        ("PCS_WEBHOOK_ALLOW_HTTP", "perhaps"),
        ("PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS", "10.0.0.1/8"),
    ],
)
def test_an_unreadable_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(OperatorError, match=name):
        Settings.from_environment({name: value})


def test_what_is_sealed_for_one_owner_opens_for_no_other() -> None:
    secrets = Secrets("master")
    sealed = secrets.seal("whsec", owner="a")
    assert secrets.open(sealed, owner="a") == "whsec"
    assert sealed != secrets.seal("whsec", owner="a")
    for keeper, owner in ((secrets, "b"), (Secrets("other"), "a")):
        with pytest.raises(OperatorError, match="PCS_SECRET_KEY"):
            keeper.open(sealed, owner=owner)


def test_the_kept_secret_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret.key"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        made = set(pool.map(kept_secret, [path] * 8))
    assert made == {kept_secret(path)}
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("url", ["mysql://localhost/x", "nonsense", "http://localhost"])
def test_a_database_that_is_not_postgresql_is_refused(url: str) -> None:
    with pytest.raises(OperatorError, match="postgresql://"):
        parse_url(url)


def test_a_database_s_address_is_given_to_both_drivers() -> None:
    assert parse_url("postgres://u:p@h/d").drivername == "postgresql+psycopg"
    assert conninfo("postgres://u:p%40@h/d?host=/run/x") == "postgresql://u:p%40@h/d?host=%2Frun%2Fx"


def test_a_secret_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from a file\n")
    settings = Settings.from_environment({"PCS_SECRET_KEY_FILE": str(file)})
    assert settings.secret_key == "from a file"
    with pytest.raises(OperatorError, match="PCS_SECRET_KEY and PCS_SECRET_KEY_FILE are both set"):
        Settings.from_environment({"PCS_SECRET_KEY_FILE": str(file), "PCS_SECRET_KEY": "x"})
    with pytest.raises(OperatorError, match=r"PCS_DATABASE_URL_FILE=/nowhere cannot be read \(No such file"):
        Settings.from_environment({"PCS_DATABASE_URL_FILE": "/nowhere"})
