# SPDX-License-Identifier: Apache-2.0
"""Listens on TCP ports, with IPv4 and with IPv6."""

import socket


def family_of(host: str) -> socket.AddressFamily:
    """The address family in which to listen on ``host``; for a name that of its first address.

    Raises:
        OSError: the name cannot be resolved.
    """
    if not host:
        return socket.AF_INET  # all addresses of this machine
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
    except UnicodeError as error:  # a name that cannot be one, such as "a..b"
        raise OSError(f"{host!r} cannot be the name of a host: {error}") from error


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on a port of ``host``.

    Raises:
        OSError: the address cannot be resolved or used.
        OverflowError: the port is not within 0..65535.
    """
    return socket.create_server((host, port), family=family_of(host))


def place(host: str, port: int) -> str:
    """``127.0.0.1:3100``, ``[::1]:3100``."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
