# SPDX-License-Identifier: Apache-2.0
"""Three hosts on one machine: network namespaces on a switch of their own, that reach nobody else."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NETWORK = "10.213.77"
# A host has shared memory of its own too.
OWN_MEMORY = 'mount --bind "$0" /dev/shm && exec "$@"'
OPEN = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
LOCAL = {"ROS_AUTOMATIC_DISCOVERY_RANGE": None}
FAR_BRAIN = Path(__file__).with_name("far_brain.py")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def _may() -> bool:
    """Whether this user can make network namespaces here."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"eb{os.getpid()}try"
    made = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode == 0
    if made:
        _ip("netns", "del", name)
    return made


class Hosts:
    """``a``, ``b`` and ``c``, with addresses 10.213.77.1 to .3; a context manager."""

    def __init__(self, folder: Path) -> None:
        if not _may():
            pytest.skip("network namespaces cannot be made here")
        self._folder = folder
        self._prefix = f"eb{os.getpid()}"
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Hosts":
        try:
            self._build()
        except subprocess.CalledProcessError as error:
            self.__exit__()
            pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._running):
            self.stop(process)
        for name in "sabc":
            subprocess.run(["ip", "netns", "del", self._prefix + name], check=False, capture_output=True)

    def _build(self) -> None:
        switch = self._prefix + "s"
        for name in "sabc":
            _ip("netns", "add", self._prefix + name)
        _ip("-n", switch, "link", "add", "switch", "type", "bridge", "mcast_snooping", "0")
        _ip("-n", switch, "link", "set", "switch", "up")
        for number, name in enumerate("abc", 1):
            host = self._prefix + name
            _ip(
                "-n",
                switch,
                "link",
                "add",
                f"to_{name}",
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                host,
            )
            _ip("-n", switch, "link", "set", f"to_{name}", "master", "switch", "up")
            _ip("-n", host, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
            _ip("-n", host, "link", "set", "lo", "up")
            _ip("-n", host, "link", "set", "eth0", "up")
            _ip("-n", host, "route", "add", "224.0.0.0/4", "dev", "eth0")

    def address(self, name: str) -> str:
        return f"{NETWORK}.{'abc'.index(name) + 1}"

    def plug(self, name: str, *, in_: bool) -> None:
        """Pull the cable of a host out of the switch, or put it in again."""
        _ip("-n", self._prefix + "s", "link", "set", f"to_{name}", "up" if in_ else "down")

    def no_multicast(self, name: str) -> None:
        """As an access point that drops multicast; broadcast and unicast pass."""
        _ip("-n", self._prefix + name, "link", "set", "eth0", "multicast", "off")
        _ip("-n", self._prefix + name, "route", "del", "224.0.0.0/4", "dev", "eth0")
        _ip("-n", self._prefix + name, "route", "add", "blackhole", "224.0.0.0/4")

    def start(self, name: str, *words: str, env: dict[str, str | None]) -> "subprocess.Popen[bytes]":
        """Our command line, or with a ``.py`` first that file, on a host. None in ``env``: not set."""
        script = () if words[0].endswith(".py") else (str(ROOT / "scripts/embodiment_bridge"),)
        memory = self._folder / f"shm_{name}"
        memory.mkdir(exist_ok=True)
        command = ["ip", "netns", "exec", self._prefix + name, "sh", "-c", OWN_MEMORY, str(memory)]
        common = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}", **env}
        with (self._folder / f"{name}{len(self._running)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, sys.executable, *script, *words],
                cwd=self._folder,
                env={key: value for key, value in common.items() if value is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._running.append(process)
        return process

    def run(self, name: str, *words: str, env: dict[str, str | None]) -> tuple[int, str]:
        """(exit code, standard output)."""
        process = self.start(name, *words, env=env)
        out, _ = process.communicate(timeout=90.0)
        return process.returncode, out.decode()

    def said(self) -> str:
        """Standard error of all."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self._folder.glob("*.log")))

    def stop(self, process: "subprocess.Popen[bytes]") -> int:
        """Its exit code after Ctrl-C."""
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return process.returncode
