# SPDX-License-Identifier: Apache-2.0
"""Play, speak, and the player's commands."""

import math

import pytest
from virtual_run import (
    LENGTHS,
    SONG,
    VOICE,
    VirtualRun,
    delay,
    lines,
    loop,
    outcome,
    par,
    play,
    player,
    seq,
    speak,
)

from embodiment_bridge.behaviour.engine.ports import SoundRequest, SoundStatus
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.nodes.sound import Player
from embodiment_bridge.core.errors import CommandError, ConfigError


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (play(SONG), ("SUCCEEDED", 20.0)),
        (seq(play(VOICE), play(SONG)), ("SUCCEEDED", 23.0)),
        (loop(3, play(VOICE)), ("SUCCEEDED", 9.0)),
        (par(play(SONG), seq(delay(2), player("stop"))), ("SUCCEEDED", 2.0)),
        (par(play(SONG), seq(delay(2), player("pause"), delay(5), player("resume"))), ("SUCCEEDED", 25.0)),
        (par(play(SONG), seq(delay(2), player("pause"), delay(1), player("stop"))), ("SUCCEEDED", 3.0)),
        (par(play(SONG), seq(delay(2), play(VOICE))), ("SUCCEEDED", 5.0)),  # the newer one takes the channel
        (par(play(SONG), player("stop")), ("SUCCEEDED", 0.0)),  # in the order of the document
        (par(player("stop"), play(SONG)), ("SUCCEEDED", 20.0)),
        (par(play(SONG), player("setVolume", 30.0)), ("SUCCEEDED", 20.0)),
    ],
)
def test_lengths(root, expected):
    assert outcome(root) == expected


@pytest.mark.parametrize("action", ["pause", "resume", "stop"])
def test_a_command_succeeds_when_nothing_plays(action):
    seen = lines(player(action))
    assert seen[-1] == {"outcome": "SUCCEEDED", "t": 0.0}
    assert "nothing plays" in [line.get("message") for line in seen]


@pytest.mark.parametrize("volume", [None, -1.0, 101.0, math.nan])
def test_a_bad_volume_is_a_failure(volume):
    stage = VirtualRun(player("setVolume", volume))
    stage.tick(0.0)
    assert stage.ended == ("FAILED", 0.0)
    assert stage.run.ending.reason == f"a volume is 0 to 100 percent, not {volume}"


def test_volumes_reach_the_player():
    loud = Document(Player(pointer="", action="play", url=SONG, volume=60.0))
    stage = VirtualRun(loud)
    stage.tick(0.0)
    assert stage.media.volume == 60.0
    assert stage.media.command("setVolume", 25.0) == ""
    assert stage.media.volume == 25.0


def test_a_replaced_song_ends_well_with_a_warning():
    stage = VirtualRun(par(play(SONG), seq(delay(2), play(VOICE))))
    stage.to_end(0.5)
    assert stage.run.warnings == ["/0: REPLACED: a newer sound took the channel"]


def test_media_of_unknown_length():
    seen = lines(play("http://media.example/unheard.mp3"))
    assert seen[-1]["outcome"] == "FAILED"
    assert seen[-1]["reason"].startswith("MEDIA_LENGTH_UNKNOWN: ")
    assert "--media" in seen[-1]["reason"]


def test_speech():
    assert outcome(speak(), speech=2.5) == ("SUCCEEDED", 2.5)
    assert outcome(par(speak(), seq(delay(1), player("stop"))), speech=2.5) == ("SUCCEEDED", 1.0)


def test_speech_without_a_voice_is_rejected():
    seen = lines(seq(delay(1), speak()))
    assert seen[0]["code"] == "UNRESOLVED_SPEAK"
    assert seen[0]["node"] == "/1"
    assert seen[-1]["outcome"] == "REJECTED"


def test_a_play_with_a_length_of_its_own_ends_then():
    for seconds, end in ((5.0, 5.0), (30.0, 30.0)):
        root = Player(pointer="", action="play", url=SONG, duration_s=seconds)
        assert outcome(root) == ("SUCCEEDED", end)


class TestVirtualMedia:
    def test_unknown_command(self):
        with pytest.raises(CommandError, match="rewind"):
            VirtualMedia({}).command("rewind", None)

    @pytest.mark.parametrize(
        ("lengths", "speech"), [({"u": math.nan}, None), ({"u": -1.0}, None), ({}, math.inf)]
    )
    def test_bad_lengths(self, lengths, speech):
        with pytest.raises(ConfigError, match="length of"):
            VirtualMedia(lengths, speech)

    def test_an_unknown_request_has_failed(self):
        media = VirtualMedia(LENGTHS)
        assert media.report("never").status is SoundStatus.FAILED
        media.cancel("never")

    def test_a_new_sound_plays_although_the_old_one_was_paused(self):
        media = VirtualMedia(LENGTHS)
        media.start(SoundRequest("a", url=SONG))
        media.command("pause", None)
        media.start(SoundRequest("b", url=VOICE))
        assert media.next_time() == 3.0
