# SPDX-License-Identifier: Apache-2.0
"""Where a process can be reached from the network: what the kernel says of its sockets."""

import re
import subprocess
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

LISTENING = "0A"  # of TCP
INODE, LOCAL, STATE = 9, 1, 3  # columns of /proc/net/udp and its like


def open_sockets(pid: int) -> dict[str, IPv4Address | IPv6Address]:
    """Its UDP sockets and those on which it takes TCP connections, as ``udp 7410`` etc., and their addresses."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", str(link.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
        if found is not None:
            inodes.add(found[1])
    sockets = {}
    for table in ("udp", "udp6", "tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[INODE] in inodes and (table.startswith("udp") or words[STATE] == LISTENING):
                address, _, port = words[LOCAL].partition(":")
                sockets[f"{table} {int(port, 16)} {words[INODE]}"] = _address(address)
    return sockets


def family(pid: int) -> list[int]:
    """The process, and all that it has started."""
    words = ["ps", "-o", "pid=", "--ppid", str(pid)]
    children = subprocess.run(words, capture_output=True, text=True, timeout=60.0).stdout.split()
    return [pid, *(one for child in children for one in family(int(child)))]


def _address(text: str) -> IPv4Address | IPv6Address:
    """As the kernel writes it: words of four bytes, each in this machine's order."""
    words = bytes.fromhex(text)
    return ip_address(b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4)))
