# SPDX-License-Identifier: Apache-2.0
"""A robot greets with a gesture on a word, then sings and dances two songs that it fetches one after the other."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.bodies import free_ports
from embodiment_bridge.cli.demos.show import Show, own_document
from embodiment_bridge.cli.demos.stage import Stage

if TYPE_CHECKING:
    from embodiment_bridge.msg import AudioState
    from embodiment_bridge.standins.bml.server import BmlPeer

SONGS = 2
HOST = "songs.example"  # in the document


class SongShow:
    """The show; it keeps the port of the stand-in from launching to performing."""

    def __init__(self) -> None:
        self._place = ""
        self._folder: TemporaryDirectory[str] | None = None

    def words(self) -> list[str]:
        """Launch arguments: a parameter file that allows fetching from the stand-in only."""
        self._place = f"127.0.0.1:{free_ports(1)[0]}"
        self._folder = TemporaryDirectory()
        opened = {"fetch_plain_http": True, "fetch_host_map": [f"{HOST}={self._place}"]}
        path = Path(self._folder.name) / "song.yaml"
        path.write_text(json.dumps({"/**": {"ros__parameters": {"autostart": True, **opened}}}))
        return [f"params:={path}"]

    def perform(self, stage: Stage) -> int:
        """Exit code 0 if each song was announced, played to its end, and danced to."""
        from embodiment_bridge.msg import AudioState
        from embodiment_bridge.nodes.base.qos import profile
        from embodiment_bridge.standins.bml.server import BmlPeer

        host, _, port = self._place.partition(":")
        endings: dict[str, AudioState] = {}

        def on_audio(state: AudioState) -> None:
            if state.ending:
                endings[state.id] = state

        try:
            with BmlPeer(host, int(port), songs=SONGS) as peer:
                stage.watcher.create_subscription(AudioState, "audio_state", on_audio, profile("state"))
                if not stage.join():
                    return stage.not_joined
                stage.begin(stage.document or own_document("song"))
                code = stage.finish()
                sys.stdout.writelines(f"{line}\n" for line in _summary(endings, peer))
                sys.stdout.flush()
                return code or int(stage.document is None and not _went_well(endings, peer))
        finally:
            if self._folder is not None:
                self._folder.cleanup()


def _went_well(endings: "dict[str, AudioState]", peer: "BmlPeer") -> bool:
    """Whether the greeting, the announcements and the songs were played to their ends."""
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


_SHOW = SongShow()
SHOW = Show(
    "a robot greets, then sings and dances two songs fetched one after the other",
    ("mock", "rcsssmj", "simspark", "virtual_servos"),
    _SHOW.perform,
    "none",
    _SHOW.words,
)
