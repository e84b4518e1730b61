# SPDX-License-Identifier: Apache-2.0
"""Which IP addresses are public: an explicit list, for ``ipaddress`` answers differently from Python to Python.

From the special-purpose address registries of IANA (RFC 6890 and what came after, as of 2025), and the multicast and
IPv6 unicast registries. All of a special block is refused, also its few addresses that are reached from everywhere: no
document is there, but relays and gateways are.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

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
PUBLIC_6: Final = IPv6Network(
    "2000::/3"
)  # global unicast; ::1, fc00::/7, fe80::/10, fec0::/10, ff00::/8 are not in it
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
    """Whether an address is one of the open internet; of one that carries an IPv4 address, whether that is."""
    inner = inner_address(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return address in PUBLIC_6 and not any(address in network for network in NOT_PUBLIC_6)


def inner_address(address: Address) -> IPv4Address | None:
    """The IPv4 address that packets to this one end up at, by mapping, NAT64 or 6to4."""
    if isinstance(address, IPv4Address):
        return None
    if address in MAPPED or address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return None
