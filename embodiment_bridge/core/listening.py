# SPDX-License-Identifier: Apache-2.0
"""TCP ports on IPv4 and IPv6 alike."""

import socket


def family_of(host: str) -> socket.AddressFamily:
    """The family in which to listen on ``host``: that of an address, and of a name that of its first address.

    Raises:
        OSError: nobody knows the name.
    """
    if not host:
        return socket.AF_INET  # all addresses of this machine
    return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        OSError, OverflowError: it cannot.
    """
    return socket.create_server((host, port), family=family_of(host))


def place(host: str, port: int) -> str:
    """``127.0.0.1:3100``, ``[::1]:3100``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
