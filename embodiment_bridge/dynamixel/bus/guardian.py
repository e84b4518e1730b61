# SPDX-License-Identifier: Apache-2.0
"""Starts and controls the guardian of a bus: a small process that makes the servos safe when this process is gone.

A process that is killed or crashes cannot write torque off any more. ``guardian_program.py`` can: it has the same
open port, the packets, and one end of a pipe that breaks when this process ends.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PROGRAM = Path(__file__).with_name("guardian_program.py")
LOOK_S = 1.0  # s between checks that it runs
END_S = 2.0  # s within which it must end
ACT_S = 15.0  # the same, after it has made the servos safe: on a busy computer it may still be starting
STAND_DOWN = bytes(4)


class Guardian:
    """Guards the port with file descriptor ``port``. Only one thread may use it.

    problem: why there is no guardian now; empty while it runs. No method raises: a bus also works without a guardian.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._packets = b""
        self._orders = -1
        self._process: subprocess.Popen[bytes] | None = None
        self._look_at = 0.0
        self.problem = ""
        self._start()

    @property
    def pid(self) -> int:
        """Its process id; 0: none."""
        return self._process.pid if self._process is not None else 0

    def set_packets(self, packets: bytes) -> None:
        """Set the packets that make the servos safe; empty packets are not sent."""
        self._packets = packets
        if packets:
            self._send(len(packets).to_bytes(4, "little") + packets)

    def check(self, now: float) -> None:
        """Start a new one if it has ended; checks once a second. ``now``: s of the monotonic clock."""
        if now < self._look_at:
            return
        self._look_at = now + LOOK_S
        code = self._process.poll() if self._process is not None else None
        if self._process is not None and code is None:
            self.problem = ""
            return
        self._let_go()
        self._start()
        self.set_packets(self._packets)
        self.problem = self.problem or f"the guardian had ended with code {code}; a new one was started"

    def close(self, *, act: bool) -> None:
        """End it; ``act``: let it make the servos safe first. When this returns, no other process has the port."""
        if not act:
            self._send(STAND_DOWN)
        self._let_go()
        if self._process is not None:
            try:
                self._process.wait(ACT_S if act else END_S)
            except subprocess.TimeoutExpired:  # the process is suspended
                self._process.kill()
                self._process.wait()
            self._process = None

    def _start(self) -> None:
        """Start it by the interpreter's real path and a file descriptor: `pkill -9 -f` must not find our name in it."""
        python = os.path.realpath(sys.executable)
        self._look_at = time.monotonic() + LOOK_S
        self._process, self.problem = None, ""
        try:
            with PROGRAM.open("rb") as program:
                reader, self._orders = os.pipe()
                try:
                    os.set_blocking(self._orders, False)
                    script = program.fileno()
                    numbers = (str(number) for number in (self._port, reader, os.getpid()))
                    self._process = subprocess.Popen(
                        [python, "-I", "-S", f"/dev/fd/{script}", *numbers],
                        pass_fds=(self._port, reader, script),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                        cwd="/",
                    )
                finally:
                    os.close(reader)
        except (OSError, ValueError) as error:
            self.problem = f"no guardian: {error}; after a crash of the driver the joints would stay driven"

    def _send(self, data: bytes) -> None:
        with suppress(OSError):  # it has ended: `check` starts a new one
            os.write(self._orders, data)

    def _let_go(self) -> None:
        if self._orders >= 0:
            os.close(self._orders)
            self._orders = -1
