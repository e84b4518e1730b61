# SPDX-License-Identifier: Apache-2.0
"""The mixer on sources of the test's: what is in each frame, and when it is told."""

import numpy as np
import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.outputs.mixing import CHANNELS, PAUSE_S, RATE, VOLUME_S, Mixer, Ramp

AHEAD = 1000  # frames
BLOCK = 384
PAUSE, VOLUME = round(PAUSE_S * RATE), round(VOLUME_S * RATE)


class Counting:
    """So many frames of a value."""

    def __init__(self, frames, value=0.5):
        self.left, self.value, self.length = frames, value, frames / RATE

    def read(self, frames):
        count = min(frames, self.left)
        self.left -= count
        return np.full((count, CHANNELS), self.value, np.float32)


class Broken:
    length = None

    def read(self, frames):
        raise CommandError("the rest cannot be decoded")


class Mixed:
    def __init__(self):
        self.woken = 0
        self.mixer = Mixer(AHEAD, self.wake)
        self.heard = np.zeros((0,), np.float32)
        self.told = []  # (frame after which it was told, event)

    def wake(self):
        self.woken += 1

    def play(self, frames=10**6, sound_id="1", volume=1.0, fade=0.0, value=0.5):
        source = Counting(frames, value)
        self.mixer.add(sound_id, source, volume, fade)
        return source

    def mix(self, frames, block=BLOCK):
        """Exactly so many frames, in blocks."""
        while frames > 0:
            samples = self.mixer.mix(min(block, frames))
            frames -= len(samples)
            assert (samples[:, 0] == samples[:, 1]).all()
            self.heard = np.concatenate([self.heard, samples[:, 0]])
            self.told += [(len(self.heard), event) for event in self.mixer.events()]

    def kinds(self, sound_id="1"):
        return [e.kind for _, e in self.told if e.id == sound_id and e.kind != "position"]


@pytest.fixture
def stage():
    return Mixed()


def test_a_sound_ends_exactly_and_is_told_when_it_is_heard(stage):
    stage.play(frames=10_000)
    assert not stage.mixer.idle
    stage.mix(10_000 + AHEAD, block=1)
    assert (stage.heard[:10_000] == 0.5).all()
    assert not stage.heard[10_000:].any()
    (first, playing), *_, (last, ended) = stage.told
    assert (first, playing.kind, playing.position, playing.length) == (AHEAD, "playing", 0.0, 10_000 / RATE)
    assert (last, ended.kind, ended.position) == (10_000 + AHEAD, "ended", 10_000 / RATE)
    assert stage.woken
    assert stage.mixer.idle


def test_pause_is_silent_soon_and_loses_no_frame(stage):
    source = stage.play(frames=10_000)
    stage.mix(1000)
    stage.mixer.pause("1")
    stage.mix(5000)
    assert (
        10_000 - source.left == 1000 + PAUSE
    )  # of a block of 384 frames no more was taken than was faded out
    assert (np.diff(stage.heard[1000 : 1000 + PAUSE]) < 0).all()
    assert not stage.heard[1000 + PAUSE :].any()
    assert stage.mixer.idle
    stage.mixer.resume("1")
    stage.mix(12_000)
    assert stage.kinds() == ["playing", "paused", "playing", "ended"]
    positions = [event.position for _, event in stage.told]
    assert positions == sorted(positions)
    assert positions[-1] == 10_000 / RATE


def test_paused_and_resumed_within_the_fade_goes_on(stage):
    stage.play()
    stage.mix(1000)
    stage.mixer.pause("1")
    stage.mix(100)
    stage.mixer.resume("1")
    stage.mix(2 * AHEAD)
    assert stage.heard[-1] == 0.5
    assert "paused" not in stage.kinds()


def test_stop_fades_out(stage):
    stage.play()
    stage.mix(1000)
    stage.mixer.stop("1", 0.03)
    stage.mix(3000)
    fading = stage.heard[1000:2440]
    assert (np.diff(fading) < 0).all()
    assert not stage.heard[2440:].any()
    assert stage.kinds() == ["playing", "stopped"]
    assert len(stage.mixer) == 0


def test_what_stands_is_stopped_without_a_device(stage):
    stage.play()
    stage.mixer.pause("1")
    stage.mix(2 * AHEAD)
    stage.mixer.stop("1", 0.03)
    assert [event.kind for event in stage.mixer.events()] == ["stopped"]


def test_fading_out_is_not_undone(stage):
    stage.play()
    stage.mix(100)
    stage.mixer.stop("1", 0.03)
    stage.mixer.pause("1")
    stage.mixer.resume("1")
    stage.mix(5000)
    assert stage.kinds() == ["playing", "stopped"]


def test_fade_in_and_volume_go_evenly(stage):
    stage.play(volume=0.5, fade=0.01)
    stage.mix(480)
    assert np.allclose(stage.heard, np.linspace(0, 0.25, 481)[1:], atol=1e-6)
    stage.mixer.set_volume("1", 1.0)
    stage.mix(VOLUME + 1)
    assert np.allclose(stage.heard[480:-1], np.linspace(0.25, 0.5, VOLUME + 1)[1:], atol=1e-6)
    assert stage.heard[-1] == 0.5


def test_sounds_are_added_up_and_end_by_themselves(stage):
    stage.play(frames=500, sound_id="a", value=0.25)
    stage.play(frames=900, sound_id="b", value=0.5)
    stage.mix(2500)
    assert (stage.heard[:500] == 0.75).all()
    assert (stage.heard[500:900] == 0.5).all()
    assert (stage.kinds("a"), stage.kinds("b")) == (["playing", "ended"], ["playing", "ended"])


def test_one_that_cannot_be_read_fails_and_the_others_go_on(stage):
    stage.mixer.add("bad", Broken(), 1.0, 0.0)
    stage.play()
    stage.mix(2 * AHEAD)
    assert stage.kinds("bad") == ["playing", "failed"]
    assert stage.heard[-1] == 0.5


def test_positions_are_told_while_it_plays(stage):
    stage.play()
    stage.mix(RATE)
    told = [(frame, event) for frame, event in stage.told if event.kind == "position"]
    assert len(told) == 5
    for frame, event in told:  # told with the first block after it is heard
        assert 0 <= frame - AHEAD - event.position * RATE < BLOCK


def test_when_the_device_is_gone_everything_fails(stage):
    stage.play()
    stage.play(frames=2 * AHEAD, sound_id="2")
    stage.mix(2 * AHEAD + BLOCK)
    stage.play(sound_id="3")
    stage.mixer.fail_all("the sound device takes no more")
    last = {event.id: event.kind for event in stage.mixer.events()}
    assert last == {"1": "failed", "2": "ended", "3": "failed"}  # the second was in the buffer of the device
    assert stage.mixer.idle
    stage.mix(2 * AHEAD)
    assert stage.kinds() == ["playing"]  # and nothing comes afterwards


def test_what_has_ended_takes_no_commands(stage):
    for action in (stage.mixer.pause, stage.mixer.resume):
        action("none")
    stage.mixer.stop("none", 0.0)
    stage.mixer.set_volume("none", 1.0)
    stage.mix(AHEAD)
    assert not stage.told


def test_a_ramp_reaches_its_goal_exactly():
    ramp = Ramp(0.1)
    ramp.to(0.7, 10 / RATE)
    values = np.concatenate([ramp.take(frames) for frames in (3, 3, 3, 3)])[:, 0]
    assert np.allclose(values[:10], 0.1 + 0.06 * np.arange(1, 11), atol=1e-6)
    assert (values[9:] == np.float32(0.7)).all()
