# SPDX-License-Identifier: Apache-2.0
"""The player: channels, commands, holds, volumes, limits; on the null output and a clock of the test's."""

from concurrent.futures import Future
from datetime import datetime

import pytest
from sound_stage import SoundStage

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.media.channels import Loudness, quiet_hours
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.player import MAX_CHANNELS, MAX_SOUNDS, Player


@pytest.fixture
def stage(tmp_path):
    return SoundStage(tmp_path)


def test_a_sound_takes_its_time(stage):
    stage.play("1", "voice")
    assert stage.at(2.9).status("1") == "playing"
    assert stage.at(3.0).status("1") == "ended"
    assert not stage.player.busy


def test_pause_and_resume_keep_the_position(stage):
    stage.play("1", "voice")
    stage.at(1.0).player.command("pause")
    assert stage.at(50.0).player.states()[0].state == "paused"
    assert stage.player.states()[0].position == 1.0
    stage.player.command("resume")
    assert stage.at(51.9).status("1") == "playing"
    assert stage.at(52.0).status("1") == "ended"


def test_a_hold_freezes_its_owner_only(stage):
    stage.play("1", "voice", owner="a")
    stage.play("2", "voice", owner="b", channel="other")
    stage.at(1.0).player.hold("a", True)
    stage.at(1.0)
    assert stage.player.status_of("1").held
    assert not stage.player.status_of("2").held
    assert stage.at(10.0).status("2") == "ended"
    stage.player.hold("a", False)
    stage.at(10.0)
    assert not stage.player.status_of("1").held
    assert stage.at(12.0).status("1") == "ended"


def test_what_was_paused_stays_paused_after_a_hold(stage):
    stage.play("1", "voice")
    stage.player.command("pause")
    stage.at(0.0).player.hold("run", True)
    stage.at(5.0).player.hold("run", False)
    assert stage.at(60.0).status("1") == "playing"
    assert stage.player.states()[0].state == "paused"
    stage.player.command("resume")
    assert stage.at(63.0).status("1") == "ended"


def test_a_sound_that_is_loaded_during_a_hold_begins_after_it(stage):
    stage.player.hold("run", True)
    stage.play("1", "voice")
    assert stage.player.status_of("1").held
    stage.at(7.0).player.hold("run", False)
    assert stage.at(9.9).status("1") == "playing"
    assert stage.at(10.0).status("1") == "ended"


def test_a_newer_sound_takes_the_channel_only_when_it_can_begin(stage):
    stage.play("1")
    stage.play("2", "voice")
    assert (stage.status("1"), stage.status("2")) == ("replaced", "playing")
    stage.loader.full = True
    stage.play("3", "voice")
    assert stage.player.status_of("3").reason == "32 sounds are being loaded already"
    assert stage.status("2") == "playing"


def test_stop_and_cancel(stage):
    stage.play("1")
    stage.player.command("stop")
    assert stage.at(1.0).status("1") == "stopped"
    stage.play("2")
    stage.player.cancel("2")
    assert stage.at(1.0).status("2") == "stopped"
    assert stage.player.command("stop") == "nothing plays"


def test_what_is_cancelled_while_it_loads_never_begins(stage):
    stage.loader.paused = True
    stage.play("1")
    stage.player.cancel("1")
    stage.loader.paused = False
    assert stage.at(1.0).status("1") == "stopped"
    assert stage.output.events() == []


def test_a_failure_has_its_reason(stage):
    stage.play("1", "elsewhere")
    assert stage.player.status_of("1").reason == "the URL is refused: no such thing"
    assert stage.player.status_of("1").reason == "there is no such sound"  # it was told, and is forgotten


def test_a_run_that_ends_takes_its_sound_along(stage):
    stage.play("1", owner="a")
    stage.player.hold("a", True)
    stage.player.forget("a")
    stage.at(0.0)
    assert not stage.player.busy
    stage.play("2", "voice", owner="a")
    assert stage.at(3.0).status("2") == "ended"  # its hold is gone as well


def test_words_and_mouth_of_a_text(stage):
    stage.player.start(Cue("1", "run", text="one two three"))
    assert stage.player.status_of("1").words == -1
    assert [stage.at(t).player.status_of("1").words for t in (0.0, 0.9, 1.0, 2.5)] == [1, 1, 2, 3]
    state = stage.player.states()[0]
    assert (state.word, state.phoneme, state.mouth) == ("three", "m", 0.0)
    assert stage.at(2.5).player.status_of("1").left == 1.0


def test_changes_are_told_once_each(stage):
    stage.play("1", "voice")
    stage.at(3.0)
    assert [(one.state, one.ending) for one in stage.told] == [
        ("loading", ""),
        ("playing", ""),
        ("idle", "ended"),
    ]


@pytest.mark.parametrize("volume", [None, -1.0, 100.1, float("nan")])
def test_bad_volumes(stage, volume):
    with pytest.raises(CommandError, match="a volume is 0 to 100 percent"):
        stage.player.command("setVolume", volume)
    if volume is not None:
        stage.play("1", volume=volume)
        assert stage.status("1") == "failed"


@pytest.mark.parametrize("channel", ["2", "a/b", "x" * 33, "é"])
def test_bad_channels(stage, channel):
    with pytest.raises(CommandError, match="a channel is a letter"):
        stage.player.command("pause", None, channel)


def test_unknown_actions(stage):
    with pytest.raises(CommandError, match="did you mean 'setVolume'"):
        stage.player.command("setvolume", 3.0)


def test_channels_with_sounds_have_a_bound(stage):
    for n in range(MAX_CHANNELS - 1):
        stage.play(str(n), channel=f"c{n}")
    with pytest.raises(CommandError, match="16 channels with sounds already"):
        stage.player.command("pause", None, "more")
    stage.play("more", "voice", channel="more")
    assert "16 channels with sounds already" in stage.player.status_of("more").reason
    stage.player.cancel("3")
    stage.at(1.0).play("other", "voice", channel="more")
    assert stage.status("other") == "playing"
    assert [one.channel for one in stage.player.states()].count("c3") == 0
    assert len(stage.player.states()) == MAX_CHANNELS


def test_a_robot_never_runs_out_of_channels(stage):
    """A server may name a new one in each document; the usual ones stay, with their volumes."""
    stage.player.command("setVolume", 40.0)
    stage.player.command("setVolume", 50.0, "speech")
    for n in range(3 * MAX_CHANNELS):
        stage.play(str(n), "voice", channel=f"c{n}")
        assert stage.at(3.0 * (n + 1)).status(str(n)) == "ended"
    volumes = {one.channel: one.volume for one in stage.player.states()}
    assert (len(volumes), volumes["main"], volumes["speech"]) == (MAX_CHANNELS, 40.0, 50.0)


def test_sounds_have_a_bound(stage):
    stage.loader.paused = True
    for n in range(MAX_SOUNDS + 1):
        stage.player.start(Cue(str(n), "run", channel=f"c{n % 8}", url="song"))
    assert len(stage.player._sounds) == MAX_SOUNDS + 1
    waiting = [n for n in range(MAX_SOUNDS + 1) if stage.status(str(n)) == "loading"]
    assert len(waiting) == 8


def test_the_cap_holds_whatever_a_document_says(tmp_path):
    stage = SoundStage(tmp_path, loudness=Loudness(cap=40.0))
    heard = []
    stage.output.set_volume = lambda _, volume: heard.append(volume)
    stage.play("1", volume=90.0)
    assert stage.player.command("setVolume", 100.0) == "limited to 40 percent"
    assert stage.player.command("setVolume", 20.0) == ""
    assert stage.player.states()[0].heard_volume == 20.0
    assert heard == [0.2]


@pytest.mark.parametrize(
    ("usual", "own", "fade"), [(0.0, None, 0.0), (0.3, None, 0.3), (0.3, 0.0, 0.0), (0.0, 2.0, 2.0)]
)
def test_every_sound_fades_in(tmp_path, usual, own, fade):
    """As the player usually does, unless the document says how."""
    stage = SoundStage(tmp_path, fade_in=usual, loudness=Loudness(cap=40.0))
    begun = []
    stage.output.play = lambda sound_id, path, **how: begun.append((how["fade"], how["volume"]))
    stage.play("1", fade=own)
    assert begun == [(fade, 0.4)]


@pytest.mark.parametrize(
    ("hour", "heard"), [(21, 100.0), (22, 30.0), (23, 30.0), (3, 30.0), (7, 100.0), (12, 100.0)]
)
def test_quiet_hours(hour, heard):
    loudness = Loudness(quiet=quiet_hours("22:00-07:00"), clock=lambda: datetime(2026, 1, 1, hour))  # noqa: DTZ001 - local time is meant
    assert loudness.heard(100.0) == heard
    assert loudness.heard(10.0) == 10.0


@pytest.mark.parametrize("text", ["22-7", "24:00-07:00", "22:00", "22:00-07:60"])
def test_bad_quiet_hours(text):
    with pytest.raises(ConfigError, match="quiet hours are like"):
        quiet_hours(text)


def test_without_an_output_sounds_fail_with_its_reason(stage):
    broken = Future()
    broken.set_exception(LinkError("no device"))
    player = Player(stage.loader, lambda: broken)
    player.start(Cue("1", "run", url="song"))
    player.poll()
    assert player.status_of("1").reason == "the sound output cannot be opened: no device"
    player.close()
