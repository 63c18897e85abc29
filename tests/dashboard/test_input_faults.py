"""What comes from outside is refused in words; it is never a fault of ours, and never the database's."""

import logging
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from builders import ServiceUnderTest
from dashboard.visitor import OURS, Office
from own_modules import own_modules
from pcs.base.database import is_unavailable
from pcs.base.errors import RefusalError
from pcs.dashboard.app import create_dashboard
from pcs.dashboard.provider import ProviderError
from pcs.dashboard.visit import ForeignFormError
from pcs.http.errors import KINDS, kind_of, refusal_response


def refusals(of: type[RefusalError] = RefusalError) -> Iterator[type[RefusalError]]:
    for one in of.__subclasses__():
        yield one
        yield from refusals(one)


def test_every_refusal_has_its_row_in_the_table_of_errors() -> None:
    assert len(list(own_modules())) > 100
    ours = {one for one in refusals() if one.__module__.startswith("pcs.")}
    assert len(ours) > 15
    assert ours - set(KINDS) == {ForeignFormError, ProviderError}, "forms and providers are only the dashboard's"
    for one in ours:
        assert 400 <= kind_of(one).status < 600


def test_a_refusal_that_nobody_entered_is_no_fault() -> None:
    class NewError(RefusalError):
        """Nobody has thought of it yet."""

    assert refusal_response(NewError("not like this"), "req_1").status_code == 409


async def test_a_value_that_the_database_cannot_take_is_not_taken_for_its_absence(running: ServiceUnderTest) -> None:
    with pytest.raises(DBAPIError) as raised:
        async with running.service.database.begin() as transaction:
            await transaction.execute(text("SELECT CAST(:value AS text)"), {"value": "a\x00b"})
    assert not is_unavailable(raised.value)


async def test_a_nul_in_a_form_or_an_address_is_left_out(office: Office) -> None:
    visitor = office.visitor()
    await visitor.open("/dashboard/sign-in")
    answer = await visitor.send("/dashboard/sign-in", email="a\x00b@example.com", password="wrong\x00 password")
    assert answer.status_code < 500, visitor.text
    assert "do not go together" in visitor.text
    newcomer = await visitor.open(f"/dashboard/welcome?token={await office.first_token()}%00")
    assert newcomer.status_code == 200
    member = await office.signed_in()
    assert (await member.open("/dashboard/live/classifications/clf_%00")).status_code == 404
    assert (await member.open("/dashboard/live/uploads/upload_%00")).status_code == 404


@pytest.mark.parametrize(
    "after",
    [
        "1e39~x",
        "1e39~clf_01jx0000000000000000000000",
        "nan~x",
        "-inf~clf_01jx0000000000000000000000",
        "0.5~%00",
        "x",
        "~",
    ],
)
async def test_any_place_in_a_list_is_a_place_or_the_beginning(office: Office, after: str) -> None:
    visitor = await office.signed_in()
    for sort in ("doubtful", "newest", "oldest"):
        page = await visitor.open(f"/dashboard/live/classifications?sort={sort}&after={after}")
        assert page.status_code == 200


async def test_a_browser_that_goes_away_in_the_middle_of_a_form_is_no_fault(
    running: ServiceUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    async def half() -> AsyncIterator[dict[str, object]]:
        yield {"type": "http.request", "body": b"email=a", "more_body": True}
        while True:
            yield {"type": "http.disconnect"}

    messages = half()
    headers = [(name.lower().encode(), value.encode()) for name, value in OURS.items()]
    headers += [(b"content-type", b"application/x-www-form-urlencoded"), (b"host", b"test"), (b"content-length", b"99")]
    scope = {"type": "http", "method": "POST", "path": "/dashboard/sign-in", "headers": headers, "query_string": b""}
    scope |= {"client": ("127.0.0.1", 1), "server": ("test", 80), "scheme": "http", "http_version": "1.1"}

    async def send(_: object) -> None: ...

    await create_dashboard(running.service)(scope, messages.__anext__, send)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
