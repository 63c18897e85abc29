"""What an operator does at the terminal to people and keys: it is written down, and an owner can always come back."""

import json
import os
import re
import subprocess
import sys

import pytest

from builders import ServiceUnderTest
from pcs.base import ids
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.organizations import members, second_factors_store
from pcs.organizations import service as organizations
from pcs.organizations.model import Role


def pcs(settings: Settings, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **settings.as_environment(), **more, "COLUMNS": "200"}
    command = [sys.executable, "-m", "pcs.cli.main", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


async def audited(running: ServiceUnderTest) -> list[tuple[str, str, str]]:
    query = "SELECT action, actor, detail FROM audit_entries WHERE organization_id = :id ORDER BY id"
    return [tuple(row.values()) for row in await running.rows(query, id=running.organization_id)]


async def test_keys_and_administrators_made_at_the_terminal_are_in_the_audit_log(running: ServiceUnderTest) -> None:
    settings, ours = running.service.settings, ("--organization", running.organization_id)
    email = f"{ids.new_id(ids.MEMBER)}@example.com"
    token = pcs(settings, "admin", "create-key", "laptop", *ours).stdout
    password = pcs(settings, "admin", "create-administrator", email, *ours).stdout.split()[-1]
    [key] = await running.rows("SELECT id FROM api_keys WHERE name = 'laptop' AND organization_id = :id", id=ours[1])
    assert pcs(settings, "admin", "revoke-key", key["id"]).returncode == 0
    entries = await audited(running)
    assert [action for action, _, _ in entries] == [
        "created an API key",
        "created an administrator",
        "revoked an API key",
    ]
    assert all(actor.startswith("command line (") for _, actor, _ in entries)
    assert entries[0][2].startswith("laptop (live")
    assert entries[1][2] == email
    assert password not in str(entries)
    assert not re.search(r"svc_live_\w+", str(entries))
    assert "svc_live_" in token


async def test_an_owner_who_is_kept_out_comes_back_by_a_link_from_the_terminal(running: ServiceUnderTest) -> None:
    settings, service = running.service.settings, running.service
    email = f"{ids.new_id(ids.MEMBER)}@example.com"
    pcs(settings, "admin", "create-administrator", email, "--organization", running.organization_id)
    made = pcs(settings, "admin", "password-link", email.upper(), PCS_PUBLIC_URL="https://codes.example.com/")
    assert made.returncode == 0, made.stderr
    address, _, token = made.stdout.strip().partition("?token=")
    assert address == "https://codes.example.com/dashboard/welcome"
    async with service.database.begin() as transaction:
        found = await members.find_invitation(transaction, token, service.secrets, now=service.clock())
    assert (found.email, found.purpose) == (email, "password_reset")
    assert (await audited(running))[-1][0] == "made a password link"
    refused = pcs(settings, "admin", "password-link", "nobody@example.com")
    assert refused.returncode == 1
    assert "nobody@example.com" in refused.stderr


async def test_a_lost_second_factor_is_removed_at_the_terminal(running: ServiceUnderTest) -> None:
    settings, service = running.service.settings, running.service
    email = f"{ids.new_id(ids.MEMBER)}@example.com"
    now, owner = service.clock(), Role.OWNER
    async with service.database.begin() as transaction:
        member_id = await organizations.create_member(
            transaction, running.organization_id, email=email, password_hash="x", role=owner, now=now
        )
        assert await second_factors_store.add(transaction, member_id, b"sealed", step=1, now=now)
    done = pcs(settings, "admin", "remove-second-factor", email)
    assert (done.returncode, done.stdout.strip()) == (0, f"{email} signs in without a second factor now.")
    assert await running.rows("SELECT 1 FROM second_factors WHERE member_id = :id", id=member_id) == []
    assert (await audited(running))[-1][0] == "removed a second factor"


@pytest.mark.parametrize("said", ["codes.example.com", "ftp://codes.example.com", "https://x.example/path", "https://"])
@pytest.mark.parametrize("name", ["PCS_PUBLIC_URL", "PCS_SANDBOX_PUBLIC_URL"])
def test_a_public_address_that_is_none_is_refused(said: str, name: str) -> None:
    with pytest.raises(OperatorError, match=name):
        Settings.from_environment({name: said})


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({}, "http://127.0.0.1:8000/dashboard"),
        ({"PCS_HOST": "0.0.0.0", "PCS_LIVE_PORT": "81"}, "http://127.0.0.1:81/dashboard"),
        ({"PCS_HOST": "::"}, "http://[::1]:8000/dashboard"),
        ({"PCS_HOST": "::", "PCS_PUBLIC_URL": "https://codes.example.com"}, "https://codes.example.com/dashboard"),
    ],
)
def test_the_dashboard_is_at_its_public_address_or_where_the_service_listens(
    variables: dict[str, str], address: str
) -> None:
    assert Settings.from_environment(variables).dashboard_url == address


async def test_the_threshold_of_review_is_set_at_the_terminal_and_written_down(running: ServiceUnderTest) -> None:
    settings, ours = running.service.settings, ("--organization", running.organization_id)
    done = pcs(settings, "admin", "set-review-below", "0.8", *ours)
    assert done.stdout.strip() == "Answers of Test need review below a confidence of 0.8.", done.stderr
    assert (await running.live.get("/api/v1/me")).json()["organization"]["review_below"] == 0.8
    assert (await audited(running))[-1][::2] == ("set the threshold of review", "from 50% to 80%")
    for wrong in ("1.5", "nan"):
        refused = pcs(settings, "admin", "set-review-below", wrong, *ours)
        assert refused.returncode == 2, refused.stderr
    assert "0.5" in pcs(settings, "admin", "set-review-below", *ours).stdout


async def test_limits_are_set_at_the_terminal_and_written_down(running: ServiceUnderTest) -> None:
    settings, ours = running.service.settings, ("--organization", running.organization_id)
    key = (await running.live.get("/api/v1/me")).json()["api_key"]
    done = pcs(settings, "admin", "set-rate-limit", key["id"], "600")
    assert done.stdout.strip() == f"{key['name']} may send 600 requests a minute.", done.stderr
    assert (await running.live.get("/api/v1/me")).headers["X-RateLimit-Limit"] == "600"
    listed = json.loads(pcs(settings, "admin", "list-keys", *ours, "--json").stdout)
    assert [one["rate_limit"] for one in listed if one["id"] == key["id"]] == [600]
    assert "100 requests" in pcs(settings, "admin", "set-rate-limit", key["id"]).stdout
    done = pcs(settings, "admin", "set-credit-limit", "0", *ours)
    assert done.stdout.strip() == "Test may consume 0 credits in all.", done.stderr
    body = {"product": {"name": "Mug"}, "schedules": ["US-HTS"]}
    assert (await running.live.post("/api/v1/products/classify", json=body)).status_code == 402
    assert pcs(settings, "admin", "set-credit-limit", *ours).stdout.strip() == "Test has no credit limit."
    assert [entry[::2] for entry in (await audited(running))[-4:]] == [
        ("set an API key's rate limit", f"a test's (…{key['last_four']}): 600 requests a minute"),
        ("set an API key's rate limit", f"a test's (…{key['last_four']}): the service's own limit"),
        ("set the credit limit", "from no limit to 0 credits"),
        ("set the credit limit", "from 0 credits to no limit"),
    ]
    for wrong in (("set-rate-limit", key["id"], "0"), ("set-credit-limit", "many", *ours)):
        assert pcs(settings, "admin", *wrong).returncode == 2


async def test_a_promise_is_made_shown_and_withdrawn_at_the_terminal(
    running: ServiceUnderTest,
) -> None:
    settings, ours = running.service.settings, ("--organization", running.organization_id)
    made = pcs(settings, "admin", "promise", "set", "--right", "0.9", "--asked-share", "0.1", *ours)
    told = "Of the answers taken without a look, 90 % are right at 6 digits, said with 90 % certainty."
    assert made.stdout.splitlines()[0] == told, made.stderr
    assert "US-HTS: Not yet: 30 more reviews are missing beside 0 reviews." in made.stdout
    assert (await running.live.get("/api/v1/promise")).json()["asked_share"] == 0.1
    assert (await running.sandbox.get("/api/v1/promise")).status_code == 404
    assert pcs(settings, "admin", "promise", "show", *ours).stdout == made.stdout
    for wrong in ("95", "1", "nan"):
        assert pcs(settings, "admin", "promise", "set", "--right", wrong, *ours).returncode == 2
    assert pcs(settings, "admin", "promise", "set", "--digits", "5", *ours).returncode == 1
    assert pcs(settings, "admin", "promise", "withdraw", *ours).stdout == "Nothing is promised any more.\n"
    assert pcs(settings, "admin", "promise", "show", *ours).returncode == 1
    assert [one[::2] for one in await audited(running)] == [
        ("set the promise", "90% right at 6 digits, 10% asked about (live)"),
        ("withdrew the promise", "live"),
    ]
