"""How often a password may be guessed: counted before it is tried, in one statement, so that no hurry passes it.

The traps: a lock that keeps the owner out as long as somebody guesses; so delays grow and end, a place that guesses
uses up its own guesses first, and a browser that has signed in before has guesses of its own (OWASP, Slow Down Online
Guessing Attacks with Device Cookies). And a success that forgives others' failures; it gives back its own."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass

from pcs.base.database import Transaction
from pcs.organizations import guesses_store as store
from pcs.organizations.people import Session, ThrottledError

_OWN = 10
_SHARED = 50
_FORGOTTEN = dt.timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Guess:
    """What one guess is counted under: `own` begins anew after a success, `shared` counts others' too."""

    own: str
    shared: tuple[str, ...] = ()

    @property
    def buckets(self) -> dict[str, int]:
        """Each bucket with the guesses that it has before delays begin."""
        return {self.own: _OWN} | dict.fromkeys(self.shared, _SHARED)


def at_sign_in(*, email: str, address: str, browser: str | None) -> Guess:
    """A sign-in; `browser` is the mark of one that has signed in under this e-mail address before, None without."""
    if browser is not None:
        return Guess(f"browser:{browser}")
    account, place = email.strip().lower(), _place(address)
    return Guess(f"account:{account} place:{place}", (f"account:{account}", f"place:{place}"))


def inside(session: Session) -> Guess:
    """A password asked for again of somebody who is signed in: nobody else can use these guesses up."""
    return Guess(f"session:{session.id}")


def at_provider(address: str) -> Guess:
    """An answer of the identity provider, brought from a network address."""
    return Guess(f"provider place:{_place(address)}")


def of_code(member_id: str) -> Guess:
    """A code of a second factor: whoever comes so far knows the password, so there is one bucket a member."""
    return Guess(f"factor:{member_id}")


def _place(address: str) -> str:
    """A network address; one subscriber's IPv6 network counts as one.

    >>> _place("192.0.2.7"), _place("2001:db8:1:2:3::4"), _place("unknown")
    ('192.0.2.7', '2001:db8:1:2::/64', 'unknown')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))


async def count(transaction: Transaction, guess: Guess, *, now: dt.datetime) -> None:
    """Count a guess that is about to be tried. Raises ThrottledError, which has to end the transaction uncounted."""
    when = {"now": now, "forgotten": now - _FORGOTTEN}
    wait = await store.wait(transaction, guess.buckets, **when)  # a flood ends here, and holds up nobody's count
    if not wait and not await store.count(transaction, guess.buckets, **when):
        wait = max(1, await store.wait(transaction, guess.buckets, **when))
    if wait:
        raise ThrottledError(wait)


async def forgive(transaction: Transaction, guess: Guess) -> None:
    """The guess was right: its own bucket begins anew, the shared ones get back this guess and no other."""
    await store.forgive(transaction, guess.own, guess.shared)


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Forget what began a day ago."""
    await store.forget(transaction, before=now - _FORGOTTEN)
