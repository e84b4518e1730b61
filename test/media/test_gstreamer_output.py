# SPDX-License-Identifier: Apache-2.0
"""The GStreamer helper with a sink that nobody hears: events, positions, crashes, and what it must not open."""

import os
import socket
import threading

import pytest
from sound_stage import wait_for, write_wav

from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError
from embodiment_bridge.launching.environment import of_outside_program
from embodiment_bridge.media.gstreamer_output import GStreamerOutput
from embodiment_bridge.media.helper_process import HelperProcess
from embodiment_bridge.media.null_output import NullOutput
from embodiment_bridge.media.opening import open_output
from embodiment_bridge.media.pythons import any_python, python_with_gi

ENVIRONMENT = of_outside_program(os.environ)


class Stage:
    def __init__(self):
        self.output = GStreamerOutput(ENVIRONMENT, "fakesink")
        self.events = []

    def saw(self, *kinds, sound_id="1"):
        def look():
            self.events += [event for event in self.output.events() if event.kind != "position"]
            seen = [event.kind for event in self.events if event.id == sound_id]
            return list(dict.fromkeys(seen)) == list(kinds)

        return wait_for(look)

    def play(self, path, sound_id="1"):
        self.output.play(sound_id, str(path), volume=1.0, fade=0.0, length=None)


@pytest.fixture
def stage():
    if not python_with_gi(ENVIRONMENT):
        pytest.skip("GStreamer is not installed")
    stage = Stage()
    yield stage
    stage.output.close()
    with pytest.raises(ProcessLookupError):  # gone, and no zombie
        os.kill(stage.output.pid, 0)


def test_a_file_plays_to_its_end(stage, tmp_path):
    stage.play(write_wav(tmp_path / "a b%20é.wav", 0.2))
    assert stage.saw("playing", "ended")
    assert stage.events[0].length == pytest.approx(0.2, abs=0.01)
    assert not stage.output.has_device


def test_pause_stands_and_resume_goes_on_there(stage, tmp_path):
    stage.play(write_wav(tmp_path / "a.wav", 30.0))
    assert stage.saw("playing")
    stage.output.pause("1")
    assert stage.saw("playing", "paused")
    there = stage.output.position("1")
    assert stage.output.position("1") == there
    stage.events.clear()
    stage.output.resume("1")
    assert stage.saw("playing")
    assert stage.events[0].position == pytest.approx(there, abs=0.1)
    stage.output.stop("1")
    assert stage.saw("playing", "stopped")


@pytest.mark.parametrize("name", ["none.wav", "folder"])
def test_what_cannot_be_played_fails_with_a_reason(stage, tmp_path, name):
    (tmp_path / "folder").mkdir()
    stage.play(tmp_path / name)
    assert stage.saw("failed")
    assert stage.events[0].reason


def test_noise_is_no_sound(stage, tmp_path):
    (tmp_path / "noise.mp3").write_bytes(bytes(range(256)) * 20)
    stage.play(tmp_path / "noise.mp3")
    assert stage.saw("failed")


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
        assert stage.saw("failed")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_when_the_helper_dies_its_sounds_fail_and_the_next_one_plays(stage, tmp_path):
    song = write_wav(tmp_path / "a.wav", 30.0)
    stage.play(song)
    assert stage.saw("playing")
    os.kill(stage.output.pid, 9)
    assert stage.saw("playing", "failed")
    stage.play(song, "2")
    assert stage.saw("playing", sound_id="2")


def test_a_sink_that_is_not_there(tmp_path):
    if not python_with_gi(ENVIRONMENT):
        pytest.skip("GStreamer is not installed")
    output = GStreamerOutput(ENVIRONMENT, "nosuchsink")
    output.play("1", str(write_wav(tmp_path / "a.wav", 0.1)), volume=1.0, fade=0.0, length=None)
    events = []
    assert wait_for(lambda: events.extend(output.events()) or bool(events))
    assert "nosuchsink" in events[0].reason
    output.close()


def test_without_a_device_sound_is_timed_and_one_line_says_so(monkeypatch):
    if not python_with_gi(ENVIRONMENT):
        pytest.skip("GStreamer is not installed")
    told = []
    output = open_output("auto", ENVIRONMENT, lambda: 0.0, told.append, "fakesink")
    assert isinstance(output, NullOutput)
    assert told == ["sound is only timed, nobody hears it: there is no sound device here"]


def test_without_gstreamer(monkeypatch):
    monkeypatch.setattr("embodiment_bridge.media.gstreamer_output.python_with_gi", lambda _: "")
    told = []
    assert isinstance(open_output("auto", {}, lambda: 0.0, told.append), NullOutput)
    assert "python3-gi" in told[0]
    with pytest.raises(ConfigError, match="python3-gi"):
        open_output("gstreamer", {}, lambda: 0.0, told.append)
    with pytest.raises(BridgeError, match="unknown output of sound"):
        open_output("loud", {}, lambda: 0.0, told.append)


def helper(script, messages, ended):
    return HelperProcess([any_python(), "-I", "-S", "-c", script], ENVIRONMENT, messages.append, ended.append)


def sends(one, message):
    try:
        one.send(message)
    except LinkError:
        return False
    return True


def test_what_a_helper_complains_of_is_told():
    messages, ended = [], []
    one = helper(
        "import sys; print('{\"a\": 1}'); print([1], flush=True); sys.exit('no data here')", messages, ended
    )
    assert wait_for(lambda: bool(ended))
    assert (messages, ended) == ([{"a": 1}], ["no data here"])
    assert wait_for(lambda: not sends(one, {}))
    one.close()


def test_a_helper_that_reads_nothing_is_ended_and_blocks_nobody():
    messages, ended = [], []
    one = helper("import time; time.sleep(600)", messages, ended)
    assert any(not sends(one, {"text": "x" * 10_000}) for _ in range(100))
    assert wait_for(lambda: bool(ended))
    one.close()


def test_a_helper_without_line_ends_is_ended(monkeypatch):
    monkeypatch.setattr("embodiment_bridge.media.helper_process.MAX_LINE", 10_000)
    messages, ended = [], []
    one = helper(
        "import sys, time; sys.stdout.write('x' * 100_000); sys.stdout.flush(); time.sleep(600)",
        messages,
        ended,
    )
    assert wait_for(lambda: bool(ended))
    assert "over 10000 bytes" in ended[0]
    one.close()


def test_a_stubborn_helper_is_killed():
    messages, ended = [], []
    one = helper(
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); time.sleep(600)",
        messages,
        ended,
    )
    assert wait_for(lambda: bool(messages))
    one.close()
    assert wait_for(lambda: bool(ended))
    assert threading.active_count() < 20


def test_a_helper_that_is_no_program():
    with pytest.raises(LinkError, match="cannot be started"):
        HelperProcess(["/nonexistent"], {}, print, print)
