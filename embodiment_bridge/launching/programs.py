# SPDX-License-Identifier: Apache-2.0
"""Starts the outside programs of a launch file and ends them: no process is left behind."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_program, of_program
from embodiment_bridge.launching.plan import ExecutablePlan

PATIENCE = (
    (signal.SIGINT, 5.0),
    (signal.SIGTERM, 3.0),
    (signal.SIGKILL, 3.0),
)  # what is sent, and s to wait after it


class Program:
    """One running program, in a process group of its own so that Ctrl-C reaches it through us only.

    ``output="screen"`` shows what it prints; any other sends it to ``<log_dir>/<name>.log``.

    Raises:
        ConfigError: there is no such program.
    """

    def __init__(self, plan: ExecutablePlan, log_dir: Path) -> None:
        self.name = plan.name
        path = find_program(plan.cmd[0])
        if path is None:
            raise ConfigError(f"{plan.place}: program {plan.cmd[0]!r} is not installed")
        self.log = None if plan.output == "screen" else log_dir / f"{Path(plan.name).name}.log"
        env = of_program(plan.cmd[0], os.environ)
        for name, value in plan.env.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        output = None if self.log is None else self.log.open("wb")
        try:
            self._process = subprocess.Popen(
                [path, *plan.cmd[1:]],
                cwd=plan.cwd or log_dir,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        finally:
            if output is not None:
                output.close()

    def ended(self) -> int | None:
        """The exit code once the program has ended by itself, else None."""
        return self._process.poll()

    def stop(self, say: Callable[[str], None]) -> None:
        """End the program, by force if it must be; returns when it is gone."""
        for number, patience in PATIENCE:
            if self._process.poll() is not None:
                return
            os.killpg(self._process.pid, number)
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                say(f"{self.name} did not end on {number.name} within {patience:g} s")
