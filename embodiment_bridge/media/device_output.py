# SPDX-License-Identifier: Apache-2.0
"""The output that is heard: the sound device, worked by a helper program."""

import importlib.util
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import embodiment_bridge
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.media.helper_process import HelperProcess, Message
from embodiment_bridge.media.output import FAILED, LAST, PAUSED, PLAYING, POSITION, OutputEvent

HELPER = Path(__file__).with_name("sound_helper.py")
LIBRARIES = Path(embodiment_bridge.__file__).parents[1]  # where the helper finds this package
BACKENDS = ("auto", "pulseaudio", "alsa", "jack", "coreaudio", "null")
START_S = 15.0
FADE_OUT_S = 0.03
KINDS = {PLAYING, PAUSED, POSITION, *LAST}
NEWS = 10_000


class DeviceOutput:
    """An ``Output``. When the helper ends, what plays fails, and the next sound starts it anew.

    Args:
        environment: the helper gets it; see ``launching.environment.of_outside_program``.
        backend: one of ``BACKENDS``; auto: the first that has a device; null plays in real time to nobody.

    Raises:
        ConfigError: miniaudio is not installed.
        LinkError: there is no sound device, or the helper does not start.
    """

    name = "device"

    def __init__(self, environment: Mapping[str, str], backend: str = "auto") -> None:
        if importlib.util.find_spec("miniaudio") is None:
            raise ConfigError("miniaudio is not installed (pip install miniaudio)")
        self._command = [sys.executable, str(HELPER), backend]
        self._environment = {**environment, "PYTHONPATH": str(LIBRARIES)}
        self._news: deque[OutputEvent] = deque(maxlen=NEWS)
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._playing: dict[str, tuple[float, float | None]] = {}  # id: (position, when told; None: stands)
        self._ended = self._refused = ""
        self.has_device = False
        self._helper = self._start()
        if not self._ready.wait(START_S) or self._refused or self._ended:
            self.close()
            raise LinkError(
                self._refused or self._ended or f"the sound helper said nothing for {START_S:g} s"
            )

    def _start(self) -> HelperProcess:
        self._ended = self._refused = ""
        return HelperProcess(self._command, self._environment, self._take, self._on_end)

    @property
    def pid(self) -> int:
        """The process id of the helper."""
        return self._helper.pid

    def play(self, sound_id: str, path: str, *, volume: float, fade: float, length: float | None) -> None:
        """See ``Output``."""
        del length
        if self._ended:
            self._helper.close()
            self._helper = self._start()
        with self._lock:
            self._playing[sound_id] = (0.0, None)
        self._send(do="play", id=sound_id, path=path, volume=volume, fade=fade)

    def pause(self, sound_id: str) -> None:
        """See ``Output``."""
        self._send(do="pause", id=sound_id)

    def resume(self, sound_id: str) -> None:
        """See ``Output``."""
        self._send(do="resume", id=sound_id)

    def stop(self, sound_id: str) -> None:
        """See ``Output``."""
        self._send(do="stop", id=sound_id, fade=FADE_OUT_S)

    def set_volume(self, sound_id: str, volume: float) -> None:
        """See ``Output``."""
        self._send(do="volume", id=sound_id, volume=volume)

    def events(self) -> list[OutputEvent]:
        """See ``Output``."""
        with self._lock:
            news = list(self._news)
            self._news.clear()
        return news

    def position(self, sound_id: str) -> float:
        """See ``Output``; between two reports time is added."""
        with self._lock:
            position, since = self._playing.get(sound_id, (0.0, None))
        return position if since is None else position + time.monotonic() - since

    def close(self) -> None:
        """See ``Output``."""
        self._helper.close()

    def _send(self, **message: Any) -> None:
        try:
            self._helper.send(message)
        except LinkError as error:
            self._fail_all(str(error))

    def _take(self, message: Message) -> None:
        """On the thread that reads the helper."""
        kind = message.get("event")
        if kind == "ready":
            self.has_device = message.get("backend") != "null"
            self._ready.set()
            return
        if kind == "unable":
            self._refused = str(message.get("reason"))[:500]
            self._ready.set()
            return
        sound_id = message.get("id")
        if kind not in KINDS or not isinstance(sound_id, str):
            return
        position, length = _seconds(message.get("position")), _seconds(message.get("length"), -1.0)
        event = OutputEvent(
            sound_id, kind, position, None if length < 0 else length, str(message.get("reason", ""))[:500]
        )
        with self._lock:
            if kind in LAST:
                self._playing.pop(sound_id, None)
            else:
                self._playing[sound_id] = (position, None if kind == PAUSED else time.monotonic())
            self._news.append(event)

    def _on_end(self, reason: str) -> None:
        self._ended = self._refused or f"the sound helper ended: {reason}"
        self._ready.set()
        self._fail_all(self._ended)

    def _fail_all(self, reason: str) -> None:
        with self._lock:
            self._news.extend(OutputEvent(one, FAILED, reason=reason) for one in self._playing)
            self._playing.clear()


def _seconds(value: object, otherwise: float = 0.0) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else otherwise
