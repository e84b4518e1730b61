# SPDX-License-Identifier: Apache-2.0
"""The sound helper: its device, what it complains of, and that neither its silence nor its floods hurt."""

import json
import os
import signal
import sys
import threading

import numpy as np
import pytest
from waiting import until

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.helper_process import HelperProcess
from embodiment_bridge.launching.environment import of_outside_program
from embodiment_bridge.media.outputs import sound_helper
from embodiment_bridge.media.outputs.mixing import CHANNELS
from embodiment_bridge.media.outputs.sound_helper import Program


class Device:
    """In place of the machine's own; all that were opened, in order."""

    backend = "alsa"
    there = True

    def __init__(self, backend, mix):
        if not Device.there:
            raise LinkError("this machine has no sound device")
        self.mix, self.running, self.closed, self.silent_for = mix, False, False, 0.0
        Device.opened.append(self)

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def close(self):
        self.closed = True


class Tone:
    length = None

    def __init__(self, path):
        pass

    def read(self, frames):
        return np.zeros((frames, CHANNELS), np.float32)


class Running:
    """The program on a thread, with a pipe for its input."""

    def __init__(self, monkeypatch):
        reader, self.writer = os.pipe()
        self.told = []
        monkeypatch.setattr(sys, "stdin", os.fdopen(reader))
        monkeypatch.setattr(sound_helper, "send", lambda **message: self.told.append(message))
        self.thread = threading.Thread(target=Program("auto").run)
        self.thread.start()

    def say(self, line):
        os.write(self.writer, (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")

    def play(self, id_):
        self.say({"do": "play", "id": id_, "path": "", "volume": 1.0, "fade": 0.0})

    def failed(self):
        return [(one["id"], one["reason"]) for one in self.told if one["event"] == "failed"]

    def close(self):
        os.close(self.writer)
        self.thread.join()
        sys.stdin.close()


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(sound_helper, "SoundDevice", Device)
    monkeypatch.setattr(sound_helper, "FileSource", Tone)
    monkeypatch.setattr(sound_helper, "LOOK_S", 0.01)
    monkeypatch.setattr(Device, "there", True)
    monkeypatch.setattr(Device, "opened", [], raising=False)
    running = Running(monkeypatch)
    yield running
    running.close()


def test_a_device_that_takes_no_more_fails_its_sounds_and_is_opened_anew(program, monkeypatch):
    (first,) = Device.opened
    program.play("1")
    until(lambda: first.running)
    monkeypatch.setattr(Device, "there", False)
    first.silent_for = sound_helper.SILENT_S + 1
    until(lambda: program.failed() == [("1", "the sound device takes no more samples")])
    assert first.closed
    program.play("2")
    until(lambda: program.failed()[1:] == [("2", "this machine has no sound device")])
    monkeypatch.setattr(Device, "there", True)
    program.play("3")
    until(lambda: len(Device.opened) == 2 and Device.opened[1].running)


def test_the_device_rests_when_nothing_plays(program, monkeypatch):
    monkeypatch.setattr(sound_helper, "LINGER_S", 1e9)
    (device,) = Device.opened
    program.play("1")
    until(lambda: device.running)
    program.say({"do": "pause", "id": "1"})
    until(lambda: device.mix(4800) is not None and any(one["event"] == "paused" for one in program.told))
    assert device.running
    monkeypatch.setattr(sound_helper, "LINGER_S", -1.0)
    until(lambda: not device.running)


def test_bad_commands_are_told_and_hurt_nothing(program):
    for line in (b"no json", b"[1]", b'{"do": "play"}', b'{"do": "pause"}', b'{"do": "pause", "id": "gone"}'):
        program.say(line)
    until(lambda: len(program.failed()) == 4)
    program.play("1")
    until(lambda: Device.opened[0].running)
    assert len(program.failed()) == 4


ENVIRONMENT = of_outside_program(os.environ)


def helper(script, messages, ended):
    return HelperProcess(
        [sys.executable, "-I", "-S", "-c", script], ENVIRONMENT, messages.append, ended.append
    )


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
    until(lambda: bool(ended))
    assert (messages, ended) == ([{"a": 1}], ["no data here"])
    until(lambda: not sends(one, {}))
    one.close()


def test_a_helper_that_reads_nothing_is_ended_and_blocks_nobody():
    messages, ended = [], []
    one = helper("import time; time.sleep(600)", messages, ended)
    assert any(not sends(one, {"text": "x" * 10_000}) for _ in range(100))
    until(lambda: bool(ended))
    one.close()


def test_a_helper_without_line_ends_is_ended(monkeypatch):
    monkeypatch.setattr("embodiment_bridge.core.helper_process.MAX_LINE", 10_000)
    messages, ended = [], []
    one = helper(
        "import sys, time; sys.stdout.write('x' * 100_000); sys.stdout.flush(); time.sleep(600)",
        messages,
        ended,
    )
    until(lambda: bool(ended))
    assert "over 10000 bytes" in ended[0]
    one.close()


def stubborn(ended):
    """A helper that ignores SIGTERM and the end of its input."""
    messages = []
    one = helper(
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); time.sleep(600)",
        messages,
        ended,
    )
    until(lambda: bool(messages))
    return one


def test_a_stubborn_helper_is_killed():
    ended = []
    stubborn(ended).close()
    until(lambda: bool(ended))
    assert threading.active_count() < 20


def test_close_waits_for_a_helper_that_is_slow_to_die(monkeypatch):
    one = stubborn([])
    monkeypatch.setattr(one._process, "kill", threading.Timer(1.0, one._process.kill).start)
    one.close()
    assert one._process.returncode == -signal.SIGKILL


def test_a_helper_that_is_no_program():
    with pytest.raises(LinkError, match="cannot be started"):
        HelperProcess(["/nonexistent"], {}, print, print)
