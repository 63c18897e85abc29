"""What every process of an installation must share, wherever it runs: one database and one secret key.

The trap: a second host with a key of its own, which would know no API key and could open no webhook secret. So the
database remembers by which key its secrets were stored, and others are refused at the start."""

from __future__ import annotations

import hmac

from sqlalchemy import BindParameter, Column, LargeBinary, Table, Text, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from pcs.base.database import Transaction, metadata
from pcs.base.errors import OperatorError
from pcs.base.secrets import Secrets

_installation = Table(
    "installation",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
_DIGEST: BindParameter[bytes] = bindparam("digest")
_IS_SECRET_KEY = _installation.c.name == "secret key"
_REMEMBER = insert(_installation).values(name="secret key", value=_DIGEST).on_conflict_do_nothing()
_REPLACE = update(_installation).values(value=_DIGEST).where(_IS_SECRET_KEY)
_RECALL = select(_installation.c.value).where(_IS_SECRET_KEY)


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
