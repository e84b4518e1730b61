# SPDX-License-Identifier: Apache-2.0
"""What the sound tests share: a clock, WAV files, a loader without threads, a player on the null output."""

import struct
import wave
from concurrent.futures import Future
from pathlib import Path

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.loader import Loaded
from embodiment_bridge.media.outputs.output import NullOutput
from embodiment_bridge.media.player import Player


def write_wav(path, seconds, rate=8000):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(struct.pack("<h", 0) * round(seconds * rate))
    return Path(path)


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class InstantLoader:
    """A loader that is done at once: URL -> length in s; others fail. ``speaks`` texts of 1 s a word."""

    speaks = True

    def __init__(self, folder, lengths):
        self.paths = {url: write_wav(folder / f"{n}.wav", s) for n, (url, s) in enumerate(lengths.items())}
        self.lengths = lengths
        self.ready = []
        self.paused = False  # nothing is delivered meanwhile
        self.full = False

    def begin(self, cue):
        if self.full:
            raise CommandError("32 sounds are being loaded already")
        words = len(cue.text.split())
        if cue.text:
            marks = Marks(tuple((float(n), n) for n in range(words)), ((0.0, "a"), (0.5, "m")))
            path = next(iter(self.paths.values()))
            self.ready.append(Loaded(cue.id, path, float(words), marks))
        elif cue.url in self.paths:
            self.ready.append(Loaded(cue.id, self.paths[cue.url], self.lengths[cue.url]))
        else:
            self.ready.append(Loaded(cue.id, reason="the URL is refused: no such thing"))

    def cancel(self, sound_id):
        self.ready = [one for one in self.ready if one.id != sound_id]

    def take(self):
        if self.paused:
            return []
        ready, self.ready = self.ready, []
        return ready

    def close(self):
        self.ready = []


class SoundStage:
    def __init__(self, folder, lengths=None, **options):
        self.clock = Clock()
        self.output = NullOutput(self.clock)
        self.loader = InstantLoader(folder, lengths or {"song": 20.0, "voice": 3.0})
        opening = Future()
        opening.set_result(self.output)
        self.told = []
        self.player = Player(self.loader, lambda: opening, on_change=self.told.append, **options)

    def at(self, t):
        self.clock.now = t
        self.player.poll()
        return self

    def play(self, sound_id, url="song", owner="run", **more):
        self.player.start(Cue(sound_id, owner, url=url, **more))
        self.player.poll()

    def status(self, sound_id):
        return self.player.status_of(sound_id).status
