# SPDX-License-Identifier: Apache-2.0
"""Plays on the sound device through a helper program, and chooses the output.

Opening may wait: call it on a thread.
"""

import importlib.util
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Final

from typing_extensions import override

import embodiment_bridge
from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError, unknown
from embodiment_bridge.core.helper_process import HelperProcess, Message
from embodiment_bridge.media.outputs.output import (
    FAILED,
    LAST,
    PAUSED,
    PLAYING,
    POSITION,
    START_S,
    NullOutput,
    Output,
    OutputEvent,
)

HELPER = Path(__file__).with_name("sound_helper.py")
LIBRARIES = Path(embodiment_bridge.__file__).parents[1]  # the helper finds this package here
BACKENDS = ("auto", "pulseaudio", "alsa", "jack", "coreaudio", "null")
FADE_OUT_S = 0.03
KINDS = {PLAYING, PAUSED, POSITION, *LAST}
MAX_EVENTS = 10_000  # limit of events that are not taken yet


class DeviceOutput(Output):
    """Implements an ``Output`` to the sound device.

    When the helper ends, all sounds fail; the next sound starts it again.

    Args:
        environment: of the helper; see ``launching.environment.of_outside_program``.
        backend: one of ``BACKENDS``; auto: the first that has a device; null: in real time, without a device.

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
        self._news: deque[OutputEvent] = deque(maxlen=MAX_EVENTS)
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._playing: dict[str, tuple[float, float | None]] = {}  # id: (position, since when; None: paused)
        self._ended = self._refused = ""
        self.has_device = False
        self._helper = self._start()
        if not self._ready.wait(START_S) or self._refused or self._ended:
            self.close()
            raise LinkError(
                self._refused or self._ended or f"the sound helper did not answer within {START_S:g} s"
            )

    def _start(self) -> HelperProcess:
        self._ended = self._refused = ""
        return HelperProcess(self._command, self._environment, self._on_message, self._on_end)

    @property
    def pid(self) -> int:
        """The process id of the helper."""
        return self._helper.pid

    @override
    def play(self, sound_id: str, path: str, *, volume: float, fade: float, length: float | None) -> None:
        del length
        if self._ended and not self._start_again(sound_id):
            return
        with self._lock:
            self._playing[sound_id] = (0.0, None)
        self._send(do="play", id=sound_id, path=path, volume=volume, fade=fade)

    @override
    def pause(self, sound_id: str) -> None:
        self._send(do="pause", id=sound_id)

    @override
    def resume(self, sound_id: str) -> None:
        self._send(do="resume", id=sound_id)

    @override
    def stop(self, sound_id: str) -> None:
        self._send(do="stop", id=sound_id, fade=FADE_OUT_S)

    @override
    def set_volume(self, sound_id: str, volume: float) -> None:
        self._send(do="volume", id=sound_id, volume=volume)

    @override
    def events(self) -> list[OutputEvent]:
        with self._lock:
            news = list(self._news)
            self._news.clear()
        return news

    @override
    def position(self, sound_id: str) -> float:
        """Return the position (s) that the helper reported last, plus the time since then."""
        with self._lock:
            position, since = self._playing.get(sound_id, (0.0, None))
        return position if since is None else position + time.monotonic() - since

    @override
    def close(self) -> None:
        self._helper.close()

    def _start_again(self, sound_id: str) -> bool:
        """Return whether the helper was started for this sound, which fails otherwise; the next one tries again."""
        ended = self._ended
        self._helper.close()
        try:
            self._helper = self._start()
        except LinkError as error:
            self._ended = ended
            with self._lock:
                self._news.append(OutputEvent(sound_id, FAILED, reason=str(error)))
            return False
        return True

    def _send(self, **message: str | float) -> None:
        try:
            self._helper.send(message)
        except LinkError as error:
            self._fail_all(str(error))

    def _on_message(self, message: Message) -> None:
        """Take a message, on the thread that reads the helper."""
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


OUTPUTS: Final = ("auto", "device", "null")
Warn = Callable[[str], None]


def open_output(
    choice: str,
    environment: Mapping[str, str],
    now: Callable[[], float],
    warn: Warn,
    backend: str = "auto",
) -> Output:
    """Open an output. ``auto`` takes the sound device if there is one, else null; ``warn`` then gets the reason.

    ``backend``: see ``DeviceOutput``.

    Raises:
        BridgeError: ``device`` was chosen and cannot be opened, or the choice is unknown.
    """
    if choice not in OUTPUTS:
        raise ConfigError(unknown("output of sound", choice, OUTPUTS))
    if choice == "null":
        return NullOutput(now)
    try:
        output = DeviceOutput(environment, backend)
    except BridgeError as error:
        if choice == "device":
            raise
        warn(f"sound is timed but not audible: {error}")
        return NullOutput(now)
    if choice == "auto" and not output.has_device:
        output.close()
        warn("sound is timed but not audible: this machine has no sound device")
        return NullOutput(now)
    return output


def in_background(make: Callable[[], Output]) -> "Future[Output]":
    """Call ``make`` on a thread of its own."""
    future: Future[Output] = Future()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(make())
        except Exception as error:  # noqa: BLE001 - the caller gets it with the result
            future.set_exception(error)

    Thread(target=work, name="media-opening", daemon=True).start()
    return future
