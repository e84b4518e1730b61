# SPDX-License-Identifier: Apache-2.0
"""WAV files: those that make reading them long, and how loud speech is, which moves the mouth."""

import math
import struct
import wave

import pytest
from sound_stage import Clock, write_wav
from waiting import until

from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.wav import BLOCK_S, HEADER_READS, envelope, open_wav, wav_length
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.media.outputs.output import UNKNOWN_S, NullOutput
from embodiment_bridge.media.speech.store import Speech


def with_chunks(path, chunks):
    """A second of sound behind so many empty chunks."""
    data = write_wav(path, 1.0).read_bytes()
    body = data[:12] + b"JUNK\0\0\0\0" * chunks + data[12:]
    path.write_bytes(body[:4] + struct.pack("<L", len(body) - 8) + body[8:])
    return path


@pytest.mark.parametrize(("chunks", "length"), [(0, 1.0), (100, 1.0), (HEADER_READS, None), (100_000, None)])
def test_the_chunks_before_the_samples_have_a_bound(tmp_path, chunks, length):
    """50 MiB of empty ones took 14 s."""
    path = with_chunks(tmp_path / "a.wav", chunks)
    assert wav_length(path) == length
    assert envelope(path) == ()  # it is silent, or no WAV


def test_samples_may_be_read_in_many_pieces(tmp_path):
    with open_wav(write_wav(tmp_path / "a.wav", 1.0)) as file:
        pieces = [file.readframes(2) for _ in range(4 * HEADER_READS)]
    assert {len(piece) for piece in pieces} == {4}


def test_an_output_without_a_device_does_not_look_into_files(tmp_path):
    """It plays on the thread of the node; the loader, which has threads of its own, has looked for the length."""
    output = NullOutput(Clock())
    path = str(write_wav(tmp_path / "a.wav", 1.0))
    output.play("1", path, volume=1.0, fade=0.0, length=None)
    output.play("2", path, volume=1.0, fade=0.0, length=1.0)
    assert [event.length for event in output.events()] == [UNKNOWN_S, 1.0]


def spoken(path, parts, rate=8000, channels=1, width=2):
    """A tone whose loudness (0..1) is that of each part for 0.1 s."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        for loud in parts:
            for place in range(round(0.1 * rate)):
                value = round(loud * 30_000 * math.sin(place * 0.7))
                file.writeframes(struct.pack("<h", value)[-width:] * channels)
    return path


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8000, 22_050])
def test_it_follows_the_loudness(tmp_path, rate, channels):
    parts = (0.0, 1.0, 0.35, 0.0, 0.7)
    levels = envelope(spoken(tmp_path / "a.wav", parts, rate, channels))
    assert len(levels) == pytest.approx(10, abs=1)
    middle = [levels[round((place + 0.5) * 0.1 / BLOCK_S)] for place in range(4)]
    assert middle == pytest.approx([0.0, 1.0, 0.5, 0.0], abs=0.05)
    assert all(0.0 <= level <= 1.0 for level in levels)


def test_a_whisper_opens_the_mouth_as_wide(tmp_path):
    levels = envelope(spoken(tmp_path / "a.wav", (0.0, 0.01, 0.0)))
    assert max(levels) == 1.0


@pytest.mark.parametrize("content", [b"", b"RIFF", b"ID3 no wave", b"RIFF\xff\xff\xff\xffWAVEfmt "])
def test_other_files_have_no_mouth(tmp_path, content):
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    assert envelope(path) == ()
    assert envelope(tmp_path / "nothing.wav") == ()


def test_silence_and_other_samples_have_no_mouth(tmp_path):
    assert envelope(write_wav(tmp_path / "a.wav", 1.0)) == ()
    assert envelope(spoken(tmp_path / "b.wav", (1.0,), width=1)) == ()


def test_a_header_that_lies_costs_nothing(tmp_path):
    path = spoken(tmp_path / "a.wav", (1.0,))
    data = bytearray(path.read_bytes())
    data[24:28] = struct.pack("<I", 2**31)  # frames per second
    path.write_bytes(data)
    assert envelope(path) == ()
    data[24:28] = struct.pack("<I", 8000)
    path.write_bytes(data[:-1])  # half a sample at its end
    assert envelope(path)


def test_marks_with_levels_have_a_mouth():
    marks = Marks(levels=(0.0, 0.5, 1.0))
    assert [marks.mouth(at) for at in (-1.0, 0.0, 0.06, 0.12, 0.16, 9.0)] == [0.0, 0.0, 0.5, 1.0, 0.0, 0.0]
    assert marks.has_mouth
    assert not Marks(words=((0.0, 0),)).has_mouth
    assert Marks(phonemes=((0.0, "m"),), levels=(1.0,)).mouth(0.01) == 0.0  # phonemes know better


class Voice:
    """A speech store whose program gives no phonemes, as piper and a cloud service do."""

    def __init__(self, path, marks):
        self.path, self.marks = path, marks

    def get(self, spoken, cancelled):
        return Speech(self.path, self.marks, "key")

    def close(self):
        pass


@pytest.mark.parametrize("phonemes", [(), ((0.0, "a"),)])
def test_what_is_spoken_without_phonemes_gets_levels(tmp_path, phonemes):
    voice = Voice(spoken(tmp_path / "a.wav", (0.0, 1.0)), Marks(phonemes=phonemes))
    loader = Loader(None, voice)
    loader.begin(Cue("1", "run", text="hello"))
    ready = []
    until(lambda: ready.extend(loader.take()) or bool(ready))
    loader.close()
    (loaded,) = ready
    assert bool(loaded.marks.levels) == (not phonemes)
    assert loaded.marks.has_mouth
