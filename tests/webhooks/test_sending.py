"""What a hostile or broken receiver can do to a send, on real sockets: never more than its time and its bytes."""

import asyncio
import datetime as dt
import ipaddress
import ssl
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from builders import ServiceUnderTest
from pcs.webhooks.addresses import Address, AddressPolicy
from pcs.webhooks.model import Attempt
from pcs.webhooks.resolving import Resolve, UnresolvedError, check_reachable, resolve
from pcs.webhooks.transport import Sending, Transport
from receiver import Receiver, serving

LOOPBACK = ipaddress.ip_network("127.0.0.0/8")
OPEN = AddressPolicy(allow_http=True, allowed_private=(LOOPBACK,))
NOW = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


async def send(url: str, *, policy: AddressPolicy = OPEN, seconds: float = 1.0, resolver: Resolve = resolve) -> Attempt:
    transport = Transport(policy, timeout_seconds=seconds, resolver=resolver)
    try:
        return await transport.send(Sending(url, {"Content-Type": "application/json"}, b"{}"), now=NOW)
    finally:
        await transport.close()


async def test_of_an_answer_of_ten_gigabytes_hardly_anything_is_read() -> None:
    sent = 0

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        while sent < 10_000_000_000:
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 65536

    async with serving(flood) as port:
        attempt = await send(f"http://127.0.0.1:{port}/")
        await asyncio.sleep(0.1)
    assert attempt.response_status == 200
    assert attempt.response_body == "x" * 2048
    assert sent < 20_000_000, "what the sockets' own buffers take, and no more"


async def test_endless_headers_are_not_read_to_the_end() -> None:
    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-More: " + b"x" * 1000 + b"\r\n")
            await writer.drain()

    async with serving(flood) as port:
        attempt = await send(f"http://127.0.0.1:{port}/")
    assert attempt.response_status is None
    assert attempt.error is not None


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
async def test_an_answer_that_drips_is_cut_off_in_time(head: bytes) -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b"X")
            await writer.drain()
            await asyncio.sleep(0.05)

    started = time.monotonic()
    async with serving(drip) as port:
        attempt = await send(f"http://127.0.0.1:{port}/", seconds=0.5)
    assert time.monotonic() - started < 3
    assert not attempt.succeeded
    assert attempt.error == "no answer within 0.5 s"


async def test_a_status_counts_even_where_the_body_breaks_off() -> None:
    async def stop_short(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nthank")
        await writer.drain()

    async with serving(stop_short) as port:
        attempt = await send(f"http://127.0.0.1:{port}/")
    assert attempt.succeeded
    assert attempt.response_body == "thank"
    assert attempt.error is not None


@pytest.mark.parametrize("answer", [b"", b"\x00\xff\xfe garbage\r\n\r\n", b"SSH-2.0-OpenSSH_9.6\r\n"])
async def test_what_speaks_no_http_is_a_failure_in_words(answer: bytes) -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    async with serving(babble) as port:
        attempt = await send(f"http://127.0.0.1:{port}/")
    assert attempt.response_status is None
    assert attempt.error is not None


async def test_nobody_listening_is_a_failure_in_words() -> None:
    attempt = await send("http://127.0.0.1:9999/")
    assert attempt.error == "could not connect"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_a_private_address_is_recorded_and_not_followed(status: int, receiver: Receiver) -> None:
    async def redirect(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = receiver.url.encode()
        writer.write(b"HTTP/1.1 %d X\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, target))
        await writer.drain()

    async with serving(redirect) as port:
        attempt = await send(f"http://127.0.0.1:{port}/")
    assert attempt.response_status == status
    assert not attempt.succeeded
    assert receiver.received == []


def answering(*answers: str) -> tuple[Resolve, list[str]]:
    """A resolver that says something else each time, and whom it was asked about."""
    remaining, asked = list(answers), []

    async def resolver(host: str, port: int) -> list[Address]:
        asked.append(f"{host}:{port}")
        return [ipaddress.ip_address(one) for one in remaining.pop(0).split()]

    return resolver, asked


async def test_a_name_that_turns_private_after_the_check_is_refused_at_connect(receiver: Receiver) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    resolver, asked = answering("93.184.215.14", "127.0.0.1")
    url = f"http://hooks.example.com:{port}/hook"
    policy = AddressPolicy(allow_http=True)
    await check_reachable(policy, url, resolver=resolver)
    attempt = await send(url, policy=policy, resolver=resolver)
    assert attempt.error == "refused: the URL must point to a public address, not to 127.0.0.1"
    assert asked == [f"hooks.example.com:{port}"] * 2
    assert receiver.received == []


async def test_one_private_address_among_public_ones_is_enough_to_refuse(receiver: Receiver) -> None:
    resolver, _ = answering("93.184.215.14 ::ffff:127.0.0.1")
    attempt = await send("http://hooks.example.com/", policy=AddressPolicy(allow_http=True), resolver=resolver)
    assert "not to 127.0.0.1" in (attempt.error or "")
    assert receiver.received == []


async def test_the_very_address_that_was_checked_is_dialled_and_asked_for_once(receiver: Receiver) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    resolver, asked = answering("127.0.0.9 127.0.0.1")  # nobody listens on the first: the second is tried
    attempt = await send(f"http://hooks.example.com:{port}/hook", resolver=resolver)
    assert attempt.response_status == 200
    assert receiver.received[0].headers["host"] == f"hooks.example.com:{port}"
    assert len(asked) == 1


async def test_a_name_that_does_not_resolve_or_is_slow_to_is_a_failure_in_words() -> None:
    async def unknown(host: str, port: int) -> list[Address]:
        raise UnresolvedError(host, port)

    async def slow(host: str, port: int) -> list[Address]:
        await asyncio.sleep(60)
        return [ipaddress.ip_address(f"127.0.0.{len(host) + port}")]

    assert (await send("http://hooks.example.com/", resolver=unknown)).error is not None
    assert (await send("http://hooks.example.com/", resolver=slow, seconds=0.2)).error == "no answer within 0.2 s"
    assert "cannot be resolved" in ((await send("http://no.such.name.invalid/", seconds=5)).error or "")


def certificate(folder: Path, name: str) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate of a name, and a server's context that shows it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    today = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return path, context


async def test_a_certificate_must_be_trusted_and_the_name_s_own(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, context = certificate(tmp_path, "hooks.example.com")

    async def thank(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()

    async with serving(thank, tls=context) as port:
        resolver, _ = answering("127.0.0.1", "127.0.0.1", "127.0.0.1")
        attempt = await send(f"https://hooks.example.com:{port}/", resolver=resolver)
        assert (attempt.error or "").startswith("the certificate is not trusted: self-signed")
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        attempt = await send(f"https://other.example.com:{port}/", resolver=resolver)
        assert "not valid for 'other.example.com'" in (attempt.error or "")
        attempt = await send(f"https://hooks.example.com:{port}/", resolver=resolver)
        assert attempt.response_status == 204
    assert receiver.received == []


async def test_proxies_of_the_environment_are_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert (await send(receiver.url)).response_status == 200


async def test_a_refused_send_is_recorded_with_its_reason(running: ServiceUnderTest) -> None:
    url = "http://169.254.169.254/latest/meta-data/"
    await running.run(
        """INSERT INTO webhook_endpoints VALUES
           (:id, 'live', :url, NULL, NULL, NULL, '{classification.completed}', true, now(), now())""",
        id=running.organization_id,
        url=url,
    )
    await running.classify()
    await running.work()
    listed = (await running.live.get("/api/v1/webhooks/deliveries")).json()["data"]
    assert [(one["status"], one["attempts"], one["last_response_status"]) for one in listed] == [("pending", 1, None)]
    assert listed[0]["last_error"] == "refused: the URL must point to a public address, not to 169.254.169.254"
