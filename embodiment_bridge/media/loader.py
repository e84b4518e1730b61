# SPDX-License-Identifier: Apache-2.0
"""Loads sounds on a few threads: fetches media, speaks texts and reads marks."""

import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from embodiment_bridge.core.errors import BridgeError, CommandError
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files import marks as mark_files
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.sources import MediaSources
from embodiment_bridge.media.files.wav import envelope, wav_length
from embodiment_bridge.media.speech.store import SpeechStore, Spoken

THREADS = 4
MAX_WAITING = 32


@dataclass(frozen=True, slots=True)
class Loaded:
    """Holds a sound that can be played, or the ``reason`` why it cannot. length: s, None if unknown."""

    id: str
    path: Path = field(default_factory=Path)
    length: float | None = None
    marks: Marks = field(default_factory=Marks)
    reason: str = ""


class Loader:
    """Loads sounds in the background; ``take`` gives those that are ready. Without ``speech``, texts fail."""

    def __init__(self, sources: MediaSources, speech: SpeechStore | None = None) -> None:
        self._sources = sources
        self._ready: queue.SimpleQueue[Loaded] = queue.SimpleQueue()
        self._waiting: dict[str, tuple[threading.Event, Future[None]]] = {}
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="media-loader")
        self._speech = speech

    @property
    def speaks(self) -> bool:
        """Whether texts can be spoken."""
        return self._speech is not None

    def begin(self, cue: Cue) -> None:
        """Begin to load a sound.

        Raises:
            CommandError: ``MAX_WAITING`` sounds are being loaded already.
        """
        if len(self._waiting) >= MAX_WAITING:
            raise CommandError(f"{MAX_WAITING} sounds are being loaded already")
        cancelled = threading.Event()
        self._waiting[cue.id] = (cancelled, self._pool.submit(self._load, cue, cancelled))

    def cancel(self, sound_id: str) -> None:
        """Stop loading a sound."""
        waiting = self._waiting.pop(sound_id, None)
        if waiting is not None:
            waiting[0].set()
            waiting[1].cancel()

    def take(self) -> list[Loaded]:
        """Return the sounds that have been loaded (or have failed) since the last call, without cancelled ones."""
        ready: list[Loaded] = []
        while True:
            try:
                loaded = self._ready.get_nowait()
            except queue.Empty:
                return ready
            if self._waiting.pop(loaded.id, None) is not None:
                ready.append(loaded)

    def close(self) -> None:
        """Stop loading, and end the speech program."""
        for sound_id in list(self._waiting):
            self.cancel(sound_id)
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._speech is not None:
            self._speech.close()

    def _load(self, cue: Cue, cancelled: threading.Event) -> None:
        try:
            self._ready.put(self._loaded(cue, cancelled))
        except (BridgeError, OSError) as error:
            self._ready.put(Loaded(cue.id, reason=str(error)))
        except Exception as error:  # noqa: BLE001 - a fault here fails this sound only
            self._ready.put(Loaded(cue.id, reason=f"{type(error).__name__}: {error}"))

    def _loaded(self, cue: Cue, cancelled: threading.Event) -> Loaded:
        if cue.url:
            path = self._sources.path_of(cue.url, cancelled.is_set)
            marks = self._marks(cue, cancelled)
            marks = _with_mouth(marks, path) if cue.marks_url else marks
            return Loaded(cue.id, path, wav_length(path), marks)
        if self._speech is None:
            raise CommandError("this player has no speech program")
        speech = self._speech.get(Spoken(cue.text, cue.voice, cue.language, cue.rate), cancelled.is_set)
        marks = _with_mouth(speech.marks, speech.path)
        return Loaded(cue.id, speech.path, wav_length(speech.path), marks)

    def _marks(self, cue: Cue, cancelled: threading.Event) -> Marks:
        if not cue.marks_url:
            return Marks()
        return mark_files.from_file(self._sources.marks_of(cue.marks_url, cancelled.is_set))


def _with_mouth(marks: Marks, path: Path) -> Marks:
    """Add the loudness to marks without phonemes: it moves the mouth instead."""
    return marks if marks.phonemes else replace(marks, levels=envelope(path))
