# SPDX-License-Identifier: Apache-2.0
"""Checks which process listens on a TCP port of this machine, from the kernel's tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, ok, warn

LISTENS = "0A"  # state in /proc/net/tcp
SIMULATORS = {  # agents and monitors of each, and what the commands of those that listen there contain
    60000: ("rcssservermj",),
    60001: ("rcssservermj",),
    3100: ("rcssserver3d", "peer simspark"),
    3200: ("rcssserver3d", "peer simspark"),
}


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening process; pid 0 and no command if it belongs to another user."""

    pid: int = 0
    command: str = ""


def check_port(port: int, listener: Listener | None) -> Finding:
    """Check that a port of a simulator is free or used by that simulator."""
    what = f"port {port}"
    if listener is None:
        return ok(what, "free")
    if not listener.pid:
        return warn(
            what,
            "taken by a process of another user",
            "if it is not a simulator, choose another: port:=NUMBER",
        )
    who = f"process {listener.pid} ({listener.command[:60]})"
    simulator = next((name for name in SIMULATORS.get(port, ()) if name in listener.command), "")
    if simulator:
        return ok(what, f"{simulator} listens there, {who}")
    return warn(what, f"taken by {who}", "choose another with port:=NUMBER, or end that process")


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
