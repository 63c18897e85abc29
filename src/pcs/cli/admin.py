"""`pcs admin`: what an operator does to organizations, administrators and keys.

The trap: a key or password printed where it is kept; each is shown once, on the terminal, and stored only as a hash."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import secrets
from typing import Annotated

import typer

from pcs.base.clock import rfc3339
from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.installation import remember_changed_secret
from pcs.base.plurals import counted
from pcs.base.queue import workers_alive
from pcs.base.secrets import Secrets, changed_key, drafted_secret, kept_secret
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment, Tenant
from pcs.bootstrap import Service
from pcs.cli import limits, promise, second_factors
from pcs.cli.options import AsJson, a_number
from pcs.cli.output import print_json, print_table, say
from pcs.cli.process import operator
from pcs.cli.transactions import OrganizationOption, in_transaction, organization_id
from pcs.organizations import audit, members, passwords
from pcs.organizations import second_factors as factors
from pcs.organizations import service as organizations
from pcs.organizations.members import checked_email
from pcs.organizations.model import FULL_ACCESS, READ_ONLY, ApiKey, NewKey, Organization, Role
from pcs.organizations.people import Action
from pcs.webhooks import endpoints, history

app = typer.Typer(help="Organizations, administrators and API keys.", no_args_is_help=True)
app.add_typer(promise.app, name="promise")
app.command("set-rate-limit")(limits.set_rate_limit)
app.command("set-credit-limit")(limits.set_credit_limit)
app.command("remove-second-factor")(second_factors.remove_second_factor)


@app.command("create-organization")
def create_organization(
    name: Annotated[str, typer.Argument(help="What it is called, such as 'Acme Imports'.")], *, as_json: AsJson = False
) -> None:
    """Create an organization and print its id."""
    wanted = _given("NAME", name)

    async def work(service: Service, transaction: Transaction) -> Organization:
        now = service.clock()
        made = await organizations.create_organization(transaction, wanted, now=now)
        await audit.record(transaction, operator(made.id), Action.ORGANIZATION_CREATED, detail=wanted, now=now)
        return made

    made = in_transaction(work)
    if as_json:
        print_json(_organization(made))
    else:
        say(made.id)


@app.command("list-organizations")
def list_organizations(*, as_json: AsJson = False) -> None:
    """List every organization."""

    async def work(_: Service, transaction: Transaction) -> list[Organization]:
        return await organizations.list_organizations(transaction)

    found = [_organization(one) for one in in_transaction(work)]
    if as_json:
        print_json(found)
    else:
        rows = [tuple("none" if value is None else str(value) for value in one.values()) for one in found]
        print_table(("Id", "Name", "Review below", "Credit limit", "Created"), rows, text=("Name",))


@app.command("set-review-below")
def set_review_below(
    threshold: Annotated[
        float | None,
        typer.Argument(min=0, max=1, callback=a_number, help="From 0 to 1; left out, the service's own holds again."),
    ] = None,
    *,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Set the confidence below which an organization's answers are marked for review, from now on."""

    async def work(service: Service, transaction: Transaction) -> Organization:
        who = operator(await organization_id(transaction, organization))
        return await organizations.set_review_below(transaction, who, threshold, now=service.clock())

    changed = in_transaction(work)
    if as_json:
        print_json(_organization(changed))
    else:
        say(f"Answers of {changed.name} need review below a confidence of {changed.threshold:g}.")


@app.command("create-administrator")
def create_administrator(
    email: Annotated[str, typer.Argument(help="The address that they sign in with.")],
    *,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Create an owner of an organization and show the password, once."""
    address = checked_email(email)
    password = secrets.token_urlsafe(18)
    password_hash = passwords.hashed(password)

    async def work(service: Service, transaction: Transaction) -> str:
        owner_of, now = await organization_id(transaction, organization), service.clock()
        made = await organizations.create_member(
            transaction, owner_of, email=address, password_hash=password_hash, role=Role.OWNER, now=now
        )
        done = Action.ADMINISTRATOR_CREATED
        await audit.record(transaction, operator(owner_of), done, subject=made, detail=address, now=now)
        return made

    member_id = in_transaction(work)
    if as_json:
        print_json({"id": member_id, "email": address, "password": password})
    else:
        say(f"{address}  {password}")


@app.command("password-link")
def password_link(
    email: Annotated[str, typer.Argument(help="The address that they sign in with.")], *, as_json: AsJson = False
) -> None:
    """Make a link for a member to set a new password with and sign in, however many sign-ins failed; it works once."""

    async def work(service: Service, transaction: Transaction) -> str:
        found, now = await members.find_by_email(transaction, email), service.clock()
        if found is None or found[0].disabled_at is not None:
            msg = f"There is no member with the e-mail address {email} who may sign in: see Members in the dashboard."
            raise OperatorError(msg)
        member = found[0]
        token = await members.offer_password(transaction, member, service.secrets, now=now)
        who = operator(member.organization_id)
        await audit.record(transaction, who, Action.RESET_OFFERED, subject=member.id, detail=member.email, now=now)
        return f"{service.settings.dashboard_url}/welcome?token={token}"

    link = in_transaction(work)
    if as_json:
        print_json({"link": link})
    else:
        say(link)


@app.command("create-key")
def create_key(
    name: Annotated[str, typer.Argument(help="What it is for, such as 'Web shop'.")],
    *,
    environment: Annotated[Environment, typer.Option(help="Where the key works.")] = Environment.LIVE,
    read_only: Annotated[bool, typer.Option("--read-only", help="Without any write scope.")] = False,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and print its id and, this once, the key."""
    called = _given("NAME", name)

    async def work(service: Service, transaction: Transaction) -> dict[str, str | int | None]:
        tenant = Tenant(await organization_id(transaction, organization), environment)
        new, now = NewKey(tenant=tenant, name=called, scopes=READ_ONLY if read_only else FULL_ACCESS), service.clock()
        key, token = await organizations.create_key(transaction, new, service.secrets, now=now)
        who, detail = operator(tenant.organization_id), f"{key.name} ({environment}, …{key.last_four})"
        await audit.record(transaction, who, Action.KEY_CREATED, subject=key.id, detail=detail, now=now)
        return {**_key(key, now), "key": token}

    made = in_transaction(work)
    if as_json:
        print_json(made)
    else:
        say(f"{made['id']}  {made['key']}")


@app.command("list-keys")
def list_keys(*, organization: OrganizationOption = None, as_json: AsJson = False) -> None:
    """List an organization's API keys."""

    async def work(service: Service, transaction: Transaction) -> list[dict[str, str | int | None]]:
        owner = await organization_id(transaction, organization)
        return [_key(one, service.clock()) for one in await organizations.list_keys(transaction, owner)]

    found = in_transaction(work)
    if as_json:
        print_json(found)
        return
    columns = ("id", "name", "environment", "last_four", "state", "rate_limit")
    rows = [tuple(str(one[name] or "the service's") for name in columns) for one in found]
    print_table(("Id", "Name", "Environment", "Ends in", "State", "Requests a minute"), rows, text=("Name",))


@app.command("revoke-key")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="The key's id, `key_…`: `pcs admin list-keys` shows it.")],
) -> None:
    """Revoke an API key: requests with it are rejected from now on."""

    async def work(service: Service, transaction: Transaction) -> None:
        owner, now = await organizations.organization_of_key(transaction, key_id), service.clock()
        await organizations.revoke_key(transaction, key_id, owner, now=now)
        await audit.record(transaction, operator(owner), Action.KEY_REVOKED, subject=key_id, now=now)

    in_transaction(work)
    say(f"{key_id} is revoked.")


@app.command("redeliver")
def redeliver(
    *,
    since: Annotated[
        str, typer.Option(help="Deliveries that failed at this time or later, such as 2026-11-22T08:00:00Z.")
    ],
    until: Annotated[str | None, typer.Option(help="Deliveries that failed before this time; now if left out.")] = None,
    environment: Annotated[Environment, typer.Option(help="Whose deliveries.")] = Environment.LIVE,
    organization: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Send failed webhook deliveries again, with the same ids and content, and with retries."""
    first = _moment("--since", since)
    last = _moment("--until", until) if until else in_transaction(_present)  # fixed: what fails is not found again

    async def work(service: Service, transaction: Transaction) -> int:
        tenant = Tenant(await organization_id(transaction, organization), environment)
        now = service.clock()
        found = await history.redeliver_failed(transaction, tenant, since=first, until=last, now=now)
        if found:
            who, detail = operator(tenant.organization_id), f"{found} failed deliveries ({environment})"
            await audit.record(transaction, who, Action.WEBHOOK_REDELIVERED, detail=detail, now=now)
        return found

    sent = 0
    while found := in_transaction(work):
        sent += found
    if as_json:
        print_json({"deliveries": sent})
    else:
        say(f"{counted(sent, 'delivery is', 'deliveries are')} being sent again.")


async def _present(service: Service, _: Transaction) -> dt.datetime:
    return service.clock()


def _moment(option: str, text: str) -> dt.datetime:
    """A moment as written on the command line. Raises OperatorError for one without a time zone."""
    with contextlib.suppress(ValueError):
        parsed = dt.datetime.fromisoformat(text)
        if parsed.tzinfo is not None:
            return parsed
    msg = f"{option} {text} is not valid: give a time with its time zone, such as 2026-11-22T08:00:00Z."
    raise OperatorError(msg)


@app.command("change-secret-key")
def change_secret_key() -> None:
    """Change the installation's secret key; what is stored encrypted is so again, API keys and sessions stay valid.

    Stop the service first, on every host.
    """
    settings = Settings.from_environment(os.environ)
    path = settings.data_dir / "secret.key"
    if settings.secret_key:
        key = changed_key(settings.secret_key)
        say(f"PCS_SECRET_KEY={key}")  # before it is the only one: a terminal may be lost
        sealed = _adopt(key)
        say(f"This is the new secret key; {_encrypted_again(sealed)}. Give it to every host.")
        return
    key = changed_key(kept_secret(path))
    draft = drafted_secret(path, key)
    try:
        sealed = _adopt(key)
    except BaseException:
        draft.unlink()
        raise
    draft.replace(path)
    say(f"The secret key in {path} is changed; {_encrypted_again(sealed)}.")


def _encrypted_again(number: int) -> str:
    return f"{counted(number, 'stored secret is', 'stored secrets are')} encrypted again"


def _adopt(key: str) -> int:
    """Seal with a new key what is sealed, and let in nobody without it; answers how many that is."""

    async def work(service: Service, transaction: Transaction) -> int:
        if await workers_alive(transaction, silence=service.settings.worker_stalled_seconds):
            msg = "Workers are running: stop the service on every host, wait half a minute, then try again."
            raise OperatorError(msg)
        new = Secrets(key)
        await remember_changed_secret(transaction, new)
        for one in await organizations.list_organizations(transaction):
            await audit.record(transaction, operator(one.id), Action.SECRET_KEY_CHANGED, now=service.clock())
        of_webhooks = await endpoints.seal_anew(transaction, service.secrets, new)
        return of_webhooks + await factors.seal_anew(transaction, service.secrets, new)

    return in_transaction(work)


def _organization(one: Organization) -> dict[str, str | float | None]:
    return {
        "id": one.id,
        "name": one.name,
        "review_below": one.threshold,
        "credit_limit": one.credit_limit,
        "created_at": rfc3339(one.created_at),
    }


def _key(one: ApiKey, now: dt.datetime) -> dict[str, str | int | None]:
    return {
        "id": one.id,
        "name": one.name,
        "environment": one.tenant.environment.value,
        "last_four": one.last_four,
        "state": "revoked" if one.revoked_at else "expired" if one.refusal(now) else "active",
        "rate_limit": one.rate_limit,
        "created_at": rfc3339(one.created_at),
    }


def _given(what: str, text: str) -> str:
    """A name without the blanks around it. Raises BadParameter for one that says nothing."""
    if not text.strip():
        msg = f"{what} is empty: give a name, in quotes if it has spaces."
        raise typer.BadParameter(msg)
    return text.strip()
