# SPDX-License-Identifier: Apache-2.0
"""Starts the keeper of a graph's programs: a small process that ends them when this process was killed."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError

PROGRAM = Path(__file__).with_name("keeper_program.py")


class Keeper(ClosedOnExit):
    """Ends the programs that it was told of, if this process ends before ``close``.

    Raises:
        ConfigError: it cannot be started.
    """

    def __init__(self) -> None:
        """Start it by the interpreter's real path and a file descriptor: `pkill -9 -f` must not find our name in it."""
        try:
            with PROGRAM.open("rb") as program:
                reader, self._orders = os.pipe()
                try:
                    script = program.fileno()
                    self._process = subprocess.Popen(
                        [os.path.realpath(sys.executable), "-I", "-S", f"/dev/fd/{script}", str(reader)],
                        pass_fds=(reader, script),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                        cwd="/",
                    )
                finally:
                    os.close(reader)
        except OSError as error:
            raise ConfigError(
                f"the process that ends programs with this one cannot be started: {error}"
            ) from error

    def keep(self, group: int, first: float) -> None:
        """End a process group with this process. ``first``: s to wait after SIGINT."""
        # It was killed; the programs then end only with an orderly end of ours.
        with suppress(BrokenPipeError):
            os.write(self._orders, f"{group} {first}\n".encode())

    def close(self) -> None:
        """Let it go: the programs have ended."""
        self._process.kill()
        self._process.wait()
        os.close(self._orders)
