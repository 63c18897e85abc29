"""An identity provider on this machine: a discovery document, a key set, an authorization page and a token endpoint.
The trap: a double that takes anything; it asks for the client's secret, the code, its verifier and the address."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET = "pcs-dashboard", "a secret of the test's client"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"}, private=True)
OTHER = RSAKey.generate_key(2048, {"kid": "two", "use": "sig", "alg": "RS256"}, private=True)

Claims = dict[str, Any]
Sign = Callable[[Claims], str]


def signed(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)


def by_another_key(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "two"}, claims, OTHER)


def by_another_key_of_the_same_name(claims: Claims) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, OTHER)


def by_the_public_key(claims: Claims) -> str:
    public = OctKey.import_key(KEY.as_pem(private=False))
    return jwt.encode({"alg": "HS256", "kid": "one"}, claims, public, algorithms=["HS256"])


def by_nothing(claims: Claims) -> str:
    parts = [json.dumps({"alg": "none"}), json.dumps(claims)]
    return ".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts) + "."


@dataclass
class ProviderServer:
    """What it says of whoever comes; `claims` go over the usual ones, those that are None are left out."""

    claims: Claims = field(default_factory=dict)
    sign: Sign = signed
    published: Claims = field(default_factory=dict)
    clock: Callable[[], float] = time.time
    asked: list[dict[str, str]] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __enter__(self) -> Self:
        ours = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(*ours.shown(self.path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(*ours.exchanged(self.headers.get("Authorization", ""), body))

            def _answer(self, status: int, said: Any) -> None:
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", said)
                body = json.dumps(said).encode()
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing: the terminal is the tests'."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/realms/acme"

    def shown(self, path: str) -> tuple[int, Any]:
        parts = urlsplit(path)
        if parts.path == "/realms/acme/.well-known/openid-configuration":
            here = {name: f"{self.issuer}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
            return 200, {"issuer": self.issuer, **here, **self.published}
        if parts.path == "/realms/acme/jwks_uri":
            return 200, {"keys": [KEY.as_dict(private=False)]}
        if parts.path == "/realms/acme/authorization_endpoint":
            return self._authorized({name: values[0] for name, values in parse_qs(parts.query).items()})
        return 404, {}

    def _authorized(self, asked: dict[str, str]) -> tuple[int, Any]:
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        self.asked.append(asked)
        code = f"code-{len(self.asked)}"
        self._codes[code] = asked
        return 302, f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def exchanged(self, authorization: str, body: str) -> tuple[int, Any]:
        given = {name: values[0] for name, values in parse_qs(body).items()}
        asked = self._codes.pop(given.get("code", ""), None)
        right = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != f"Basic {right}":
            return 401, {"error": "invalid_client"}
        challenge = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        if (
            asked is None
            or base64.urlsafe_b64encode(challenge).rstrip(b"=").decode() != asked["code_challenge"]
            or given.get("redirect_uri") != asked["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "an access token", "token_type": "Bearer", "id_token": self._token(asked)}

    def _token(self, asked: dict[str, str]) -> str:
        now = int(self.clock())
        usual = {
            "iss": self.issuer,
            "sub": "somebody",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            "email": "jo@acme.example",
            "email_verified": True,
            "name": "Jo Doe",
        }
        if "max_age" in asked:
            usual["auth_time"] = now
        return self.sign({name: value for name, value in {**usual, **self.claims}.items() if value is not None})
