# SPDX-License-Identifier: Apache-2.0
"""The sound helper and a device of the test's: what becomes of sounds when it goes, and when it rests."""

import numpy as np
import pytest

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.media.outputs import sound_helper
from embodiment_bridge.media.outputs.mixing import CHANNELS
from embodiment_bridge.media.outputs.sound_helper import Program


class Device:
    backend = "alsa"
    there = True
    silent_for = 0.0

    def __init__(self, backend, mix):
        if not Device.there:
            raise LinkError("this machine has no sound device")
        self.mix, self.running, self.closed = mix, False, False

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def close(self):
        self.closed = True


class Tone:
    length = None

    def read(self, frames):
        return np.zeros((frames, CHANNELS), np.float32)


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(sound_helper, "SoundDevice", Device)
    monkeypatch.setattr(Device, "there", True)
    return Program("auto")


def last(program):
    return [(event.id, event.kind, event.reason) for event in program._mixer.events()]


def test_a_device_that_takes_no_more_fails_its_sounds_and_is_opened_anew(program):
    first = program._device
    program._mixer.add("1", Tone(), 1.0, 0.0)
    program._tend_device()
    assert first.running
    first.silent_for = sound_helper.SILENT_S + 1
    program._tend_device()
    assert last(program) == [("1", "failed", "the sound device takes no more samples")]
    assert first.closed
    program._mixer.add("2", Tone(), 1.0, 0.0)
    program._tend_device()
    assert program._device is not first
    assert program._device.running


def test_a_device_that_stays_away(program, monkeypatch):
    program._device = None
    monkeypatch.setattr(Device, "there", False)
    program._mixer.add("1", Tone(), 1.0, 0.0)
    program._tend_device()
    assert last(program) == [("1", "failed", "this machine has no sound device")]


def test_the_device_rests_when_nothing_plays(program, monkeypatch):
    program._mixer.add("1", Tone(), 1.0, 0.0)
    program._tend_device()
    program._mixer.pause("1")
    program._mixer.mix(48_000)
    program._tend_device()
    assert program._device.running
    monkeypatch.setattr(sound_helper, "LINGER_S", -1.0)
    program._tend_device()
    assert not program._device.running


def test_bad_commands_are_told_and_hurt_nothing(program, capsys):
    for line in (b"no json", b"[1]", b'{"do": "play"}', b'{"do": "pause"}', b'{"do": "pause", "id": "gone"}'):
        program._handle_line(line)
    told = capsys.readouterr().out.split()
    assert sum("failed" in word for word in told) == 4
    assert not program._opening
