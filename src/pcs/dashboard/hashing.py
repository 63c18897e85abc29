"""Passwords, hashed off the event loop. The trap: a hundred sign-ins at once take 19 MiB each and every processor; at
most two run at a time, the rest wait."""

from __future__ import annotations

import asyncio

from pcs.organizations import passwords

_AT_ONCE = 2


class Hasher:
    """Makes and checks hashes for one process."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._nobodys: str | None = None

    async def hashed(self, password: str) -> str:
        """What to store of a password."""
        async with self._places:
            return await asyncio.to_thread(passwords.hashed, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Whether a password is right; where nothing is stored, no, and that takes as long."""
        if self._nobodys is None:
            self._nobodys = await self.hashed("nobody's password")
        async with self._places:
            right = await asyncio.to_thread(passwords.matches, stored or self._nobodys, password)
        return right and stored is not None
