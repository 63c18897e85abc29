"""Where a webhook may point: public addresses only (OWASP, Server-Side Request Forgery Prevention).

The trap: `ipaddress.is_global` on Python 3.11 lets multicast, NAT64, 6to4 and some reserved blocks pass, and an
IPv4 address can hide inside an IPv6 one; all of those are refused or unwrapped here."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from pcs.base.settings import Network
from pcs.webhooks.model import MAX_URL_LENGTH

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_REFUSED = tuple(
    ipaddress.ip_network(block)
    for block in (
        "192.0.0.0/24",  # IETF protocol assignments, RFC 6890
        "192.88.99.0/24",  # 6to4 relays, RFC 7526
        "64:ff9b::/96",  # NAT64, RFC 6052
        "64:ff9b:1::/48",  # local NAT64, RFC 8215
        "2001::/23",  # IETF protocol assignments with Teredo, RFC 2928
        "2002::/16",  # 6to4, RFC 3056
        "3fff::/20",  # documentation, RFC 9637
        "5f00::/16",  # segment routing, RFC 9602
        "fec0::/10",  # site-local, RFC 3879
        "::/96",  # IPv4-compatible, RFC 4291
    )
)
# Ports of other protocols, which a request must not reach: the "bad ports" of the WHATWG Fetch standard.
_BAD_PORTS = frozenset(
    map(
        int,
        """0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119
        123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990
        993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080
        """.split(),
    )
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.IGNORECASE)
_LONGEST_NAME = 253  # RFC 1035, section 2.3.4, as text
_LOCAL_NAMES = ("localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "onion")


class RefusedAddressError(Exception):
    """A URL or address that webhooks may not go to; the message says why."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """What this installation permits beyond https to public addresses."""

    allow_http: bool = False
    allowed_private: tuple[Network, ...] = ()

    def check_url(self, url: str) -> None:
        """Refuse what can be told from the text alone. Raises RefusedAddressError."""
        parts = split_url(url)
        schemes = ("https", "http") if self.allow_http else ("https",)
        if parts.scheme not in schemes:
            msg = f"must start with {' or '.join(f'{scheme}://' for scheme in schemes)}"
            raise RefusedAddressError(msg)
        if parts.username is not None or parts.password is not None:
            msg = "must not carry a user name or password"
            raise RefusedAddressError(msg)
        if parts.port in _BAD_PORTS:
            msg = f"must not use port {parts.port}, which belongs to another protocol"
            raise RefusedAddressError(msg)
        self._check_host(parts.hostname or "")

    def _check_host(self, host: str) -> None:
        if not host:
            msg = "must name a host"
            raise RefusedAddressError(msg)
        literal = _literal(host)
        if literal is not None:
            self.check_address(literal)
        elif not _is_name(host):
            msg = "must name a host by letters, digits, dots and hyphens, or by its address"
            raise RefusedAddressError(msg)
        elif not self.allowed_private and _is_local_name(host):
            msg = f"must not point to the local name {host}"
            raise RefusedAddressError(msg)

    def check_address(self, address: Address) -> None:
        """Refuse an address that is not public. Raises RefusedAddressError."""
        plain = _unwrapped(address)
        if any(plain in block for block in self.allowed_private if block.version == plain.version):
            return
        refused = any(plain in block for block in _REFUSED if block.version == plain.version)
        if refused or not plain.is_global or plain.is_multicast or plain.is_reserved:
            msg = f"must point to a public address, not to {plain}"
            raise RefusedAddressError(msg)


def split_url(url: str) -> SplitResult:
    """The parts of a URL whose port, if any, is one. Raises RefusedAddressError."""
    if len(url) > MAX_URL_LENGTH:
        msg = f"must have at most {MAX_URL_LENGTH} characters"
        raise RefusedAddressError(msg)
    if not url.isascii() or any(ord(character) <= 32 or character in "\\\x7f" for character in url):
        msg = "must be a URL of printable ASCII characters without spaces or backslashes"
        raise RefusedAddressError(msg)
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (the property raises for a port that is none)
    except ValueError:
        msg = "must be a valid URL"
        raise RefusedAddressError(msg) from None
    if "[" in parts.netloc and not _is_ipv6(parts.hostname or ""):
        msg = "must be a valid URL: only an IPv6 address stands in brackets"
        raise RefusedAddressError(msg)
    if parts.fragment or url.endswith("#"):
        msg = "must not carry a fragment"
        raise RefusedAddressError(msg)
    return parts


def _is_ipv6(host: str) -> bool:
    """Whether a host is an IPv6 address without a zone, which would name a network card of ours."""
    try:
        return ipaddress.IPv6Address(host).scope_id is None
    except ValueError:
        return False


def _is_name(host: str) -> bool:
    """Whether a host is a name that the DNS can hold, and not one that ends like a number (WHATWG URL, "ends in a
    number"): resolvers disagree about `1.2.3.4.5` and `0x7f.1`, and attackers live on that."""
    labels = host.removesuffix(".").split(".")
    if len(host) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return False
    return re.fullmatch(r"\d+|0x[0-9a-f]*", labels[-1], re.IGNORECASE) is None


def _literal(host: str) -> Address | None:
    """The address a host spells, in any form that resolvers take (`127.1`, `0x7f000001`); None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host.rstrip(".")))
    except OSError:
        return None


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".").lower()
    return "." not in name or any(name == local or name.endswith(f".{local}") for local in _LOCAL_NAMES)


def _unwrapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
