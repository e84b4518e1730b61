# SPDX-License-Identifier: Apache-2.0
"""Sound: how soon it stands still, how soon it begins, and how long speech for a whole document takes.

    python benchmarks/bench_media.py [TRIES]

Wall time, on a null sound device that plays in real time: from the call to the moment in which the last audible sample,
or the first one, has left the buffer of the device (30 ms). The delay of a sound card or a sound server is not
included. A row whose program is missing is left out.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rows import percentile, row

from embodiment_bridge import bml
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.launching.environment import of_outside_program
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.files.sources import MediaSources
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.media.outputs.device_output import DeviceOutput, in_background
from embodiment_bridge.media.player import Player
from embodiment_bridge.media.preprocess import preprocess
from embodiment_bridge.media.speech.programs import EspeakSpeaker
from embodiment_bridge.media.speech.store import SpeechStore, Spoken
from embodiment_bridge.standins.bml.replies import wav

TRIES = 30
SPEAKS = 200
PATIENCE_S = 20.0
AIM_PAUSE_MS, AIM_START_MS, AIM_PREPROCESS_S = 50.0, 100.0, 10.0


def run(tries: int = TRIES) -> list[dict[str, Any]]:
    """Measure; a row for each number."""
    environment = of_outside_program(os.environ)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for measure in (_player_rows, _speech_rows):
            rows += _or_left_out(measure, Path(folder), environment, tries)
    return rows


def _or_left_out(
    measure: Callable[[Path, dict[str, str], int], list[dict[str, Any]]],
    folder: Path,
    environment: dict[str, str],
    tries: int,
) -> list[dict[str, Any]]:
    try:
        return measure(folder, environment, tries)
    except BridgeError as error:
        sys.stderr.write(f"left out: {error}\n")
        return []


@contextmanager
def _player(folder: Path, environment: dict[str, str]) -> Iterator[Player]:
    sources = MediaSources(UrlPolicy(media_roots=(str(folder),)), MediaCache(folder / "cache", 10**8))
    output = in_background(lambda: DeviceOutput(environment, "null"))
    output.result()
    player = Player(Loader(sources), lambda: output)
    try:
        yield player
    finally:
        player.close()


def _player_rows(folder: Path, environment: dict[str, str], tries: int) -> list[dict[str, Any]]:
    song = folder / "song.wav"
    song.write_bytes(wav("music", "a", 60.0))
    starts, pauses = [], []
    with _player(folder, environment) as player:
        for number in range(tries):
            start, pause = _start_and_pause(player, str(number), song.as_uri())
            starts.append(start)
            pauses.append(pause)
    return [
        _row("pause to silence", pauses, AIM_PAUSE_MS),
        _row("start of a cached sound", starts, AIM_START_MS),
    ]


def _start_and_pause(player: Player, name: str, url: str) -> tuple[float, float]:
    begin = time.perf_counter()
    player.start(Cue(name, "bench", url=url))
    start = _ms_until(player, begin, lambda: player.status_of(name).status == "playing")
    begin = time.perf_counter()
    player.hold("bench", True)
    pause = _ms_until(player, begin, lambda: player.status_of(name).held)
    player.hold("bench", False)
    player.cancel(name)
    return start, pause


def _ms_until(player: Player, begin: float, condition: Callable[[], bool]) -> float:
    while not condition():
        if time.perf_counter() - begin > PATIENCE_S:
            raise TimeoutError(f"no effect within {PATIENCE_S:g} s")
        time.sleep(0.0002)
        player.poll()
    return (time.perf_counter() - begin) * 1e3


def _row(name: str, times_ms: list[float], aim: float) -> dict[str, Any]:
    about = f"median of {len(times_ms)}, worst {max(times_ms):.1f} ms"
    return row(name, percentile(times_ms, 0.5), "ms", peer=about, at_most=aim)


def _speech_rows(folder: Path, environment: dict[str, str], tries: int) -> list[dict[str, Any]]:
    speaks = [
        {"type": "speak", "content": f"This is text number {number}, of many."} for number in range(SPEAKS)
    ]
    document = bml.read(json.dumps({"type": "sequence", "behaviors": speaks})).document
    if document is None:
        raise BridgeError("the document of the benchmark is bad")
    speaker = EspeakSpeaker(environment)
    store = SpeechStore(speaker, MediaCache(folder / "speech", 10**9))
    try:
        seconds = [_timed(lambda: preprocess(document, store, Path.as_uri)) for _ in range(2)]
        texts = [Spoken(f"Sentence {number}, said once.") for number in range(tries)]
        one = min(_timed(partial(store.get, text)) for text in texts)
    finally:
        store.close()
    return [
        row(
            f"preprocess {SPEAKS} texts",
            seconds[0],
            "s",
            peer="espeak-ng, empty cache",
            at_most=AIM_PREPROCESS_S,
        ),
        row(f"preprocess {SPEAKS} texts again", seconds[1], "s", peer="all in the cache", at_most=1.0),
        row("speak one sentence to a file", one * 1e3, "ms", peer="espeak-ng", at_most=AIM_PAUSE_MS),
    ]


def _timed(do: Callable[[], object]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


if __name__ == "__main__":
    for line in run(*map(int, sys.argv[1:])):
        sys.stdout.write(f"{line}\n")
