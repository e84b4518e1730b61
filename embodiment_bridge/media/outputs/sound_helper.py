# SPDX-License-Identifier: Apache-2.0
"""A program that plays files through the sound device, controlled by JSON lines.

    python3 sound_helper.py [BACKEND]         BACKEND: see ``sound_device``; default auto

It is a program of its own so that a file which crashes the decoder ends this program and not the node, and so
that a busy node does not make gaps in the sound. It reads one JSON object per line, in which ``do`` is

    play     id, path, volume (0 to 1), fade (s)      a regular file, from its beginning
    pause resume   id                                 answered by the event paused or playing
    stop     id, fade (s)                             fades out, then stopped
    volume   id, volume

It writes objects with ``event``: ready (backend), unable (reason; it then ends), and the events of
``output.OutputEvent``. It ends when its input does. One thread does everything except that files are opened on threads
of their own, which may wait for a disk, and that the device mixes on its own thread.
"""

import json
import os
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from embodiment_bridge.core.errors import BridgeError, CommandError, LinkError
from embodiment_bridge.media.outputs.mixing import Mixer
from embodiment_bridge.media.outputs.output import FAILED, START_S, OutputEvent
from embodiment_bridge.media.outputs.sound_device import AHEAD, FileSource, SoundDevice

LOOK_S = 0.25
LINGER_S = 1.0  # the device runs on for so long after the last sound, because starting it takes a moment
SILENT_S = 10.0  # a device that asks for no samples for so long is gone; on a busy machine its thread waits
MAX_LINE = 100_000
MAX_SOUNDS = 32

Request = dict[str, Any]


def send(**message: str | float | None) -> None:
    """Write one message; it begins on a new line, because a library may have left one unfinished."""
    sys.stdout.write("\n" + json.dumps(message) + "\n")
    sys.stdout.flush()


def _send_event(event: OutputEvent) -> None:
    send(
        event=event.kind, id=event.id, position=event.position, length=event.length, reason=event.reason
    )  # fmt: skip


class Program:
    """Runs the sounds and the main loop.

    Raises:
        LinkError: there is no sound device.
    """

    def __init__(self, backend: str) -> None:
        self._woken, self._wake_upr = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake_upr, False)
        self._mixer = Mixer(AHEAD, self._wake_up)
        self._backend = backend
        self._device: SoundDevice | None = SoundDevice(backend, self._mixer.mix)
        self.backend = self._device.backend
        self._opening: dict[str, list[Request]] = {}  # by id: requests that came while the file is opened
        self._opened: deque[Callable[[], None]] = deque()
        self._unread = b""
        self._busy = 0.0  # when something last played

    def run(self) -> None:
        """Handle requests until the end of the input."""
        serving = True
        while serving:
            ready, _, _ = select.select([sys.stdin, self._woken], [], [], LOOK_S)
            if self._woken in ready:
                os.read(self._woken, 4096)
            if sys.stdin in ready:
                serving = self._read_input()
            while self._opened:
                self._opened.popleft()()
            self._tend_device()
            for event in self._mixer.events():
                _send_event(event)
        if self._device is not None:
            self._device.close()

    def _wake_up(self) -> None:
        try:
            os.write(self._wake_upr, b".")
        except BlockingIOError:
            return  # the pipe is full: the loop will wake up anyhow

    def _read_input(self) -> bool:
        """Read and handle lines; False at the end of the input."""
        chunk = os.read(sys.stdin.fileno(), 65536)
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            self._handle_line(line)
        return bool(chunk) and len(self._unread) <= MAX_LINE

    def _handle_line(self, line: bytes) -> None:
        """Handle one request."""
        request: Request = {}
        try:
            request = json.loads(line)
            if request["do"] == "play":
                self._play(request)
            elif request["id"] in self._opening:
                self._opening[request["id"]].append(request)
            else:
                self._apply(request)
        except (BridgeError, ValueError, TypeError, KeyError) as error:  # reported; the other sounds go on
            sound_id = request.get("id", "") if isinstance(request, dict) else ""
            _send_event(OutputEvent(sound_id, FAILED, reason=str(error)))

    def _play(self, request: Request) -> None:
        if len(self._mixer) + len(self._opening) >= MAX_SOUNDS:
            raise CommandError(f"{MAX_SOUNDS} sounds play at once already")
        self._opening[request["id"]] = []
        threading.Thread(target=self._open, args=(request,), daemon=True).start()

    def _open(self, request: Request) -> None:
        """Open the file of a sound; runs on a thread of its own."""
        try:
            source = FileSource(Path(request["path"]))
        except Exception as error:  # noqa: BLE001 - a fault here fails this sound only
            self._opened.append(partial(self._refuse, request, str(error)))
        else:
            self._opened.append(partial(self._begin, request, source))
        self._wake_up()

    def _refuse(self, request: Request, reason: str) -> None:
        del self._opening[request["id"]]
        _send_event(OutputEvent(request["id"], FAILED, reason=reason))

    def _begin(self, request: Request, source: FileSource) -> None:
        self._mixer.add(request["id"], source, request["volume"], request["fade"])
        for later in self._opening.pop(request["id"]):
            self._apply(later)

    def _apply(self, request: Request) -> None:
        """Apply a request to a sound; a sound that is not there has ended by itself, which was reported."""
        action, sound_id = request["do"], request["id"]
        if action == "pause":
            self._mixer.pause(sound_id)
        elif action == "resume":
            self._mixer.resume(sound_id)
        elif action == "stop":
            self._mixer.stop(sound_id, request["fade"])
        elif action == "volume":
            self._mixer.set_volume(sound_id, request["volume"])

    def _tend_device(self) -> None:
        """Run the device while something plays; when it is gone, all sounds fail, and the next one opens it again."""
        now = time.monotonic()
        try:
            if not self._mixer.idle:
                self._busy = now
                if self._device is None:
                    self._device = SoundDevice(self._backend, self._mixer.mix)
                self._device.start()
                if self._device.silent_for > SILENT_S:
                    raise LinkError("the sound device takes no more samples")
            elif self._device is not None and now - self._busy > LINGER_S:
                self._device.stop()
        except LinkError as error:
            self._mixer.fail_all(str(error))
            if self._device is not None:
                self._device.close()
                self._device = None


def main() -> None:
    """Run the program that the top of this file describes."""
    signal.alarm(START_S)  # the process that waits for a device that does not open may have ended
    try:
        program = Program(sys.argv[1] if len(sys.argv) > 1 else "auto")
    except LinkError as error:
        send(event="unable", reason=str(error))
        return
    signal.alarm(0)
    send(event="ready", backend=program.backend)
    program.run()


if __name__ == "__main__":
    main()
