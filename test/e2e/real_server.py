# SPDX-License-Identifier: Apache-2.0
"""The real simulator, as a program on ports of its own."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from waiting import THREAD

from embodiment_bridge.cli.demos import bodies
from embodiment_bridge.launching.environment import find_program, of_outside_program

free_ports = partial(bodies.free_ports, 2)  # for agents, and for monitors
# As its program of that name, but a robot may be silent for longer than 5 s: it may wait for its turn on this machine.
PROGRAM = f"""\
from rcsssmj.__main__ import soccer_sim
from rcsssmj.server.server import SimServer

SimServer._collect_actions.__kwdefaults__["timeout"] = {THREAD}
soccer_sim()
"""


class Server:
    """rcssservermj on ports of its own; as fast as it can unless told otherwise."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, self.monitor_port = free_ports()
        self.folder = folder
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait until it listens; somebody may have taken its ports since they were found free."""
        for _ in range(3):
            self._launch()
            if self._listens():
                return
            self.stop()
            self.port, self.monitor_port = free_ports()
        pytest.fail(f"rcssservermj does not start: {self._log()[-500:]}")

    def _launch(self) -> None:
        words = ["--no-render", "--aport", str(self.port), "--mport", str(self.monitor_port), *self.options]
        python = Path(str(find_program("rcssservermj"))).resolve().with_name("python3")
        with (self.folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(python), "-c", PROGRAM, *words],
                cwd=self.folder,
                env=of_outside_program(os.environ),
                stdout=log,
                stderr=log,
            )

    def _listens(self) -> bool:
        deadline = time.monotonic() + THREAD
        while time.monotonic() < deadline and self.process.poll() is None:
            if "Listening for monitor connections" in self._log():
                return True
            time.sleep(0.05)
        return False

    def _log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll():  # it has failed by itself: pytest shows why
            sys.stderr.write(self._log()[-2000:])
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(5.0)
            except subprocess.TimeoutExpired:
                self.kill()
