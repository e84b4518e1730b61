# SPDX-License-Identifier: Apache-2.0
"""Starts the outside programs of a launch file and ends them; no process is left running."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_program, of_program
from embodiment_bridge.launching.launch_description import ProgramDescription

# What is sent, and s to wait after it. rcssservermj in sync mode waits 5 s for the answer of a robot that has left
# before it looks whether it is to end.
PATIENCE = ((signal.SIGINT, 8.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
# After SIGINT, for a node of ours: on a busy computer the viewer has a thirtieth of a core, because it is nice, and its
# end takes some tenths of a second of one; a node that is still starting heeds the signal when Python has begun.
NODE_PATIENCE_S = 30.0


class Program:
    """One running program, in a process group of its own so that Ctrl-C ends only this process, which then stops it.

    ``output="screen"`` shows what it prints; any other value sends it to ``<log_dir>/<name>.log``. ``environment`` is
    what the description's own adds to.

    Raises:
        ConfigError: the program is not installed, or cannot be started.
    """

    def __init__(self, program: ProgramDescription, log_dir: Path, environment: Mapping[str, str]) -> None:
        self.name = program.name
        path = find_program(program.cmd[0])
        if path is None:
            raise ConfigError(f"{program.place}: program {program.cmd[0]!r} is not installed")
        self.log = None if program.output == "screen" else log_dir / f"{Path(program.name).name}.log"
        env = of_program(program.cmd[0], environment)
        for name, value in program.env.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        output = None
        try:
            output = None if self.log is None else self.log.open("wb")
            self._process = subprocess.Popen(
                [path, *program.cmd[1:]],
                cwd=program.cwd or Path.cwd(),
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        except OSError as error:  # such as a 'cwd' that is not there
            raise ConfigError(
                f"{program.place}: {' '.join(program.cmd)}: cannot be started: {error}"
            ) from error
        finally:
            if output is not None:
                output.close()

    def ended(self) -> int | None:
        """The exit code if the program has ended, else None."""
        return self._process.poll()

    def stop(self, say: Callable[[str], None], first: float = PATIENCE[0][1]) -> None:
        """End the program, by SIGKILL if needed; returns when it has ended. ``first``: s to wait after SIGINT."""
        for number, patience in ((PATIENCE[0][0], first), *PATIENCE[1:]):
            if self._process.poll() is not None:
                return
            os.killpg(self._process.pid, number)
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                say(f"{self.name} did not end on {number.name} within {patience:g} s")
