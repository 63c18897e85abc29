"""What every process of an installation must share, wherever it runs: one database and one secret key.

The trap: a second host with a key of its own, which would know no API key and could open no webhook secret. So the
database remembers by which key its secrets were stored, and others are refused at the start."""

from __future__ import annotations

import hmac

from sqlalchemy import text

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.secrets import Secrets

_REMEMBER = text("INSERT INTO installation VALUES ('secret key', :digest) ON CONFLICT DO NOTHING")
_REPLACE = text("UPDATE installation SET value = :digest WHERE name = 'secret key'")
_RECALL = text("SELECT value FROM installation WHERE name = 'secret key'")


async def require_same_secret(transaction: Transaction, secrets: Secrets) -> None:
    """Let in only who has the secret key of the first who came. Raises OperatorError."""
    await transaction.execute(_REMEMBER, {"digest": secrets.fingerprint})
    known: bytes = (await transaction.execute(_RECALL)).scalar_one()
    if not hmac.compare_digest(secrets.fingerprint, known):
        msg = (
            "This database was set up under another secret key: give every host the same PCS_SECRET_KEY, "
            "or the same secret.key file in its data folder."
        )
        raise OperatorError(msg)


async def remember_changed_secret(transaction: Transaction, secrets: Secrets) -> None:
    """From now on only who has this secret key is let in."""
    await transaction.execute(_REPLACE, {"digest": secrets.fingerprint})
