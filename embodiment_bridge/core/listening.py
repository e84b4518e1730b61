# SPDX-License-Identifier: Apache-2.0
"""Listens on TCP ports, with IPv4 and with IPv6, and finds out who listens on one."""

import errno
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LISTENS: Final = "0A"  # state in /proc/net/tcp


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening process; pid 0 and no command if it belongs to another user."""

    pid: int = 0
    command: str = ""

    def __str__(self) -> str:
        """For people."""
        return f"process {self.pid} ({self.command[:60]})" if self.pid else "a process of another user"


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


def taken_by(host: str, port: int) -> Listener | None:
    """The process that keeps others from listening on a port of ``host``; None if it is free."""
    try:
        listen(host, port).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return find_listener(port) or Listener()
    return None


def find_listener(port: int, proc: Path = Path("/proc")) -> Listener | None:
    """The process that listens on the port, at any address; None if there is none."""
    sockets = {inode for table in ("tcp", "tcp6") for inode in _listening(proc / "net" / table, port)}
    if not sockets:
        return None
    for process in proc.glob("[0-9]*"):
        if sockets & set(_sockets(process)):
            return Listener(int(process.name), _command(process))
    return Listener()


def _listening(table: Path, port: int) -> Iterator[str]:
    """Inodes of the sockets that listen on a port. Columns: sl, local, remote, st, ..., the tenth is the inode."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:  # no IPv6
        return
    for line in lines:
        columns = line.split()
        if columns[3] == LISTENS and int(columns[1].rpartition(":")[2], 16) == port:
            yield columns[9]


def _sockets(process: Path) -> Iterator[str]:
    try:
        for descriptor in (process / "fd").iterdir():
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                yield target[len("socket:[") : -1]
    except OSError:  # the process has ended, or belongs to another user
        return


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""
