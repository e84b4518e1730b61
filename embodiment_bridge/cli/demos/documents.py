# SPDX-License-Identifier: Apache-2.0
"""Demos that perform a document of this package: first steps, a dance that is paused, and songs that are fetched."""

import json
import math
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.stage import Show, Stage, own_document, say_lines
from embodiment_bridge.cli.terminal import say

if TYPE_CHECKING:
    from embodiment_bridge.msg import AudioState
    from embodiment_bridge.standins.bml.server import BmlPeer

FIRST_STEPS = Show(
    "a robot moves head and arms, walks and turns",
    ("rcsssmj", "mock", "simspark"),
    lambda stage: stage.perform(stage.document or own_document("first_steps")),
)
PAUSE_S = 2.0  # s of wall time
PATIENCE_S = 30.0  # s of wall time for each of pause and resume


def _dance(stage: Stage) -> int:
    """Perform the dance. Exit code 1 also if the pause did not work."""
    if not stage.join():
        return stage.not_joined
    stage.begin(stage.document or own_document("dance"))
    held = _pause_half_way(stage)
    code = stage.finish()
    return code if held or code else 1


def _pause_half_way(stage: Stage) -> bool:
    """Pause and resume the dance; returns whether it stood still between."""
    stage.wait(lambda: stage.result is not None or _is_half_way(stage))
    if stage.result is not None or stage.stopped():
        return False
    if not stage.call("pause") or not stage.wait(lambda: stage.feedback.state == "PAUSED", PATIENCE_S):
        say("the dance could not be paused")
        return False
    before = stage.feedback.elapsed
    say(f"paused at {before:.2f} s of the dance")
    stage.wait(lambda: False, PAUSE_S)
    stood = stage.feedback.elapsed == before
    say(f"going on at {stage.feedback.elapsed:.2f} s")
    return stage.call("resume") and stood


def _is_half_way(stage: Stage) -> bool:
    feedback = stage.feedback
    return math.isfinite(feedback.expected) and feedback.elapsed >= feedback.expected / 2


DANCE = Show(
    "a dance with eye colours, paused and resumed half way",
    ("rcsssmj", "mock", "simspark", "virtual_servos"),
    _dance,
)
SONGS = 2
HOST = "songs.example"  # in the document


def _song_words(port: int, afterwards: ExitStack) -> list[str]:
    """Return a parameter file that allows fetching from the stand-in only."""
    opened = {"fetch_plain_http": True, "fetch_host_map": [f"{HOST}=127.0.0.1:{port}"]}
    path = Path(afterwards.enter_context(TemporaryDirectory())) / "song.yaml"
    sections = {"/**": {"autostart": True}, "/**/behavior_tree": opened}
    path.write_text(json.dumps({key: {"ros__parameters": values} for key, values in sections.items()}))
    return [f"params:={path}"]


def _song(stage: Stage) -> int:
    """Exit code 0 if each song was announced, played to its end, and danced to."""
    from embodiment_bridge.msg import AudioState
    from embodiment_bridge.nodes.base.qos import profile
    from embodiment_bridge.standins.bml.server import BmlPeer

    endings: dict[str, AudioState] = {}

    def on_audio(state: AudioState) -> None:
        if state.ending:
            endings[state.id] = state

    with BmlPeer("127.0.0.1", stage.port, songs=SONGS) as peer:
        stage.watcher.create_subscription(AudioState, "audio_state", on_audio, profile("state"))
        if not stage.join():
            return stage.not_joined
        stage.begin(stage.document or own_document("song"))
        code = stage.finish()
        say_lines(_summary(endings, peer))
        return code or int(stage.document is None and not _went_well(endings, peer))


def _went_well(endings: "dict[str, AudioState]", peer: "BmlPeer") -> bool:
    """Return whether the greeting, the announcements and the songs were played to their ends."""
    played = [state for state in endings.values() if state.ending == "ended"]
    return len(played) == 1 + 2 * SONGS and sum("type=next" in target for target in peer.asked) == SONGS


def _summary(endings: "dict[str, AudioState]", peer: "BmlPeer") -> list[str]:
    spoken = [state for state in endings.values() if state.text]
    media = [state for state in endings.values() if state.url]
    through = next((state.output for state in endings.values()), "nothing")
    heard = "only timed, as there is no sound device" if through == "null" else f"played by {through}"
    ended = sum(state.ending == "ended" for state in endings.values())
    return [
        f"sounds             {len(spoken)} spoken, {len(media)} media, {ended} to their end; {heard}",
        f"the stand-in       was asked {len(peer.asked)} times, for {SONGS} songs and what belongs to them",
    ]


SONG = Show(
    "a robot greets, then sings and dances two songs fetched one after the other",
    ("mock", "rcsssmj", "simspark", "virtual_servos"),
    _song,
    words=_song_words,
)
