"""Keys derived from the one secret of an installation, one a purpose (HKDF-SHA256, RFC 5869).

The trap: a ciphertext moved to another tenant's row must not open there, so whose it is goes into the seal."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pcs.base.errors import OperatorError

_NONCE_BYTES = 12  # NIST SP 800-38D, section 8.2


_CHANGED = "pcs2:"
_FINGERPRINTED = "the secret key of this database"


class Secrets:
    """What an installation signs, hashes and seals with."""

    __slots__ = ("_digest_key", "_seal", "fingerprint")

    def __init__(self, master: str) -> None:
        sealing, digesting = _parts(master)
        self._digest_key = _derive(digesting, b"pcs api key digest v1")
        self._seal = AESGCM(_derive(sealing, b"pcs seal v1"))
        key = self._digest_key if sealing == digesting else _derive(sealing, b"pcs fingerprint v1")
        self.fingerprint = hmac.new(key, _FINGERPRINTED.encode(), hashlib.sha256).digest()

    def digest(self, token: str) -> bytes:
        """HMAC-SHA256 of a token, which is all that is stored of it."""
        return hmac.new(self._digest_key, token.encode(), hashlib.sha256).digest()

    def seal(self, plain: str, *, owner: str) -> bytes:
        """Encrypt for one owner (AES-256-GCM); only `open` with the same owner reads it."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._seal.encrypt(nonce, plain.encode(), owner.encode())

    def open(self, sealed: bytes, *, owner: str) -> str:
        """Decrypt what `seal` made. Raises OperatorError when the secret key changed meanwhile."""
        try:
            plain = self._seal.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], owner.encode())
        except InvalidTag:
            msg = "A stored secret cannot be read: PCS_SECRET_KEY is not the one that it was stored under."
            raise OperatorError(msg) from None
        return plain.decode()


def changed_key(master: str) -> str:
    """Another secret key that seals with fresh randomness and knows every digest that the old one made.

    Digests are of long random tokens, so who learns their key learns none of them; what is sealed is encrypted again.
    """
    return f"{_CHANGED}{secrets.token_urlsafe(32)}:{_parts(master)[1]}"


def _parts(master: str) -> tuple[str, str]:
    """What a key seals with, and what it digests with: the same until the key was changed."""
    if not master.startswith(_CHANGED):
        return master, master
    sealing, _, digesting = master.removeprefix(_CHANGED).partition(":")
    if not sealing or not digesting:
        msg = "PCS_SECRET_KEY is only a part of a changed key: give it whole."
        raise OperatorError(msg)
    return sealing, digesting


def _derive(master: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(master.encode())


def kept_secret(path: Path) -> str:
    """The secret kept in a file only its owner reads; made at first use, by exactly one of those who ask at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.read_text(encoding="ascii").strip() if path.exists() else _keep(path, secrets.token_urlsafe(32))
    except OSError as error:
        msg = f"The secret key file {path} cannot be used ({error.strerror}): set PCS_SECRET_KEY or PCS_DATA_DIR."
        raise OperatorError(msg) from None


def drafted_secret(path: Path, secret: str) -> Path:
    """A file beside `path`, for its owner only, that holds a secret which is to take its place."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret)
    return draft


def _keep(path: Path, secret: str) -> str:
    draft = drafted_secret(path, secret)
    try:
        os.link(draft, path)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    finally:
        draft.unlink()
    return secret
