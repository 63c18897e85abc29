"""Whom root becomes before it starts a database. The trap: `nobody` cannot enter a private home; ask first."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from pcs.base.errors import OperatorError


class PopenUser(TypedDict, total=False):
    """Arguments of `subprocess.Popen` that change the user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class User:
    """An operating system user; `stepped_down` where it is not the one we run as."""

    uid: int
    gid: int
    stepped_down: bool

    def own(self, path: Path) -> None:
        """Give a file or folder to the user."""
        if self.stepped_down:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def as_popen(self) -> PopenUser:
        """How to start a process as this user and in no other group."""
        return PopenUser(user=self.uid, group=self.gid, extra_groups=[]) if self.stepped_down else PopenUser()


def unprivileged_user() -> User:
    """Ourselves, or `nobody` where we are root. Raises OperatorError where there is no such user."""
    if os.geteuid() != 0:
        return User(uid=os.geteuid(), gid=os.getegid(), stepped_down=False)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        msg = "There is no user `nobody` to run PostgreSQL as: do not run as root, or set PCS_DATABASE_URL."
        raise OperatorError(msg) from None
    return User(uid=nobody.pw_uid, gid=nobody.pw_gid, stepped_down=True)


def reachable(path: Path, user: User) -> bool:
    """Whether the user can enter a folder or execute a file, and every folder above it."""
    command = ["/bin/sh", "-c", 'test -r "$1" && test -x "$1"', "sh", str(path)]
    return subprocess.run(command, check=False, cwd="/", **user.as_popen()).returncode == 0  # noqa: S603
