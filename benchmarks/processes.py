# SPDX-License-Identifier: Apache-2.0
"""Programs that a benchmark runs beside itself, on a ROS graph of their own. They are always ended."""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).parent
PATIENCE = 60.0  # s for a line that must come
TICKS = os.sysconf("SC_CLK_TCK")
LAST_SAFE_DOMAIN = 101  # above it, DDS ports meet the ephemeral ports of Linux


def isolate() -> None:
    """Give this process, and those that it starts, a ROS graph of their own on this machine."""
    from embodiment_bridge.launching.environment import prepare

    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % LAST_SAFE_DOMAIN)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ.setdefault("ROS_LOG_DIR", tempfile.mkdtemp(prefix="embodiment_bridge_log_"))
    prepare()


def take_priority(on: bool = True) -> None:
    """Give the measuring process real-time priority, if the system allows it. Children inherit it."""
    with contextlib.suppress(PermissionError):
        for thread in Path("/proc/self/task").iterdir():
            kind = os.SCHED_RR if on else os.SCHED_OTHER
            os.sched_setscheduler(int(thread.name), kind, os.sched_param(20 if on else 0))


class Child:
    """A running program that talks in lines of JSON; a context manager that ends it.

    A first word that ends with .py is a program of this folder. With ``talks`` false, its output is only kept for
    ``log``; an unread pipe would block it when full.
    """

    def __init__(self, *words: object, env: Mapping[str, str] | None = None, talks: bool = True) -> None:
        command = [str(word) for word in words]
        if command[0].endswith(".py"):
            command = [sys.executable, str(HERE / command[0]), *command[1:]]
        self.name = Path(command[1] if command[0] == sys.executable else command[0]).name
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if talks else self._log,
            stderr=self._log,
            env=env,
            start_new_session=True,
        )

    def __enter__(self) -> "Child":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdin.close()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._log.close()

    def line(self, patience: float = PATIENCE) -> Any:
        """The next line of its output."""
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        text = self.process.stdout.readline() if ready else b""
        if not text:
            raise RuntimeError(
                f"{self.name} said nothing{'' if ready else f' within {patience:g} s'}: {self.log()}"
            )
        return json.loads(text)

    def tell(self) -> None:
        """Write a line to it."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def finish(self) -> Any:
        """Ask it to end; its last line."""
        self.tell()
        last = self.line()
        self.process.wait(PATIENCE)
        return last

    def log(self) -> str:
        """The end of what it wrote on standard error."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace").strip()[-600:]

    def cpu_s(self) -> float:
        """CPU time so far, s. The fields after the name in parentheses begin with the third."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
