"""Where webhooks may not go, each with its reason. From OWASP's SSRF cheat sheet, PayloadsAllTheThings and the RFCs."""

import ipaddress

import pytest

from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError
from pcs.webhooks.resolving import UnresolvedError, check_reachable

SCHEME = "must start with https://"
USER = "must not carry a user name or password"
PRIVATE = "must point to a public address"
LOCAL = "must not point to the local name"
NAME = "must name a host by letters, digits, dots and hyphens"
HOST = "must name a host"
CHARACTERS = "must be a URL of printable ASCII characters"
PORT = "which belongs to another protocol"
INVALID = "must be a valid URL"

HOSTILE = {
    # other schemes, and schemes that are none
    "http://example.com/": SCHEME,
    "ftp://example.com/": SCHEME,
    "file:///etc/passwd": SCHEME,
    "gopher://127.0.0.1:25/_MAIL": SCHEME,
    "dict://127.0.0.1:11211/stat": SCHEME,
    "jar:https://127.0.0.1!/": SCHEME,
    "javascript:alert(1)": SCHEME,
    "data:text/plain,x": SCHEME,
    "//example.com/": SCHEME,
    "example.com/hook": SCHEME,
    # no host, or a host that hides behind another
    "https://": HOST,
    "https:///path": HOST,
    "https:example.com": HOST,
    "https://:443/": HOST,
    "https://user@example.com/": USER,
    "https://user:secret@example.com/": USER,
    "https://example.com@127.0.0.1/": USER,
    "https://example.com:80;@127.0.0.1:80@example.com/": USER,
    "https://@127.0.0.1/": USER,
    "https://example.com#@127.0.0.1/": "must not carry a fragment",
    "https://example.com\\@127.0.0.1/": CHARACTERS,
    "https://exa mple.com/": CHARACTERS,
    "https://example.com/\r\nX-Injected: 1": CHARACTERS,
    "https://example.com\t/": CHARACTERS,
    "https://example.com\x00.evil.com/": CHARACTERS,
    "https://①②⑦.⓪.⓪.①/": CHARACTERS,
    "https://example。com/": CHARACTERS,
    "https://%31%32%37.0.0.1/": NAME,
    "https://127.0.0.1%2f.example.com/": NAME,
    "https://127.0.0.1%00.example.com/": NAME,
    "https://-example.com/": NAME,
    "https://example..com/": NAME,
    "https://" + "a" * 64 + ".example.com/": NAME,
    "https://" + "a." * 127 + "com/": NAME,
    "https://1.2.3.4.5/": NAME,
    "https://example.0x7f/": NAME,
    "https://[::1/": INVALID,
    "https://[v1.fe80]/": INVALID,
    "https://example.com:99999/": INVALID,
    "https://example.com:x/": INVALID,
    "https://example.com/" + "a" * 2048: "must have at most 2048 characters",
    # ports of other protocols
    "https://example.com:22/": PORT,
    "https://example.com:25/": PORT,
    "https://example.com:6667/": PORT,
    # names of this machine or its network
    "https://localhost/": LOCAL,
    "https://LOCALHOST./": LOCAL,
    "https://anything.localhost/": LOCAL,
    "https://printer/": LOCAL,
    "https://metadata.google.internal/computeMetadata/v1/": LOCAL,
    "https://router.home.arpa/": LOCAL,
    "https://nas.local/": LOCAL,
    "https://hidden.onion/": LOCAL,
    # IPv4, in every spelling that resolvers take
    "https://127.0.0.1/": PRIVATE,
    "https://127.0.0.1./": PRIVATE,
    "https://127.1/": PRIVATE,
    "https://0/": PRIVATE,
    "https://0.0.0.0/": PRIVATE,
    "https://0177.0.0.1/": PRIVATE,
    "https://0x7f.1/": PRIVATE,
    "https://0x7f000001/": PRIVATE,
    "https://2130706433/": PRIVATE,
    "https://017700000001/": PRIVATE,
    "https://10.0.0.1/": PRIVATE,
    "https://172.16.0.1/": PRIVATE,
    "https://192.168.0.1/": PRIVATE,
    "https://169.254.169.254/latest/meta-data/": PRIVATE,
    "https://2852039166/": PRIVATE,
    "https://100.64.0.1/": PRIVATE,
    "https://100.100.100.200/latest/meta-data/": PRIVATE,
    "https://192.0.0.8/": PRIVATE,
    "https://192.0.0.192/": PRIVATE,
    "https://192.0.2.1/": PRIVATE,
    "https://192.88.99.1/": PRIVATE,
    "https://198.18.0.1/": PRIVATE,
    "https://203.0.113.1/": PRIVATE,
    "https://224.0.0.1/": PRIVATE,
    "https://240.0.0.1/": PRIVATE,
    "https://255.255.255.255/": PRIVATE,
    # IPv6, and IPv4 inside it
    "https://[::]/": PRIVATE,
    "https://[::1]/": PRIVATE,
    "https://[0:0:0:0:0:0:0:1]/": PRIVATE,
    "https://[::ffff:127.0.0.1]/": PRIVATE,
    "https://[::ffff:7f00:1]/": PRIVATE,
    "https://[::ffff:169.254.169.254]/": PRIVATE,
    "https://[::127.0.0.1]/": PRIVATE,
    "https://[64:ff9b::7f00:1]/": PRIVATE,
    "https://[64:ff9b:1::a00:1]/": PRIVATE,
    "https://[2002:7f00:1::]/": PRIVATE,
    "https://[2001:0:7f00:1::]/": PRIVATE,
    "https://[2001:db8::1]/": PRIVATE,
    "https://[3fff::1]/": PRIVATE,
    "https://[fe80::1]/": PRIVATE,
    "https://[fe80::1%25eth0]/": INVALID,
    "https://[2606:4700::1111%25eth0]/": INVALID,
    "https://[fec0::1]/": PRIVATE,
    "https://[fd00:ec2::254]/": PRIVATE,
    "https://[ff02::1]/": PRIVATE,
}


def test_there_are_at_least_sixty_of_them() -> None:
    assert len(HOSTILE) >= 60


@pytest.mark.parametrize(("url", "reason"), HOSTILE.items(), ids=lambda text: ascii(text)[:60])
def test_a_hostile_url_is_refused_with_its_reason(url: str, reason: str) -> None:
    with pytest.raises(RefusedAddressError) as refusal:
        AddressPolicy().check_url(url)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/hook?x=1&y=%2F",
        "https://example.com./",
        "https://xn--bcher-kva.example/",
        "https://_dmarc.example.com/",
        "https://93.184.215.14:8443/",
        "https://[2606:4700::1111]/",
        "https://[::ffff:93.184.215.14]/",
        "https://hooks.internal.example.com/",
    ],
)
def test_a_public_https_url_is_accepted(url: str) -> None:
    AddressPolicy().check_url(url)


async def check_by(url: str, *addresses: str) -> None:
    async def resolver(host: str, port: int) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
        assert (host, port) == ("hooks.example.com", 443)
        if not addresses:
            raise UnresolvedError(host)
        return [ipaddress.ip_address(one) for one in addresses]

    await check_reachable(AddressPolicy(), url, resolver=resolver)


async def test_a_name_is_refused_at_save_if_any_of_its_addresses_is_private() -> None:
    await check_by("https://hooks.example.com/", "93.184.215.14", "2606:4700::1111")
    with pytest.raises(RefusedAddressError, match=r"not to 10\.0\.0\.1"):
        await check_by("https://hooks.example.com/", "93.184.215.14", "10.0.0.1")


async def test_a_name_that_does_not_resolve_yet_may_be_saved() -> None:
    await check_by("https://hooks.example.com/")


def test_an_operator_may_open_private_networks_and_no_more() -> None:
    policy = AddressPolicy(allowed_private=(ipaddress.ip_network("10.1.0.0/16"),))
    policy.check_url("https://10.1.2.3/")
    policy.check_url("https://[::ffff:10.1.2.3]/")
    for url in ("https://10.2.0.1/", "https://127.0.0.1/", "http://10.1.2.3/"):
        with pytest.raises(RefusedAddressError):
            policy.check_url(url)
