"""The conversation with a company's identity provider: OpenID Connect, authorization code with PKCE, by Authlib.

The trap: a token that somebody else made; its signature, issuer, audience, time and nonce are checked, and none that is
signed by nothing or by a secret is looked at (OpenID Connect Core 1.0, section 3.1.3.7)."""

from __future__ import annotations

import datetime as dt
import hmac
import secrets as randomness
from dataclasses import dataclass
from typing import Any

import httpx2
import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from pcs.base.errors import RefusalError
from pcs.base.settings import Settings
from pcs.organizations.company import Rules

ANSWERS_AT = "/sign-in/company/answer"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""With a public key only: `none` and HMAC would let whoever knows that key sign."""

_SECONDS = 10
_LEEWAY = 60
_DISCOVERY_LASTS = dt.timedelta(minutes=10)
_FAILURES = (
    AuthlibBaseError,
    JoseError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
_log = structlog.get_logger(__name__)


class ProviderError(RefusalError):
    """The provider could not be asked, or its answer is not to be trusted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is remembered of a question to the provider, in the browser that takes it there."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> Asked:
        """Fresh ones, each of 256 bits."""
        return cls(*(randomness.token_urlsafe(32) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Person:
    """Who the provider says is there; `proven_at` is when they showed that, None where it does not say."""

    email: str
    name: str
    proven_at: dt.datetime | None


class Provider:
    """One provider. What it publishes of itself is kept for ten minutes; its keys are asked for at each sign-in."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._document: dict[str, Any] = {}
        self._known_until = dt.datetime.min.replace(tzinfo=dt.UTC)

    async def address(self, asked: Asked, *, again: bool, now: dt.datetime) -> str:
        """Where to send the browser; with `again` they prove themselves anew. Raises ProviderError."""
        anew = {"prompt": "login", "max_age": "0"} if again else {}
        try:
            document = await self._published(now)
            async with self._client() as client:
                url, _ = client.create_authorization_url(
                    document["authorization_endpoint"],
                    state=asked.state,
                    nonce=asked.nonce,
                    code_verifier=asked.verifier,
                    **anew,
                )
        except _FAILURES as error:
            raise _refusal(error) from None
        return str(url)

    async def person(self, asked: Asked, answer: dict[str, str], *, now: dt.datetime) -> Person:
        """Who came back with this answer. Raises ProviderError."""
        if not hmac.compare_digest(answer.get("state", "").encode(), asked.state.encode()) or "code" not in answer:
            raise _refusal(ValueError(f"state or code missing: {answer.get('error', 'no error')}"))
        try:
            document = await self._published(now)
            if answer.get("iss", document["issuer"]) != document["issuer"]:  # RFC 9207
                msg = "the answer is of another issuer"
                raise ValueError(msg)
            claims = await self._claims(document, asked, answer["code"], now)
            return _person(claims, now)
        except _FAILURES as error:
            raise _refusal(error) from None

    async def _claims(self, document: dict[str, Any], asked: Asked, code: str, now: dt.datetime) -> CodeIDToken:
        async with self._client() as client:
            given = await client.fetch_token(
                document["token_endpoint"], grant_type="authorization_code", code=code, code_verifier=asked.verifier
            )
        keys = KeySet.import_key_set(await _fetched(document["jwks_uri"]))
        token = jwt.decode(given["id_token"], keys, algorithms=ALGORITHMS)
        ours = {
            "iss": {"essential": True, "value": self._settings.oidc_issuer},
            "aud": {"essential": True, "value": self._settings.oidc_client_id},
        }
        known = {
            "nonce": asked.nonce,
            "client_id": self._settings.oidc_client_id,
            "access_token": given["access_token"],
        }
        claims = CodeIDToken(token.claims, token.header, ours, known)
        claims.validate(now=int(now.timestamp()), leeway=_LEEWAY)
        return claims

    async def _published(self, now: dt.datetime) -> dict[str, Any]:
        if now >= self._known_until:
            issuer = self._settings.oidc_issuer
            document = await _fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
            _check_published(document, issuer)
            self._document, self._known_until = document, now + _DISCOVERY_LASTS
        return self._document

    def _client(self) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            self._settings.oidc_client_id,
            self._settings.oidc_client_secret or None,
            scope="openid email profile",
            redirect_uri=f"{self._settings.dashboard_url}{ANSWERS_AT}",
            code_challenge_method="S256",
            timeout=_SECONDS,
        )


def provider_of(settings: Settings) -> Provider | None:
    """The provider of an installation, None without. Raises OperatorError for settings that do not go together."""
    Rules.of(settings)
    return Provider(settings) if settings.oidc_issuer else None


def _check_published(document: dict[str, Any], issuer: str) -> None:
    """See that a provider speaks of itself, and keeps to TLS (OpenID Connect Discovery 1.0, section 4.3)."""
    if document["issuer"] != issuer:
        msg = f"it calls itself {document['issuer']}"
        raise ValueError(msg)
    scheme = issuer.partition(":")[0]
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        if not str(document[name]).startswith(("https://", f"{scheme}://")):
            msg = f"its {name} is not https"
            raise ValueError(msg)


def _person(claims: CodeIDToken, now: dt.datetime) -> Person:
    if claims.get("email_verified") is not True or not isinstance(claims.get("email"), str):
        msg = "it does not say that the e-mail address is verified"
        raise ValueError(msg)
    proven, name = claims.get("auth_time"), claims.get("name")
    at = None if proven is None else min(now, dt.datetime.fromtimestamp(proven, dt.UTC))
    return Person(claims["email"], name if isinstance(name, str) else "", at)


async def _fetched(url: str) -> Any:  # noqa: ANN401 (JSON)
    async with httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client:
        answer = await client.get(url, headers={"Accept": "application/json"})
    answer.raise_for_status()
    return answer.json()


def _refusal(error: Exception) -> ProviderError:
    _log.warning("identity provider", kind=type(error).__name__, reason=str(error))
    return ProviderError(
        "Signing in with your company's account did not work. Try again; if it stays so, tell whoever runs this "
        "service: its log says why."
    )
