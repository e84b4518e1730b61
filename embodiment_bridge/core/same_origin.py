# SPDX-License-Identifier: Apache-2.0
"""Refuses requests that web pages of others make to a server on this machine.

A browser lets any page connect to any address of this machine, and only the Origin header tells which page it is. A
page whose own name is made to resolve to this machine (DNS rebinding) has the same origin; only Host shows it.
"""

import re
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


class SameOrigin:
    """Checks the headers Host and Origin of each request.

    server: what refusals call the server, such as "viewer". names: further names and addresses of this machine besides
    `localhost`. loopback: only this machine can connect; otherwise the host may also be any IP address, which cannot
    be redirected.
    """

    def __init__(self, server: str, names: Sequence[str], *, loopback: bool) -> None:
        self._server = server
        self._names = {"localhost", *(name.lower() for name in names)}
        self._loopback = loopback

    def refusal(self, hosts: Sequence[str], origins: Sequence[str]) -> str:
        """Return why a request with these headers is refused; empty if it may go on."""
        return self.foreign_host(hosts) or self.foreign_page(hosts, origins)

    def foreign_host(self, hosts: Sequence[str]) -> str:
        """Return why a request to this host is refused; empty if the name is one of this machine."""
        form = HOST.fullmatch(hosts[0].lower()) if len(hosts) == 1 else None
        if form is None or not self._is_own_name(form[1]):
            return f"The header Host {list(hosts)!r:.200} is not a name of this {self._server}.\n"
        return ""

    def foreign_page(self, hosts: Sequence[str], origins: Sequence[str]) -> str:
        """Return why a request of these pages is refused; empty if they are pages of the host that it addresses."""
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
            return f"The page {list(origins)!r:.200} is not a page of this {self._server}.\n"
        return ""

    def _is_own_name(self, name: str) -> bool:
        number = _number(name)
        if name.strip("[]").removesuffix(".") in self._names:
            return True
        return number is not None and (number.is_loopback or not self._loopback)


def is_loopback(host: str) -> bool:
    """Whether a server that listens on ``host`` is reached by programs of this machine alone."""
    number = _number(host)
    return host == "localhost" if number is None else number.is_loopback


def own_names(host: str) -> list[str]:
    """Names, besides IP addresses, by which other machines may reach this one: the given host and its own name."""
    own = socket.gethostname()
    return [name for name in (host, own, f"{own}.local") if _number(name) is None]


def _number(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name.strip("[]"))
    except ValueError:
        return None
