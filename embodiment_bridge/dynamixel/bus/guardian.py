# SPDX-License-Identifier: Apache-2.0
"""Starts and instructs the guardian of a bus: a small process that makes its servos safe when ours is gone.

A process that is killed, or crashes, cannot write torque off any more. ``guardian_program.py`` can: it has the same
open port, the packets, and one end of a pipe that breaks with us.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PROGRAM = Path(__file__).with_name("guardian_program.py")
LOOK_S = 1.0  # s between looks whether it lives
END_S = 2.0  # s in which it must have ended
STAND_DOWN = bytes(4)


class Guardian:
    """Guards the port with file descriptor ``port``. One thread owns it.

    problem: why nothing guards now, empty while all is well. Nothing here raises: a bus goes on without a guardian.
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
        """Its process; 0: none."""
        return self._process.pid if self._process is not None else 0

    def tell(self, packets: bytes) -> None:
        """What makes the servos safe from now on; nothing where there is nothing to do."""
        self._packets = packets
        if packets:
            self._send(len(packets).to_bytes(4, "little") + packets)

    def look(self, now: float) -> None:
        """Start another one if it is gone; looks once a second. ``now``: s of the monotonic clock."""
        if now < self._look_at:
            return
        self._look_at = now + LOOK_S
        code = self._process.poll() if self._process is not None else None
        if self._process is not None and code is None:
            self.problem = ""
            return
        self._let_go()
        self._start()
        self.tell(self._packets)
        self.problem = self.problem or f"the guardian had ended with code {code}; there is a new one"

    def close(self, *, act: bool) -> None:
        """End it; ``act``: not before it has made safe. Returns when it is gone, and the port is ours alone."""
        if not act:
            self._send(STAND_DOWN)
        self._let_go()
        if self._process is not None:
            try:
                self._process.wait(END_S)
            except subprocess.TimeoutExpired:  # somebody has stopped it
                self._process.kill()
                self._process.wait()
            self._process = None

    def _start(self) -> None:
        """By the interpreter's own path and a file descriptor: `pkill -9 -f` with our name shall not find it."""
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
            self.problem = f"no guardian: {error}; a crash of the driver would leave the joints driven"

    def _send(self, data: bytes) -> None:
        with suppress(OSError):  # it is gone: `look` sees to that
            os.write(self._orders, data)

    def _let_go(self) -> None:
        if self._orders >= 0:
            os.close(self._orders)
            self._orders = -1
