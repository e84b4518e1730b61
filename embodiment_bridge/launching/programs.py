# SPDX-License-Identifier: Apache-2.0
"""Starts the outside programs of a launch file and ends them; no process is left running."""

import itertools
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.listening import taken_by
from embodiment_bridge.launching.environment import OUR_PROGRAM, find_program, of_program
from embodiment_bridge.launching.keeper import Keeper
from embodiment_bridge.launching.keeper_program import PATIENCE, end_group
from embodiment_bridge.launching.launch_description import ProgramDescription

# After SIGINT, for a node of ours: on a busy computer the viewer has a thirtieth of a core, because it is nice, and its
# end takes some tenths of a second of one; a node that is still starting heeds the signal when Python has begun.
NODE_PATIENCE_S = 30.0
# Options with the ports of programs that robots join. Where one is taken, by a simulator that was left behind perhaps,
# the program would end, and its robots would join what is there.
JOINED = {"rcssservermj": ("--aport", "--mport"), OUR_PROGRAM: ("--port", "--monitor-port")}


class Program:
    """One running program, in a process group of its own so that Ctrl-C ends only this process, which then stops it.

    ``output="screen"`` shows what it prints; any other value sends it to ``<log_dir>/<name>.log``.

    Args:
        program: what to start.
        log_dir: where its log goes.
        environment: what the description's own adds to.
        keeper: ends it when this process is killed.
        patience: s to wait for its end after SIGINT.

    Raises:
        ConfigError: the program is not installed, cannot be started, or would listen on a port that is taken.
    """

    def __init__(
        self,
        program: ProgramDescription,
        log_dir: Path,
        environment: Mapping[str, str],
        keeper: Keeper,
        patience: float = PATIENCE[0][1],
    ) -> None:
        self.name, self.required = program.name, program.required
        self._patience = patience
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
        _check_ports(program)
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
        keeper.keep(self._process.pid, patience)

    def ended(self) -> int | None:
        """The exit code if the program has ended, else None.

        Its number stays taken until ``stop``, because processes that it has started may still be in its group.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        end = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    def stop(self, say: Callable[[str], None]) -> None:
        """End the program and what it has started in its group, by SIGKILL if needed; returns when they have ended."""
        end_group(
            self._process.pid, self._patience, lambda text: say(f"{self.name} {text}"), self._process.poll
        )


def _check_ports(program: ProgramDescription) -> None:
    given = dict(itertools.pairwise(program.cmd))
    for option in JOINED.get(program.cmd[0], ()):
        port = given.get(option, "0")
        if port.isdecimal() and (who := taken_by(given.get("--host", ""), int(port))):
            raise ConfigError(
                f"{program.place}: {program.name}: port {port} is taken by {who}: end it, or choose another port"
            )
