# SPDX-License-Identifier: Apache-2.0
"""The sound helper with a device that plays in real time to nobody: formats, events, crashes, what it must not open."""

import errno
import importlib.util
import os
import socket
from pathlib import Path

import pytest
from sound_stage import write_wav
from waiting import until

from embodiment_bridge.core import helper_process
from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError
from embodiment_bridge.launching.environment import of_outside_program
from embodiment_bridge.media.outputs import device_output, sound_device
from embodiment_bridge.media.outputs.device_output import DeviceOutput, open_output
from embodiment_bridge.media.outputs.output import NullOutput

ENVIRONMENT = of_outside_program(os.environ)
SOUNDS = Path(__file__).parents[1] / "data" / "sounds"


class Device:
    def __init__(self):
        self.output = DeviceOutput(ENVIRONMENT, "null")
        self.events = []

    def saw(self, *kinds, sound_id="1"):
        def look():
            self.events += [event for event in self.output.events() if event.kind != "position"]
            seen = [event.kind for event in self.events if event.id == sound_id]
            return list(dict.fromkeys(seen)) == list(kinds)

        until(look, lambda: self.events)

    def play(self, path, sound_id="1"):
        self.output.play(sound_id, str(path), volume=1.0, fade=0.0, length=None)


@pytest.fixture
def stage():
    stage = Device()
    yield stage
    stage.output.close()
    with pytest.raises(ProcessLookupError):  # gone, and no zombie
        os.kill(stage.output.pid, 0)


def test_a_file_plays_to_its_end(stage, tmp_path):
    stage.play(write_wav(tmp_path / "a b%20é.wav", 0.2))
    stage.saw("playing", "ended")
    assert stage.events[0].length == pytest.approx(0.2, abs=0.01)
    assert not stage.output.has_device


def test_pause_stands_and_resume_goes_on_there(stage, tmp_path):
    stage.play(write_wav(tmp_path / "a.wav", 30.0))
    stage.saw("playing")
    stage.output.pause("1")
    stage.saw("playing", "paused")
    there = stage.output.position("1")
    assert stage.output.position("1") == there
    stage.events.clear()
    stage.output.resume("1")
    stage.saw("playing")
    assert stage.events[0].position == pytest.approx(there, abs=0.1)
    stage.output.stop("1")
    stage.saw("playing", "stopped")


@pytest.mark.parametrize("name", ["none.wav", "folder"])
def test_what_cannot_be_played_fails_with_a_reason(stage, tmp_path, name):
    (tmp_path / "folder").mkdir()
    stage.play(tmp_path / name)
    stage.saw("failed")
    assert stage.events[0].reason


@pytest.mark.parametrize(("name", "seconds"), [("tone.mp3", 0.576), ("tone.ogg", 0.5), ("tone.flac", 0.5)])
def test_formats_are_known_by_what_is_in_the_file(stage, tmp_path, name, seconds):
    medium = tmp_path / "medium"  # as in the cache of media
    medium.write_bytes((SOUNDS / name).read_bytes())
    stage.play(medium)
    stage.saw("playing", "ended")
    assert stage.events[0].length == pytest.approx(seconds, abs=0.001)
    assert stage.events[-1].position == pytest.approx(seconds, abs=0.001)


NOISE = bytes(range(256)) * 20
NO_SOUNDS = {
    "noise.mp3": NOISE,
    "cut.flac": b"fLaC" + NOISE,
    "cut.ogg": b"OggS" + NOISE,
    "cut.wav": b"RIFF" + NOISE,
    "empty.wav": b"",
}


@pytest.mark.parametrize("name", NO_SOUNDS)
def test_noise_is_no_sound(stage, tmp_path, name):
    (tmp_path / name).write_bytes(NO_SOUNDS[name])
    stage.play(tmp_path / name)
    stage.saw("failed")
    assert stage.events[0].reason == "the file is not WAV, MP3, FLAC or Vorbis"


def test_opus_is_refused_and_not_heard_as_something_else(stage):
    stage.play(SOUNDS / "tone.opus")
    stage.saw("failed")


def test_what_is_told_while_a_file_is_opened_is_done_afterwards(stage, tmp_path):
    song = write_wav(tmp_path / "a.wav", 30.0)
    stage.play(song)
    stage.output.pause("1")
    stage.play(song, "2")
    stage.output.stop("2")
    stage.saw("playing", "paused")
    stage.saw("playing", "stopped", sound_id="2")


def test_more_sounds_than_can_play_at_once(stage, tmp_path):
    song = write_wav(tmp_path / "a.wav", 30.0)
    for number in range(33):
        stage.play(song, str(number))
    stage.saw("failed", sound_id="32")
    stage.saw("playing", sound_id="31")


PLAYLISTS = {
    "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:{port}/x.ts\n#EXT-X-ENDLIST\n",
    "a.m3u": "http://127.0.0.1:{port}/x.wav\n",
    "a.pls": "[playlist]\nFile1=http://127.0.0.1:{port}/x.wav\nNumberOfEntries=1\n",
    "a.mpd": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>http://127.0.0.1:{port}/</BaseURL></MPD>',
    "a.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio {port} RTP/AVP 0\n",
    "a.wav": "http://127.0.0.1:{port}/x.wav",
}


@pytest.mark.parametrize("name", PLAYLISTS)
def test_a_list_of_other_places_opens_none_of_them(stage, tmp_path, name):
    with socket.create_server(("127.0.0.1", 0)) as server:
        (tmp_path / name).write_text(PLAYLISTS[name].replace("{port}", str(server.getsockname()[1])))
        stage.play(tmp_path / name)
        stage.saw("failed")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_when_the_helper_dies_its_sounds_fail_and_the_next_one_plays(stage, tmp_path):
    song = write_wav(tmp_path / "a.wav", 30.0)
    stage.play(song)
    stage.saw("playing")
    os.kill(stage.output.pid, 9)
    stage.saw("playing", "failed")
    stage.play(song, "2")
    stage.saw("playing", sound_id="2")


def test_a_helper_that_cannot_be_started_again_fails_the_sound_and_the_next_one_tries(
    stage, tmp_path, monkeypatch
):
    song = write_wav(tmp_path / "a.wav", 30.0)
    stage.play(song)
    stage.saw("playing")
    os.kill(stage.output.pid, 9)
    stage.saw("playing", "failed")

    def without_room(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(helper_process.subprocess, "Popen", without_room)
        for sound_id in ("2", "3"):
            stage.play(song, sound_id)
            stage.saw("failed", sound_id=sound_id)
            assert "Too many open files" in stage.events[-1].reason
    stage.play(song, "4")
    stage.saw("playing", sound_id="4")


def test_a_backend_that_is_not_there():
    with pytest.raises(LinkError, match="this machine has no sound device for coreaudio"):
        DeviceOutput(ENVIRONMENT, "coreaudio")
    with pytest.raises(LinkError, match="unknown sound backend"):
        DeviceOutput(ENVIRONMENT, "loud")


def test_the_parameter_knows_all_backends():
    assert set(device_output.BACKENDS) == {"auto", *sound_device.BACKENDS}


def test_without_a_device_sound_is_timed_and_one_line_says_so():
    told = []
    output = open_output("auto", ENVIRONMENT, lambda: 0.0, told.append, "null")
    assert isinstance(output, NullOutput)
    assert told == ["sound is timed but not audible: this machine has no sound device"]
    output = open_output("auto", ENVIRONMENT, lambda: 0.0, told.append, "coreaudio")
    assert isinstance(output, NullOutput)
    assert "no sound device for coreaudio" in told[1]


def test_the_output_is_what_this_machine_has():
    told = []
    output = open_output("auto", ENVIRONMENT, lambda: 0.0, told.append)
    assert (output.name == "device") == (not told)
    output.close()


def test_without_miniaudio(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    told = []
    assert isinstance(open_output("auto", {}, lambda: 0.0, told.append), NullOutput)
    assert "pip install miniaudio" in told[0]
    with pytest.raises(ConfigError, match="pip install miniaudio"):
        open_output("device", {}, lambda: 0.0, told.append)
    with pytest.raises(BridgeError, match="unknown output of sound"):
        open_output("loud", {}, lambda: 0.0, told.append)
