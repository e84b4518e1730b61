# SPDX-License-Identifier: Apache-2.0
"""A program that plays files through the sound device, worked by JSON lines.

    python3 sound_helper.py [BACKEND]         BACKEND: see ``sound_device``; default auto

It is a program of its own so that a file which its decoder cannot bear ends this program and not the node, and so
that a node which computes does not make gaps. It is told, one JSON object per line, ``do`` being

    play     id, path, volume (0 to 1), fade (s)      a regular file, from its beginning
    pause resume   id                                 answered by paused, playing
    stop     id, fade (s)                             fades out, then stopped
    volume   id, volume

and tells ``event``: ready (backend), unable (reason; it then ends), and the events of ``output.OutputEvent``. It ends
when its input does. One thread does everything but two: files are opened on threads of their own, which may wait for
a disk, and the device mixes on its own.
"""

import json
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from embodiment_bridge.core.errors import BridgeError, CommandError, LinkError
from embodiment_bridge.media.decoding import FileSource
from embodiment_bridge.media.mixing import Mixer
from embodiment_bridge.media.output import FAILED, OutputEvent
from embodiment_bridge.media.sound_device import AHEAD, SoundDevice

LOOK_S = 0.25
LINGER_S = 1.0  # the device goes on for so long when nothing plays, because starting it takes a moment
SILENT_S = 3.0  # a device that asks for nothing for so long is gone
MAX_LINE = 100_000
MAX_SOUNDS = 32

Wish = dict[str, Any]


def tell(**message: Any) -> None:
    """One line to whoever started us; it begins a new line, because libraries may have left one unfinished."""
    sys.stdout.write("\n" + json.dumps(message) + "\n")
    sys.stdout.flush()


def _tell_event(event: OutputEvent) -> None:
    tell(
        event=event.kind, id=event.id, position=event.position, length=event.length, reason=event.reason
    )  # fmt: skip


class Program:
    """All sounds, and the loop.

    Raises:
        LinkError: there is no device.
    """

    def __init__(self, backend: str) -> None:
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        self._mixer = Mixer(AHEAD, self._wake)
        self._backend = backend
        self._device: SoundDevice | None = SoundDevice(backend, self._mixer.mix)
        self.backend = self._device.backend
        self._opening: dict[str, list[Wish]] = {}  # by id: what was told of it meanwhile
        self._opened: deque[Callable[[], None]] = deque()
        self._unread = b""
        self._busy = 0.0  # when something last played

    def run(self) -> None:
        """Serve until the end of the input."""
        serving = True
        while serving:
            ready, _, _ = select.select([sys.stdin, self._woken], [], [], LOOK_S)
            if self._woken in ready:
                os.read(self._woken, 4096)
            if sys.stdin in ready:
                serving = self._take_input()
            while self._opened:
                self._opened.popleft()()
            self._tend_device()
            for event in self._mixer.news():
                _tell_event(event)
        if self._device is not None:
            self._device.close()

    def _wake(self) -> None:
        try:
            os.write(self._waker, b".")
        except BlockingIOError:
            return  # it is awake

    def _take_input(self) -> bool:
        """Lines; the end of the input is the end of this program."""
        chunk = os.read(sys.stdin.fileno(), 65536)
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            self._take(line)
        return bool(chunk) and len(self._unread) <= MAX_LINE

    def _take(self, line: bytes) -> None:
        """One command."""
        wish: Wish = {}
        try:
            wish = json.loads(line)
            if wish["do"] == "play":
                self._play(wish)
            elif wish["id"] in self._opening:
                self._opening[wish["id"]].append(wish)
            else:
                self._do(wish)
        except (BridgeError, ValueError, TypeError, KeyError) as error:  # told, and the other sounds go on
            sound_id = wish.get("id", "") if isinstance(wish, dict) else ""
            _tell_event(OutputEvent(sound_id, FAILED, reason=str(error)))

    def _play(self, wish: Wish) -> None:
        if len(self._mixer) + len(self._opening) >= MAX_SOUNDS:
            raise CommandError(f"{MAX_SOUNDS} sounds play at once already")
        self._opening[wish["id"]] = []
        threading.Thread(target=self._open, args=(wish,), daemon=True).start()

    def _open(self, wish: Wish) -> None:
        """On a thread of its own."""
        try:
            source = FileSource(Path(wish["path"]))
        except Exception as error:  # noqa: BLE001 - a fault in here is that sound's failure
            self._opened.append(partial(self._refuse, wish, str(error)))
        else:
            self._opened.append(partial(self._begin, wish, source))
        self._wake()

    def _refuse(self, wish: Wish, reason: str) -> None:
        del self._opening[wish["id"]]
        _tell_event(OutputEvent(wish["id"], FAILED, reason=reason))

    def _begin(self, wish: Wish, source: FileSource) -> None:
        self._mixer.add(wish["id"], source, wish["volume"], wish["fade"])
        for later in self._opening.pop(wish["id"]):
            self._do(later)

    def _do(self, wish: Wish) -> None:
        """What a command says of a sound; one that is not there has just ended by itself, and that was told."""
        action, sound_id = wish["do"], wish["id"]
        if action == "pause":
            self._mixer.pause(sound_id)
        elif action == "resume":
            self._mixer.resume(sound_id)
        elif action == "stop":
            self._mixer.stop(sound_id, wish["fade"])
        elif action == "volume":
            self._mixer.set_volume(sound_id, wish["volume"])

    def _tend_device(self) -> None:
        """Let the device run while something plays; when it is gone, all sounds fail and the next opens it anew."""
        now = time.monotonic()
        try:
            if not self._mixer.idle:
                self._busy = now
                if self._device is None:
                    self._device = SoundDevice(self._backend, self._mixer.mix)
                self._device.start()
                if self._device.silent_for > SILENT_S:
                    raise LinkError("the sound device takes no more")
            elif self._device is not None and now - self._busy > LINGER_S:
                self._device.stop()
        except LinkError as error:
            self._mixer.fail_all(str(error))
            if self._device is not None:
                self._device.close()
                self._device = None


def main() -> None:
    """See the text at the top."""
    try:
        program = Program(sys.argv[1] if len(sys.argv) > 1 else "auto")
    except LinkError as error:
        tell(event="unable", reason=str(error))
        return
    tell(event="ready", backend=program.backend)
    program.run()


if __name__ == "__main__":
    main()
