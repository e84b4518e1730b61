# SPDX-License-Identifier: Apache-2.0
"""Decides which URLs a document may name and which IP addresses are public.

Documents come from servers and must not reach into the robot's network.

This is the part that needs no name resolution. The program that opens a URL checks every address that its host
resolves to with ``address_refusal`` again, and every redirect with ``url_refusal``.
"""

import ipaddress
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from embodiment_bridge.core.errors import unknown

# Which IP addresses are public: an explicit list, for ``ipaddress`` answers differently from Python to Python.
#
# From the special-purpose address registries of IANA (RFC 6890 and what came after, as of 2025), and the multicast and
# IPv6 unicast registries. All of a special block is refused, also its few addresses that are reached from everywhere:
# no document is there, but relays and gateways are.

Address = IPv4Address | IPv6Address

NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this host on this network
            "10.0.0.0/8",  # private use
            "100.64.0.0/10",  # shared between a provider and its customers
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link local, metadata services
            "172.16.0.0/12",  # private use
            "192.0.0.0/24",  # protocol assignments: DS-Lite, port control; a cloud's metadata service
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunnels (AMT)
            "192.88.99.0/24",  # relays of 6to4, deprecated
            "192.168.0.0/16",  # private use
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and limited broadcast
        ),
    )
)
# global unicast; ::1, fc00::/7, fe80::/10, fec0::/10, ff00::/8 are not in it
PUBLIC_6: Final = IPv6Network("2000::/3")
NOT_PUBLIC_6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
            "2001:db8::/32",  # documentation
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
MAPPED: Final = IPv6Network("::ffff:0:0/96")
NAT64: Final = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR: Final = IPv6Network("2002::/16")


def is_public(address: Address) -> bool:
    """Return whether an address is one of the open internet; of one that carries an IPv4 address, whether that is."""
    inner = inner_address(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in network for network in NOT_PUBLIC_6)


def inner_address(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that packets to this one end up at, by mapping, NAT64 or 6to4."""
    if isinstance(address, IPv4Address):
        return None
    if address in MAPPED or address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return None


_FORBIDDEN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}")
_NUMBER = re.compile(r"\d+|0[xX][0-9a-fA-F]*")
_WEB = ("http", "https")
# Public addresses of cloud providers' metadata services, and their names.
_METADATA_HOSTS = frozenset({"168.63.129.16", "metadata", "metadata.google.internal"})


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """Says which URLs are allowed.

    schemes: of ``https http file package``.
    ports: of web URLs; the default port of the scheme is one of them.
    hosts: when given, only these names (lower case).
    trusted_hosts: names or addresses that are allowed whatever their address and port, such as a server in
        the local network; they need not be in ``hosts``. ``name:port`` (``[address]:port``) is only that port.
    media_roots: absolute folders under which ``file`` URLs may be; none by default.
    max_length: characters.
    opens_http, opens_hosts, opens_private: what people set to allow plain http, a host, and an inner address or another
        port, such as a parameter's name; a refusal names it.
    """

    schemes: tuple[str, ...] = ("https", "http", "file", "package")
    ports: frozenset[int] = frozenset({80, 443})
    hosts: frozenset[str] | None = None
    trusted_hosts: frozenset[str] = frozenset()
    media_roots: tuple[str, ...] = ()
    max_length: int = 2048
    opens_http: str = ""
    opens_hosts: str = ""
    opens_private: str = ""

    def hint(self, opens: str) -> str:
        """Return the end of a refusal: what would open it."""
        return f" (opened by {opens})" if opens else ""


def url_refusal(url: str, policy: UrlPolicy) -> str:
    """Return why ``url`` is not allowed; empty if it is."""
    if len(url) > policy.max_length:
        return f"it has {len(url)} characters, {policy.max_length} is the limit"
    if _FORBIDDEN.search(url):
        return "it has a space, a backslash or a control character"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        return f"it cannot be read ({error})"
    if not parts.scheme:
        return "it has no scheme; relative URLs have no base here"
    if parts.scheme not in policy.schemes:
        if parts.scheme == "http" and policy.opens_http:
            return f"plain http is closed{policy.hint(policy.opens_http)}"
        return unknown("scheme", parts.scheme[:20], policy.schemes)
    if parts.scheme in _WEB:
        return _web_refusal(parts, policy)
    return _file_refusal(parts, policy) if parts.scheme == "file" else _package_refusal(parts)


def address_refusal(address: Address) -> str:
    """Return why a resolved address is not allowed; empty if it is a public one, see ``public_addresses``."""
    inner = inner_address(address)
    if inner is not None:
        return address_refusal(inner)
    if str(address) in _METADATA_HOSTS:
        return f"{address} is a metadata service"
    if not is_public(address):
        return f"{address} is not a public address"
    return ""


def _web_refusal(parts: SplitResult, policy: UrlPolicy) -> str:
    if "@" in parts.netloc:
        return "it has user information"
    host = (parts.hostname or "").rstrip(".")
    if not host:
        return "it has no host"
    try:
        port = parts.port
    except ValueError:
        return "its port is not a number from 0 to 65535"
    default = 443 if parts.scheme == "https" else 80
    if is_trusted(host, default if port is None else port, policy):
        return ""
    if policy.hosts is not None and host not in policy.hosts:
        return f"the host {host[:60]!r} is not one of the allowed ones{policy.hint(policy.opens_hosts)}"
    if port is not None and port not in policy.ports:
        return f"the port {port} is not one of {sorted(policy.ports)}{policy.hint(policy.opens_private)}"
    refusal = _host_refusal(host, bracketed="[" in parts.netloc)
    return refusal and refusal + policy.hint(policy.opens_private)


def is_trusted(host: str, port: int, policy: UrlPolicy) -> bool:
    """Return whether a host (lower case) is one of the trusted ones, at all ports or at this one."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return host in policy.trusted_hosts or place in policy.trusted_hosts


def _host_refusal(host: str, *, bracketed: bool) -> str:
    if bracketed:
        try:
            return address_refusal(ipaddress.IPv6Address(host))
        except ValueError:
            return "its host is no IPv6 address"
    if not _HOST.fullmatch(host):
        return "its host has characters other than letters, digits, '.', '-' and '_'"
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return f"the host {host[:60]!r} is this machine or its network"
    if host in _METADATA_HOSTS:
        return f"the host {host!r} is a metadata service"
    if not _NUMBER.fullmatch(host.rsplit(".", 1)[-1]):
        return ""
    try:
        return address_refusal(ipaddress.IPv4Address(host))
    except ValueError:  # 127.1, 0x7f.1 and 2130706433 all are 127.0.0.1 to a resolver
        return "its host is an address, but not as four decimal numbers"


def _file_refusal(parts: SplitResult, policy: UrlPolicy) -> str:
    if parts.netloc not in ("", "localhost"):
        return "a file URL has no host"
    path = unquote(parts.path)
    if not path.startswith("/") or "\x00" in path or ".." in path.split("/"):
        return "a file URL has an absolute path without '..'"
    if not any(path.startswith(root.rstrip("/") + "/") for root in policy.media_roots):
        roots = ", ".join(policy.media_roots) or "none is set"
        return f"it is not under a media folder ({roots})"
    return ""


def _package_refusal(parts: SplitResult) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", parts.netloc):
        return "a package URL is package://NAME/PATH"
    path = unquote(parts.path)
    if path in ("", "/") or "\x00" in path or ".." in path.split("/"):
        return "a package URL has a path without '..'"
    return ""
