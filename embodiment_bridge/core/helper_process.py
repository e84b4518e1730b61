# SPDX-License-Identifier: Apache-2.0
"""Runs a helper program that exchanges JSON lines over standard input and output, and ends with this process.

The program does not get our libraries or our Python path (it may run in another Python). It ends when its standard
input ends, so that it also ends when this process is killed. Only ``close`` waits for it: about a second, and after a
kill at most ``KILLED_S``.
"""

import json
import os
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from embodiment_bridge.core.errors import LinkError

MAX_LINE = 4_000_000  # bytes; the marks of a text of 4000 characters have about 100 kB
KEPT_LINES = 5  # the last lines of a helper that are not JSON, as its error output
END_S = 0.5  # s for each step of ``close`` before the kill: end by itself, terminate
KILLED_S = 15.0  # s after the kill; a program that waits for a device that is gone may not end at all

Message = dict[str, Any]


class HelperProcess:
    """One run of a helper program.

    Args:
        command: the program and its arguments.
        environment: of the program.
        on_message: called with each message, on a thread of this object; must return at once.
        on_end: called once, on the same thread, when the program has ended, with the reason.

    Raises:
        LinkError: the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        on_message: Callable[[Message], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._on_message, self._on_end = on_message, on_end
        self._complaints: deque[str] = deque(maxlen=KEPT_LINES)
        self._lock = threading.Lock()
        try:
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C goes to this process only, which then closes the helper
            )
        except OSError as error:
            raise LinkError(f"{command[0]} cannot be started: {error}") from error
        if self._process.stdin is None or self._process.stdout is None:
            raise LinkError(f"{command[0]} has no pipes")
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        self._reader = threading.Thread(target=self._read, name="helper-reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return self._process.pid

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; returns at once.

        Raises:
            LinkError: the program has ended, or does not read its input and was killed for it.
        """
        line = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                written = os.write(self._input.fileno(), line)
            except BlockingIOError:
                written = 0
            except (OSError, ValueError) as error:
                raise LinkError(f"the helper has ended: {self.complaint or error}") from error
        if written != len(line):
            self._process.kill()
            raise LinkError("the helper does not read its input; it was killed")

    @property
    def complaint(self) -> str:
        """The last line that the program wrote which is not a message."""
        return self._complaints[-1] if self._complaints else ""

    def close(self) -> None:
        """End the program: close its input, then terminate, then kill.

        It has ended when this returns, unless the system does not end it within ``KILLED_S``.
        """
        with self._lock:
            try:
                self._input.close()
            except OSError:  # the program has ended already
                self._complaints.append("its input was closed")
        for step, patience in (
            (None, END_S),
            (self._process.terminate, END_S),
            (self._process.kill, KILLED_S),
        ):
            if step is not None:
                step()
            try:
                self._process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        if threading.current_thread() is not self._reader:
            self._reader.join(END_S)
            if self._reader.is_alive():  # it waits in a read, and what is read cannot be closed meanwhile
                return
        self._output.close()

    def _read(self) -> None:
        try:
            while line := self._output.readline(MAX_LINE):
                if not line.endswith(b"\n") and len(line) >= MAX_LINE:
                    self._complaints.append(f"a message of over {MAX_LINE} bytes")
                    self._process.kill()
                    break
                self._on_line(line)
        except (OSError, ValueError) as error:  # `close` has closed the pipe meanwhile
            self._complaints.append(str(error))
        self._process.wait()
        self._on_end(self.complaint or f"it ended with code {self._process.returncode}")

    def _on_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict):
            self._on_message(message)
        elif line.strip():
            self._complaints.append(line.decode(errors="replace").strip()[:500])
